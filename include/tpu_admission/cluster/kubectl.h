// The user's own kubectl: whatever kubeconfig, context and login plugin they have, and no right
// beyond theirs. Nothing here talks to an API server by itself.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"

namespace tpu_admission::cluster {

class Kubectl {
 public:
  using Take = std::function<Status(std::string_view)>;

  virtual ~Kubectl() = default;

  // Runs kubectl with `arguments` and hands its output over piece by piece, as it comes. An error
  // of `take` ends it. If kubectl fails, the error is what it said, with
  // std::errc::no_such_file_or_directory where it says that the object or its kind does not exist;
  // what it printed before that was handed over all the same.
  virtual Status Run(const std::vector<std::string>& arguments, const Take& take) = 0;
};

// All that it prints, and an error if that is more than `max_bytes`.
Result<std::string> Output(Kubectl& kubectl, const std::vector<std::string>& arguments,
                           std::size_t max_bytes = std::size_t(16) << 20);

// The program, started without a shell; standard input stays that of ours, for login plugins.
class KubectlProgram final : public Kubectl {
 public:
  struct Options {
    std::string program = "kubectl";     // looked up in PATH
    std::vector<std::string> arguments;  // before all others: --context NAME
    std::chrono::milliseconds timeout = std::chrono::minutes(2);  // for each run; then it is killed
  };
  explicit KubectlProgram(Options options) : options_(std::move(options)) {}

  Status Run(const std::vector<std::string>& arguments, const Take& take) override;

 private:
  Options options_;
};

}  // namespace tpu_admission::cluster
