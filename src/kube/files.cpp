#include "kube/files.h"

#include <algorithm>

#include "tpu_admission/base/files.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::kube {

Result<std::string> ReadSmallFile(const std::string& path, const std::string& what) {
  constexpr std::size_t kMaxBytes = 1u << 20;
  Result<std::string> text = DiskFiles().Read(path, kMaxBytes);
  if (!text) return Error{"cannot read " + what + " " + text.error().message};
  return text;
}

Result<std::string> ReadToken(const std::string& path) {
  Result<std::string> token = ReadSmallFile(path, "token file");
  if (!token) return token;
  token->erase(token->find_last_not_of(kSpace) + 1);  // npos + 1 is 0
  const bool printable = std::all_of(token->begin(), token->end(),
                                     [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (token->empty()) return Error{"cannot use token file " + path + ": it is empty"};
  if (!printable) return Error{"cannot use token file " + path + ": it holds no token"};
  return token;
}

}  // namespace tpu_admission::kube
