#include "tpu_admission/observability/controller_journal.h"

#include <map>

#include "observability/metrics.h"
#include "tpu_admission/base/thread_annotations.h"

namespace tpu_admission::observability {
namespace {

using controller::CertificateKind;
using controller::ConfigurationKind;
using controller::ConfigurationState;

constexpr std::chrono::seconds kRepeatEvery{60};

std::string_view Name(ConfigurationKind kind) {
  return kind == ConfigurationKind::kMutating ? "mutating" : "validating";
}

std::string_view Name(controller::Operation operation) {
  switch (operation) {
    case controller::Operation::kElect:
      return "leader election";
    case controller::Operation::kReadSecret:
      return "reading the Secret";
    case controller::Operation::kWriteSecret:
      return "writing the Secret";
    case controller::Operation::kReadConfiguration:
      return "reading a webhook configuration";
    case controller::Operation::kWriteConfiguration:
      return "writing a webhook configuration";
    case controller::Operation::kMakeCertificate:
      return "making a certificate";
    case controller::Operation::kWatchNodes:
      return "watching the nodes";
    case controller::Operation::kReadNodeRecord:
      return "reading the record of nodes";
    case controller::Operation::kWriteNodeRecord:
      return "writing the record of nodes";
  }
  return "";
}

}  // namespace

struct ControllerJournal::State {
  struct Told {
    std::string what;
    Clock::Mono when;
  };
  struct Configuration {
    ConfigurationState state;
    std::string why;
    friend bool operator==(const Configuration&, const Configuration&) = default;
  };

  explicit State(const Log& log) : metrics(log) {}

  ControllerMetrics metrics;
  Mutex mutex;
  std::map<controller::Operation, Told> errors TPU_ADMISSION_GUARDED_BY(mutex);
  std::map<ConfigurationKind, Configuration> configurations TPU_ADMISSION_GUARDED_BY(mutex);
};

ControllerJournal::ControllerJournal(Log& log, const Clock& clock,
                                     std::function<void()> on_leadership)
    : log_(log),
      clock_(clock),
      on_leadership_(std::move(on_leadership)),
      state_(std::make_unique<State>(log)) {}
ControllerJournal::~ControllerJournal() = default;

std::string ControllerJournal::MetricsText() const { return state_->metrics.Text(); }

void ControllerJournal::OnLeadership(bool leading) {
  state_->metrics.leader.Set(leading ? 1 : 0);
  log_.Write(Level::kInfo, leading ? "leading" : "not leading any more");
  on_leadership_();
}

void ControllerJournal::OnStandby() {
  for (const auto kind : {CertificateKind::kServing, CertificateKind::kAuthority}) {
    state_->metrics.expiry[kind].Set(0);
  }
  for (const auto kind : {ConfigurationKind::kMutating, ConfigurationKind::kValidating}) {
    state_->metrics.managed[kind].Set(0);
  }
  const MutexLock lock(state_->mutex);
  state_->configurations.clear();
}

void ControllerJournal::OnError(controller::Operation operation, const std::string& what) {
  state_->metrics.errors[operation].Increment();
  {
    const MutexLock lock(state_->mutex);
    State::Told& told = state_->errors[operation];
    if (told.what == what && clock_.Elapsed() - told.when < kRepeatEvery) return;
    told = {what, clock_.Elapsed()};
  }
  log_.Write(Level::kError, "failed, will try again",
             {{"operation", Name(operation)}, {"what", what}});
}

void ControllerJournal::OnIssued(CertificateKind kind, const std::string& why) {
  state_->metrics.issued[kind].Increment();
  log_.Write(Level::kInfo, "certificate made",
             {{"certificate", kind == CertificateKind::kServing ? "serving" : "ca"}, {"why", why}});
}

void ControllerJournal::OnExpiry(CertificateKind kind, std::optional<Clock::Wall> not_after) {
  state_->metrics.expiry[kind].Set(not_after ? Seconds(*not_after) : 0);
}

void ControllerJournal::OnConfiguration(ConfigurationKind kind, ConfigurationState state,
                                        const std::string& why) {
  if (state == ConfigurationState::kFailed) return;  // an error tells more
  const bool written = state == ConfigurationState::kWritten;
  const bool managed = written || state == ConfigurationState::kCurrent;
  state_->metrics.managed[kind].Set(managed ? 1 : 0);
  if (written) state_->metrics.written[kind].Increment();
  {
    const MutexLock lock(state_->mutex);
    const State::Configuration now{state, why};
    const auto [entry, is_new] = state_->configurations.try_emplace(kind, now);
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

void ControllerJournal::OnNote(const std::string& what) { log_.Write(Level::kInfo, what); }

void ControllerJournal::OnSynced() { state_->metrics.synced.Set(Seconds(clock_.Now())); }

}  // namespace tpu_admission::observability
