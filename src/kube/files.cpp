#include "kube/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace tpu_admission::kube {

Result<std::string> ReadSmallFile(const std::string& path, const std::string& what) {
  constexpr std::size_t kMaxBytes = 1u << 20;
  const std::unique_ptr<FILE, decltype([](FILE* file) { std::fclose(file); })> file(
      std::fopen(path.c_str(), "rbe"));
  if (!file) return Error{"cannot read " + what + " " + path + ": " + std::strerror(errno)};
  std::string text;
  char block[4096];
  while (const std::size_t bytes = std::fread(block, 1, sizeof block, file.get())) {
    text.append(block, bytes);
    if (text.size() > kMaxBytes) return Error{"cannot use " + what + " " + path + ": over 1 MiB"};
  }
  if (std::ferror(file.get()) != 0) return Error{"cannot read " + what + " " + path};
  return text;
}

Result<std::string> ReadToken(const std::string& path) {
  Result<std::string> token = ReadSmallFile(path, "token file");
  if (!token) return token;
  while (!token->empty() && std::strchr(" \r\n\t", token->back()) != nullptr) token->pop_back();
  const bool printable = std::all_of(token->begin(), token->end(),
                                     [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (token->empty()) return Error{"cannot use token file " + path + ": it is empty"};
  if (!printable) return Error{"cannot use token file " + path + ": it holds no token"};
  return token;
}

}  // namespace tpu_admission::kube
