// What a test judges by: the built-in catalog and all rules.
#pragma once

#include <string_view>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::support {

// `policy`: as in a policy file; nothing of the cluster is known.
inline admission::Settings SettingsOf(std::string_view policy = "") {
  return {rules::Engine(tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in").value(), {}),
          admission::Policy::Load(policy, "policy").value(), ""};
}

// Made once.
inline const admission::Settings& StandardSettings() {
  static const admission::Settings settings = SettingsOf();
  return settings;
}

}  // namespace tpu_admission::support
