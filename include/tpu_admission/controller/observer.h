// What the controller tells the world around it: metrics and log.
#pragma once

#include <optional>
#include <string>

#include "tpu_admission/base/clock.h"

namespace tpu_admission::controller {

enum class Operation {
  kElect,
  kReadSecret,
  kWriteSecret,
  kReadConfiguration,
  kWriteConfiguration,
  kMakeCertificate,
  kWatchNodes,
  kReadNodeRecord,
  kWriteNodeRecord
};
inline constexpr std::size_t kOperations = 9;

enum class CertificateKind { kServing, kAuthority };

enum class ConfigurationKind { kMutating, kValidating };

// What became of one webhook configuration in a pass.
enum class ConfigurationState {
  kAbsent,     // there is none of that name, or no webhook in it is ours
  kUnmanaged,  // it says that it is not ours to change
  kCurrent,    // its caBundle is ours
  kWritten,    // we have just made it so
  kFailed      // it could not be read or written
};

// Called from the threads that elect and reconcile: implementations are thread safe and do not
// block.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void OnLeadership(bool leading) = 0;
  // An operation failed and will be tried again. The same may be told again and again.
  virtual void OnError(Operation operation, const std::string& what) = 0;
  // A new certificate is in the Secret; `why` is one line.
  virtual void OnIssued(CertificateKind kind, const std::string& why) = 0;
  // The end of what is in use; nullopt if there is none.
  virtual void OnExpiry(CertificateKind kind, std::optional<Clock::Wall> not_after) = 0;
  // Of every pass; `why` is one line for kAbsent, kUnmanaged and kWritten, else empty.
  virtual void OnConfiguration(ConfigurationKind kind, ConfigurationState state,
                               const std::string& why) = 0;
  // Worth a line of the log: told once each time it comes true.
  virtual void OnNote(const std::string& what) = 0;
  // A pass went through without an error.
  virtual void OnSynced() = 0;
};

}  // namespace tpu_admission::controller
