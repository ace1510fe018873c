// One line of the log as it grows: a JSON object of at most kLineBytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/admission/decision.h"
#include "tpu_admission/observability/log.h"

namespace tpu_admission::observability {

inline constexpr std::size_t kLineBytes = 16 * 1024;

class LogLine {
 public:
  LogLine(Level level, std::string_view message);

  // `name` needs no escape. Text of a user is escaped and cut: its JSON has at most 512 bytes.
  void Text(std::string_view name, std::string_view value);
  // What needs neither, as it stands: a number, or a word of ours with its quotes.
  void Raw(std::string_view name, std::string_view json);
  // `"rules":["<id>=deny"]`, and `would_be` of those for which it is another mode.
  void Rules(const std::vector<admission::JudgedFinding>& findings);
  // `"ignored":["<id>=our zone is new"]`, if there is any.
  void Ignored(const std::vector<admission::JudgedFinding>& findings);

  std::string_view Finish();  // no more after this

 private:
  class List;

  std::string line_;
};

}  // namespace tpu_admission::observability
