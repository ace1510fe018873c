// JSON lines on stdout, each of at most 16 KiB. A line never waits for whoever reads the pipe:
// lines are collected and written every 50 ms by a thread of the log's own; what nobody takes, and
// what cannot be written, is counted. Never object bodies; user text is escaped and cut.
#pragma once

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tpu_admission/admission/handler.h"

namespace tpu_admission::observability {

enum class Level { kDebug, kInfo, kWarning, kError };

class Log {
 public:
  // Fields of a line: a name of ours, and a value, which is escaped and cut.
  using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // How a review came to us, beside what is in it.
  struct Call {
    admission::Endpoint endpoint;
    std::string_view trace_id;  // empty: the line does not name it
    std::chrono::nanoseconds duration;
  };

  // Writes to `descriptor` lines of at least `level`.
  Log(int descriptor, Level level);
  ~Log();  // writes what waits, for at most a second
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // All of these may be called from any thread.
  void Write(Level level, std::string_view message, Fields fields = {});
  void WriteDecision(const admission::Record& record, const Call& call);
  std::size_t lines_dropped() const;  // since start, for whatever reason

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tpu_admission::observability
