// The real binary as a process of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace tpu_admission::support {

struct Ended {
  int exit_code = -1;
  std::string out;
  std::string err;
};

using Environment = std::map<std::string, std::string>;

// Runs tpu-admission to its end (20 s at most) with `input` on stdin, in `folder` if there is one.
Ended RunToEnd(const std::vector<std::string>& arguments, const Environment& environment = {},
               const std::string& input = "", const std::string& folder = "");

// A folder of the test's own, and the program in it.
class InFolder : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) { root_.Write(name, text); }
  Ended Run(const std::vector<std::string>& arguments, const std::string& folder = "",
            const Environment& environment = {}) {
    return RunToEnd(arguments, environment, "", root() + folder);
  }
  std::string root() const { return root_.path().string(); }

 private:
  TempDir root_;
};

// A running `tpu-admission serve` or `controller` on free ports of 127.0.0.1.
class Serving {
 public:
  explicit Serving(std::vector<std::string> arguments, const std::string& command = "serve");
  ~Serving();  // SIGKILL if it still runs
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  pid_t pid() const { return pid_; }
  bool started() const { return metrics_port_ != 0; }
  std::uint16_t secure_port() const { return secure_port_; }
  std::uint16_t metrics_port() const { return metrics_port_; }
  void Signal(int signal) const;
  // The exit code, if it ends within `limit`.
  std::optional<int> WaitForEnd(std::chrono::milliseconds limit);
  // All log lines so far.
  std::string Log() const;
  // Waits until the log has `text`, for 15 s at most.
  bool WaitForLog(const std::string& text) const;

 private:
  std::string log_path_;
  pid_t pid_ = -1;
  std::uint16_t secure_port_ = 0;
  std::uint16_t metrics_port_ = 0;
};

}  // namespace tpu_admission::support
