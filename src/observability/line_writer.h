// Lines for a descriptor that may be slow, stuck or full. Add() never waits for whoever reads it:
// lines are collected for 50 ms and written by a thread of the writer's own, which sleeps while
// there are none, and dropped and counted when a megabyte waits, or when they cannot be written.
// (An asynchronous logger that wakes a thread for each line costs 5.9 us of CPU a line.)
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>

#include "tpu_admission/base/thread_annotations.h"

namespace tpu_admission::observability {

class LineWriter {
 public:
  explicit LineWriter(int descriptor);
  ~LineWriter();  // writes what waits, for at most a second
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Both from any thread. `line` is without its end.
  void Add(std::string_view line);
  std::size_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  void Run();
  void WriteOut(std::string& text, std::chrono::milliseconds patience);
  bool WaitUntilWritable(std::chrono::steady_clock::time_point deadline) const;
  void Drop(std::string& text);

  const int descriptor_;
  Mutex mutex_;
  std::string waiting_ TPU_ADMISSION_GUARDED_BY(mutex_);
  bool stopping_ TPU_ADMISSION_GUARDED_BY(mutex_) = false;
  bool mid_line_ = false;  // of thread_, as torn_: what was written last is no end of a line
  bool torn_ = false;      // and the rest of that line was dropped
  std::atomic<std::size_t> dropped_{0};
  std::condition_variable_any wake_;
  std::thread thread_;
};

}  // namespace tpu_admission::observability
