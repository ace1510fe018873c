#include "observability/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace tpu_admission::observability {
namespace {

constexpr std::size_t kMaxWaiting = 1 << 20;
constexpr std::chrono::milliseconds kFlushEvery{50};
constexpr std::chrono::milliseconds kLastFlush{1000};

}  // namespace

LineWriter::LineWriter(int descriptor) : descriptor_(descriptor), thread_([this] { Run(); }) {}

LineWriter::~LineWriter() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void LineWriter::Add(std::string_view line) {
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    if (waiting_.size() + line.size() > kMaxWaiting) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    is_first = waiting_.empty();
    waiting_.append(line).push_back('\n');
  }
  if (is_first) wake_.notify_one();
}

void LineWriter::Run() {
  std::string batch;
  MutexLock lock(mutex_);
  while (!stopping_) {
    while (!stopping_ && waiting_.empty()) wake_.wait(lock);
    // For more lines.
    wake_.wait_for(lock, kFlushEvery,
                   [this]() TPU_ADMISSION_REQUIRES(mutex_) { return stopping_; });
    batch.swap(waiting_);
    lock.unlock();
    WriteOut(batch, kFlushEvery);
    lock.lock();
    if (!batch.empty()) waiting_.insert(0, batch);  // a stuck pipe: try again
    batch.clear();
  }
  WriteOut(waiting_, kLastFlush);
  Drop(waiting_);
}

// Removes from `text` what could be written within `patience`, and all of it if nothing ever can.
void LineWriter::WriteOut(std::string& text, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const bool ends_torn_line = torn_ && !text.empty();
  if (ends_torn_line) text.insert(0, 1, '\n');
  std::size_t done = 0;
  while (done < text.size() && WaitUntilWritable(deadline)) {
    // PIPE_BUF at a time: what poll() promises not to block.
    const std::size_t chunk = std::min<std::size_t>(text.size() - done, PIPE_BUF);
    const ssize_t written = write(descriptor_, text.data() + done, chunk);
    if (written > 0) {
      done += static_cast<std::size_t>(written);
      mid_line_ = text[done - 1] != '\n';
    } else if (errno != EINTR && errno != EAGAIN) {  // a full disk, or nobody is left to read
      torn_ = mid_line_;
      text.erase(0, std::max<std::size_t>(done, ends_torn_line ? 1 : 0));
      return Drop(text);
    }
  }
  if (done > 0) torn_ = false;
  text.erase(0, std::max<std::size_t>(done, ends_torn_line && torn_ ? 1 : 0));
}

void LineWriter::Drop(std::string& text) {
  const auto lines = std::count(text.begin(), text.end(), '\n');
  dropped_.fetch_add(static_cast<std::size_t>(lines), std::memory_order_relaxed);
  text.clear();
}

bool LineWriter::WaitUntilWritable(std::chrono::steady_clock::time_point deadline) const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  pollfd ready{descriptor_, POLLOUT, 0};
  return left.count() >= 0 && poll(&ready, 1, static_cast<int>(left.count())) > 0;
}

}  // namespace tpu_admission::observability
