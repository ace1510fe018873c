// Which build this is; set by CMake.
#pragma once

#include <string_view>

namespace tpu_admission {

std::string_view Version();   // "0.1.0"
std::string_view Revision();  // the commit, or "unknown"

}  // namespace tpu_admission
