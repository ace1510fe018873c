// The files that a kubelet mounts into a pod for its service account.
#pragma once

#include <string>

#include "tpu_admission/base/result.h"

namespace tpu_admission::kube {

// The token, without the newline at its end. Text that would not stay in one header field is
// refused. Its bytes never appear in an error.
Result<std::string> ReadToken(const std::string& path);

// The text of a regular file of at most 1 MiB; `what` names it in the error.
Result<std::string> ReadSmallFile(const std::string& path, const std::string& what);

}  // namespace tpu_admission::kube
