// What a rule found: where, what, and what to change.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tpu_admission/rules/rule.h"

namespace tpu_admission::rules {

struct Finding {
  std::string pointer;    // JSON pointer of the field in the object
  std::string container;  // name as written; empty if it is about the pod or the object
  // A clause that stands alone, for first lines and warnings: 'container "jax" asks for 8 chips,
  // a host of tpu-v6e-slice 4x4 has 4'. At most about 100 bytes.
  std::string summary;
  // A sentence about the field: "asks for 8 ..., but ...".
  std::string problem;
  // What to do, in the imperative, made for this manifest.
  std::string change;
  // Milder than the rule's own mode, where this case is less certain.
  std::optional<Mode> milder = std::nullopt;

  // Filled in by the engine.
  const Rule* rule = nullptr;
  std::size_t pod_set = 0;

  Mode mode() const { return milder ? *milder : rule->mode; }
  // The same fault, whatever the value: what ratcheting and alternatives compare.
  bool SameFault(const Finding& other) const {
    return rule == other.rule && pod_set == other.pod_set && container == other.container;
  }
};

}  // namespace tpu_admission::rules
