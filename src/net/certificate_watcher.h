// Looks at the certificate files and holds the newest pair that is good.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "net/tls_context.h"
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
    kFailed,   // unreadable, no PEM, or certificate and key do not belong together
  };
  struct Look {
    Outcome outcome;
    std::string why;  // of kMissing and kFailed, one line
  };

  CertificateWatcher(TlsFiles files, ServerObserver& observer);

  // Reads both files and tells the observer what came of it. After kMissing and kFailed the last
  // good pair stays. One thread at a time.
  Look Poll();

  // The newest good pair, null before the first. Any thread.
  std::shared_ptr<const TlsContext> current() const;

 private:
  Look Load();

  const TlsFiles files_;
  ServerObserver& observer_;
  std::string certificate_;  // the bytes of the last good pair
  std::string private_key_;
  mutable std::mutex mutex_;
  std::shared_ptr<const TlsContext> current_;
};

}  // namespace tpu_admission::net
