// What a rule found: where, what, and what to change.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tpu_admission/rules/rule.h"
#include "tpu_admission/workload/edits.h"

namespace tpu_admission::rules {

// The same fault, whatever the value: what ratcheting, alternatives and exemptions compare. Views
// of the finding, and of the object that it is about.
struct FaultId {
  const Rule* rule = nullptr;
  workload::PodSetId pods;
  std::string_view part;

  friend bool operator==(const FaultId&, const FaultId&) = default;
  friend auto operator<=>(const FaultId&, const FaultId&) = default;
};

// The text of a literal, so that whoever views it need not ask how long it lives.
class Constant {
 public:
  constexpr Constant() = default;
  consteval Constant(const char* text) : text_(text) {}          // NOLINT: that is what it is for
  constexpr operator std::string_view() const { return text_; }  // NOLINT
  constexpr bool empty() const { return text_.empty(); }
  friend constexpr bool operator==(const Constant& a, std::string_view b) { return a.text_ == b; }

 private:
  std::string_view text_;
};

struct Finding {
  std::string pointer = {};  // JSON pointer of the field in the object
  // Name as written; empty if it is about the pod or the object.
  std::string container = {};
  // The same of what is no container: a volume, a claim, a request.
  std::string part = {};
  // A clause that stands alone, for first lines and warnings: 'container "jax" asks for 8 chips,
  // a host of tpu-v6e-slice 4x4 has 4'. At most about 100 bytes.
  std::string summary;
  // A sentence about the field: "asks for 8 ..., but ...".
  std::string problem;
  // What to change, made for this manifest: made to the letter, they take this finding away. None:
  // a person must decide something first.
  workload::Edits edits = {};
  // What to do, in the imperative, where there are no edits; else what comes after their own
  // sentence, such as another way. Change() has both.
  std::string change = {};
  // Where there are no edits: what only a person can say, after "only you can say".
  Constant decision = {};
  // Milder than the rule's own mode, where this case is less certain.
  std::optional<Mode> milder = std::nullopt;
  // Another rule speaks of it: nobody is told. An UPDATE that mends only what the other speaks of
  // still leaves a fault that was there before.
  bool told_by_another = false;
  // What of the whole pod is at fault, where the container is but the one to look at first: another
  // tomorrow, and still the same fault. A literal, such as "cpu".
  std::string_view of_pod = {};

  // Filled in by the engine.
  const Rule* rule = nullptr;
  const workload::PodSet* pods = nullptr;  // lives as long as the workload
  // Of the node selection of `pods`, where not all of them have the fault.
  std::size_t alternative = 0;

  // What to do; made anew with each call, for most findings are read by nobody.
  std::string Change() const;
  Mode mode() const { return milder ? *milder : rule->mode; }
  std::string_view part_name() const { return part.empty() ? container : part; }
  FaultId fault() const {
    return {rule, pods == nullptr ? workload::PodSetId() : pods->id(),
            of_pod.empty() ? part_name() : of_pod};
  }
};

// "set requests and limits of google.com/tpu to 4, and parallelism and completions to 4".
std::string SentenceOf(const workload::Edits& edits);

}  // namespace tpu_admission::rules
