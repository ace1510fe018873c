// Locking as part of a type: what a mutex guards is written beside it, and clang's thread safety
// analysis holds every access against that (./dev lint makes it an error); other compilers see
// nothing.
#pragma once

#include <mutex>

#if defined(__clang__)
#define TPU_ADMISSION_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define TPU_ADMISSION_THREAD_ANNOTATION(x)
#endif

// Of a member: it is touched under that mutex alone.
#define TPU_ADMISSION_GUARDED_BY(mutex) TPU_ADMISSION_THREAD_ANNOTATION(guarded_by(mutex))
// Of a function: the caller holds that mutex.
#define TPU_ADMISSION_REQUIRES(mutex) TPU_ADMISSION_THREAD_ANNOTATION(requires_capability(mutex))

namespace tpu_admission {

// std::mutex with the annotations that libstdc++ lacks.
class TPU_ADMISSION_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() TPU_ADMISSION_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() TPU_ADMISSION_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Holds a Mutex to the end of its scope. lock() and unlock() are for std::condition_variable_any.
class TPU_ADMISSION_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TPU_ADMISSION_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() TPU_ADMISSION_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() TPU_ADMISSION_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() TPU_ADMISSION_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  Mutex& mutex_;
};

}  // namespace tpu_admission
