// Looks at the certificate files and holds the newest pair that is good.
#pragma once

#include <memory>
#include <string>

#include "net/tls_context.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/base/thread_annotations.h"
#include "tpu_admission/net/server.h"

namespace tpu_admission::net {

// Polled, because a kubelet replaces a mounted Secret by renaming a symbolic link beside the files:
// inotify on the files sees nothing of it.
class CertificateWatcher {
 public:
  enum class Outcome {
    kUnchanged,
    kLoaded,
    kMissing,  // a file does not exist
    // Unreadable, no PEM, expired or not valid yet, or certificate and key do not belong together.
    kFailed,
  };
  struct Look {
    Outcome outcome;
    std::string why;  // of kMissing and kFailed, one line
  };

  CertificateWatcher(TlsFiles files, const Clock& clock TPU_ADMISSION_LIFETIME_BOUND,
                     ServerObserver& observer TPU_ADMISSION_LIFETIME_BOUND);

  // Reads both files and tells the observer what came of it. After kMissing and kFailed the last
  // good pair stays. One thread at a time.
  Look Poll();

  // The newest good pair, null before the first. Any thread.
  std::shared_ptr<const TlsContext> current() const;

 private:
  Look Load();

  const TlsFiles files_;
  const DiskFiles disk_;
  const Clock& clock_;
  ServerObserver& observer_;
  std::string certificate_;  // the bytes of the last good pair
  std::string private_key_;
  mutable Mutex mutex_;
  std::shared_ptr<const TlsContext> current_ TPU_ADMISSION_GUARDED_BY(mutex_);
};

}  // namespace tpu_admission::net
