// Files behind an interface of two methods, so that tests own them. Everything of ours that reads a
// file reads it here.
//
// Errors have the form "PATH: why", the path as it may be shown, and `code` where the system gave
// one. Safe from any thread.
#pragma once

#include <cstddef>
#include <string>

#include "tpu_admission/base/result.h"

namespace tpu_admission {

class Files {
 public:
  virtual ~Files() = default;

  // All of a regular file that has at most `max_bytes`. A folder, a pipe or a device is refused
  // without waiting for it, a larger file (std::errc::file_too_large) without reading it whole.
  virtual Result<std::string> Read(const std::string& path, std::size_t max_bytes) const = 0;

  // The same for what a person names on the command line, so pipes and devices are read to their
  // end, as `cat` does, but no further than `max_bytes`. "-" is standard input.
  virtual Result<std::string> ReadInput(const std::string& path, std::size_t max_bytes) const = 0;
};

class DiskFiles final : public Files {
 public:
  Result<std::string> Read(const std::string& path, std::size_t max_bytes) const override;
  Result<std::string> ReadInput(const std::string& path, std::size_t max_bytes) const override;
};

}  // namespace tpu_admission
