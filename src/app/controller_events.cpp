#include "app/controller_events.h"

namespace tpu_admission::app {
namespace {

using controller::CertificateKind;
using controller::ConfigurationKind;
using controller::ConfigurationState;
using controller::Operation;
using observability::Level;

constexpr std::chrono::seconds kRepeatEvery{60};

std::string_view Name(ConfigurationKind kind) {
  return kind == ConfigurationKind::kMutating ? "mutating" : "validating";
}

std::string_view Name(Operation operation) {
  switch (operation) {
    case Operation::kElect:
      return "leader election";
    case Operation::kReadSecret:
      return "reading the Secret";
    case Operation::kWriteSecret:
      return "writing the Secret";
    case Operation::kReadConfiguration:
      return "reading a webhook configuration";
    case Operation::kWriteConfiguration:
      return "writing a webhook configuration";
    case Operation::kMakeCertificate:
      return "making a certificate";
  }
  return "";
}

}  // namespace

void ControllerEvents::OnLeadership(bool leading) {
  metrics_.SetLeader(leading);
  log_.Write(Level::kInfo, leading ? "leading" : "not leading any more");
  on_leadership_();
}

void ControllerEvents::OnStandby() {
  for (const auto kind : {CertificateKind::kServing, CertificateKind::kAuthority}) {
    metrics_.SetExpiry(kind, std::nullopt);
  }
  for (const auto kind : {ConfigurationKind::kMutating, ConfigurationKind::kValidating}) {
    metrics_.SetManaged(kind, false);
  }
  const std::lock_guard lock(mutex_);
  configurations_.clear();
}

void ControllerEvents::OnError(Operation operation, const std::string& what) {
  metrics_.CountError(operation);
  {
    const std::lock_guard lock(mutex_);
    Told& told = errors_[operation];
    if (told.what == what && clock_.Elapsed() - told.when < kRepeatEvery) return;
    told = {what, clock_.Elapsed()};
  }
  log_.Write(Level::kError, "failed, will try again",
             {{"operation", Name(operation)}, {"what", what}});
}

void ControllerEvents::OnIssued(CertificateKind kind, const std::string& why) {
  metrics_.CountIssued(kind);
  log_.Write(Level::kInfo, "certificate made",
             {{"certificate", kind == CertificateKind::kServing ? "serving" : "ca"}, {"why", why}});
}

void ControllerEvents::OnExpiry(CertificateKind kind, std::optional<Clock::Wall> not_after) {
  metrics_.SetExpiry(kind, not_after);
}

void ControllerEvents::OnConfiguration(ConfigurationKind kind, ConfigurationState state,
                                       const std::string& why) {
  if (state == ConfigurationState::kFailed) return;  // an error tells more
  const bool written = state == ConfigurationState::kWritten;
  const bool managed = written || state == ConfigurationState::kCurrent;
  metrics_.SetManaged(kind, managed);
  if (written) metrics_.CountWritten(kind);
  {
    const std::lock_guard lock(mutex_);
    const Configuration now{state, why};
    const auto [entry, is_new] = configurations_.try_emplace(kind, now);
    const bool same = !is_new && entry->second == now;
    entry->second = now;
    if (state == ConfigurationState::kCurrent || (same && !written)) return;
  }
  if (written) {
    log_.Write(Level::kInfo, "caBundle written", {{"configuration", Name(kind)}, {"why", why}});
  } else {
    const bool absent = state == ConfigurationState::kAbsent;
    log_.Write(absent ? Level::kInfo : Level::kWarning, "webhook configuration is left alone",
               {{"configuration", Name(kind)}, {"why", why}});
  }
}

void ControllerEvents::OnNote(const std::string& what) { log_.Write(Level::kInfo, what); }

void ControllerEvents::OnSynced() { metrics_.SetSynced(clock_.Now()); }

}  // namespace tpu_admission::app
