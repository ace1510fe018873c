// The formats, one factory each; see tpu_admission/offline/format.h.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tpu_admission/offline/format.h"

namespace tpu_admission::offline {

std::unique_ptr<Format> NewTextFormat(bool colour);
std::unique_ptr<Format> NewJsonFormat();
std::unique_ptr<Format> NewSarifFormat();
std::unique_ptr<Format> NewGithubFormat();
std::unique_ptr<Format> NewGitlabFormat();
std::unique_ptr<Format> NewJunitFormat();
std::unique_ptr<Format> NewCheckstyleFormat();

// "2 TPU workloads checked: 1 error, 0 warnings", and what could not be read.
std::string Sum(const Counts& counts);

}  // namespace tpu_admission::offline
