#include "tpu_admission/observability/server_journal.h"

#include <array>

#include "observability/metrics.h"
#include "tpu_admission/base/thread_annotations.h"

namespace tpu_admission::observability {
namespace {

using Status = ServerMetrics::Status;
using Result = ServerMetrics::Result;

std::optional<Status> StatusOf(unsigned status) {
  constexpr std::array kStatuses = {std::pair{200U, Status::k200}, std::pair{400U, Status::k400},
                                    std::pair{404U, Status::k404}, std::pair{405U, Status::k405},
                                    std::pair{415U, Status::k415}, std::pair{500U, Status::k500}};
  for (const auto& [number, known] : kStatuses) {
    if (number == status) return known;
  }
  return std::nullopt;
}

}  // namespace

struct ServerJournal::State {
  explicit State(const Log& log) : metrics(log) {}

  ServerMetrics metrics;
  Mutex mutex;
  Gauge* catalog TPU_ADMISSION_GUARDED_BY(mutex) = nullptr;
};

ServerJournal::ServerJournal(Log& log) : log_(log), state_(std::make_unique<State>(log)) {}
ServerJournal::~ServerJournal() = default;

std::string ServerJournal::MetricsText() const { return state_->metrics.Text(); }

void ServerJournal::OnConnections(int delta) { state_->metrics.connections.Increment(delta); }

void ServerJournal::OnHandshake(HandshakeResult result) {
  state_->metrics.handshakes[result].Increment();
}

void ServerJournal::OnRefusal(Refusal refusal) { state_->metrics.refusals[refusal].Increment(); }

void ServerJournal::OnRequestStarted() { state_->metrics.in_flight.Increment(); }

void ServerJournal::OnRequestFinished(unsigned status) {
  state_->metrics.in_flight.Decrement();
  if (const auto known = StatusOf(status)) state_->metrics.statuses[*known].Increment();
}

void ServerJournal::OnHandlerException(const char* what) {
  state_->metrics.exceptions.Increment();
  log_.Write(Level::kError, "a request met a bug and was answered with 500", {{"what", what}});
}

void ServerJournal::OnCertificateLoaded(Clock::Wall not_after, const std::string& subject) {
  state_->metrics.certificate_expiry.Set(Seconds(not_after));
  state_->metrics.certificate_loads[Result::kOk].Increment();
  log_.Write(Level::kInfo, "certificate loaded",
             {{"subject", subject}, {"not_after", UtcText(not_after)}});
}

void ServerJournal::OnCertificateError(const std::string& what) {
  state_->metrics.certificate_loads[Result::kFailed].Increment();
  log_.Write(Level::kError, "certificate not loaded", {{"what", what}});
}

void ServerJournal::OnReview(const admission::Record& record, const Log::Call& call) {
  ServerMetrics& metrics = state_->metrics;
  metrics.requests.Count(call.endpoint, record);
  metrics.durations.Observe(call.endpoint, call.duration);
  for (const admission::JudgedFinding& judged : record.findings) {
    if (call.endpoint == admission::Endpoint::kMutate) {
      metrics.findings.CountFix(*judged.finding.rule);
      continue;
    }
    metrics.findings.Count(judged);
    if (judged.would_be == rules::Mode::kDeny) {
      metrics.denials.Count(judged, record.request.namespace_name);
    }
  }
  if (record.chips > 0) {
    const bool denied = record.outcome == admission::Outcome::kDenied;
    metrics.chips.Count(record.accelerator, denied, record.chips);
  }
  log_.WriteDecision(record, call);
}

void ServerJournal::OnSettings(const tpu::Catalog& catalog, Clock::Wall now) {
  ServerMetrics& metrics = state_->metrics;
  metrics.chips.Know(catalog);
  metrics.config_ok.Set(1);
  metrics.config_time.Set(Seconds(now));
  {
    const MutexLock lock(state_->mutex);
    if (state_->catalog != nullptr) metrics.catalog.Remove(state_->catalog);
    state_->catalog = &metrics.catalog.Add({{"version", std::string(catalog.version())},
                                            {"checksum", std::string(catalog.checksum())}});
    state_->catalog->Set(1);
  }
  log_.Write(Level::kInfo, "catalog and policy loaded",
             {{"catalog_version", catalog.version()}, {"catalog_sha256", catalog.checksum()}});
}

void ServerJournal::OnSettingsError(const std::string& what) {
  state_->metrics.config_ok.Set(0);
  log_.Write(Level::kError, "catalog or policy not loaded, the last good ones stay",
             {{"what", what}});
}

}  // namespace tpu_admission::observability
