// The manifests in cases/ of the rules' folders.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

namespace tpu_admission::support {

// pass-*.yaml and fail-*.yaml of all rules, in the order of their paths.
inline std::vector<std::filesystem::path> RuleCases() {
  std::vector<std::filesystem::path> paths;
  const auto rules = std::filesystem::path(TPU_ADMISSION_SOURCE_DIR) / "src" / "rules";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(rules)) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace tpu_admission::support
