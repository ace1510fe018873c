// The twin of DiskFiles for tests: what a path holds, or why it cannot be read, is set by hand.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "tpu_admission/base/files.h"

namespace tpu_admission {

class MemoryFiles final : public Files {
 public:
  void Put(const std::string& path, std::string text) {
    files_.insert_or_assign(path, Result<std::string>(std::move(text)));
  }
  void Break(const std::string& path, std::errc code, const std::string& why) {
    files_.insert_or_assign(path, Result<std::string>(Error{path + ": " + why, code}));
  }
  void Remove(const std::string& path) { files_.erase(path); }

  Result<std::string> Read(const std::string& path, std::size_t max_bytes) const override {
    const auto file = files_.find(path);
    if (file == files_.end()) {
      return Error{path + ": No such file or directory", std::errc::no_such_file_or_directory};
    }
    if (!file->second || file->second->size() <= max_bytes) return file->second;
    return Error{path + ": is too large", std::errc::file_too_large};
  }
  Result<std::string> ReadInput(const std::string& path, std::size_t max_bytes) const override {
    return Read(path, max_bytes);
  }

 private:
  std::map<std::string, Result<std::string>> files_;
};

}  // namespace tpu_admission
