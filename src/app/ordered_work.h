// Work on many things by several threads, whose results come out in the order of the things.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tpu_admission/base/thread_annotations.h"

namespace tpu_admission::app {

// `work` runs on the threads, `done` on the one that calls Add() and Finish(). At most kWindow
// results a thread wait for their turn, so memory does not grow with the number of things. What
// `work` throws comes out of Add() or Finish().
template <typename In, typename Out>
class OrderedWork {
 public:
  OrderedWork(std::size_t threads, std::function<Out(In)> work, std::function<void(Out)> done)
      : threads_wanted_(threads), work_(std::move(work)), done_(std::move(done)) {}
  ~OrderedWork() { Stop(); }
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;

  void Add(In in) {
    if (threads_wanted_ <= 1) return done_(work_(std::move(in)));
    std::size_t waiting = 0;
    {
      const MutexLock lock(mutex_);
      slots_.push_back({std::move(in), std::nullopt, nullptr});
      waiting = slots_.size();
    }
    wake_.notify_one();
    if (threads_.size() < threads_wanted_) threads_.emplace_back([this] { Run(); });
    if (waiting >= kWindow * threads_wanted_) TakeFirst();
  }

  void Finish() {
    while (IsWaiting()) TakeFirst();
    Stop();
  }

 private:
  static constexpr std::size_t kWindow = 8;
  struct Slot {
    std::optional<In> in;
    std::optional<Out> out;
    std::exception_ptr thrown;
  };

  bool IsWaiting() {
    const MutexLock lock(mutex_);
    return !slots_.empty();
  }

  void TakeFirst() {
    std::optional<Slot> first;
    {
      MutexLock lock(mutex_);
      while (!slots_.front().out && !slots_.front().thrown) ready_.wait(lock);
      first = std::move(slots_.front());
      slots_.pop_front();
      --next_;
    }
    if (first->thrown) std::rethrow_exception(first->thrown);
    done_(*std::move(first->out));
  }

  void Run() {
    MutexLock lock(mutex_);
    for (;;) {
      while (next_ == slots_.size() && !stopped_) wake_.wait(lock);
      if (stopped_) return;
      Slot& slot = slots_[next_++];  // stays where it is: a deque only loses those before it
      In in = *std::move(slot.in);
      lock.unlock();
      std::optional<Out> out;
      std::exception_ptr thrown;
      try {
        out = work_(std::move(in));
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      slot.out = std::move(out);
      slot.thrown = thrown;
      ready_.notify_one();
    }
  }

  void Stop() {
    {
      const MutexLock lock(mutex_);
      stopped_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  const std::size_t threads_wanted_;
  const std::function<Out(In)> work_;
  const std::function<void(Out)> done_;
  std::vector<std::thread> threads_;
  Mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any ready_;
  std::deque<Slot> slots_ TPU_ADMISSION_GUARDED_BY(mutex_);
  std::size_t next_ TPU_ADMISSION_GUARDED_BY(mutex_) = 0;  // the first that no thread has begun
  bool stopped_ TPU_ADMISSION_GUARDED_BY(mutex_) = false;
};

}  // namespace tpu_admission::app
