#include "tpu_admission/observability/audit_journal.h"

#include <algorithm>
#include <array>

#include "observability/metrics.h"

namespace tpu_admission::observability {
namespace {

using cluster::Waste;
using rules::Mode;

constexpr std::array kModes = {Mode::kAudit, Mode::kWarn, Mode::kDeny};
constexpr std::array kAllWastes = {Waste::kIdle,  Waste::kHalfUsed, Waste::kStranded,
                                   Waste::kSplit, Waste::kWaiting,  Waste::kRefused};
static_assert(kAllWastes.size() == cluster::kWastes);

}  // namespace

struct AuditJournal::State {
  explicit State(const Log& log) : metrics(log) {
    for (const rules::Rule* rule : rules::AllRules()) {
      for (const Mode mode : kModes) {
        findings[{rule, mode}] = &metrics.findings.Add(
            {{"rule", std::string(rule->id)}, {"mode", std::string(rules::Name(mode))}});
      }
    }
  }

  AuditMetrics metrics;
  std::map<std::pair<const rules::Rule*, Mode>, Gauge*> findings;
};

AuditJournal::AuditJournal(Log& log, const Clock& clock)
    : log_(log), clock_(clock), state_(std::make_unique<State>(log)) {}
AuditJournal::~AuditJournal() = default;

std::string AuditJournal::MetricsText() const { return state_->metrics.Text(); }

void AuditJournal::OnPass(const audit::Outcome& outcome, Clock::Mono begun) {
  AuditMetrics& metrics = state_->metrics;
  const std::chrono::duration<double> took = clock_.Elapsed() - begun;
  using Result = AuditMetrics::Result;
  metrics.passes[outcome.ok() ? Result::kOk : Result::kFailed].Increment();
  metrics.reports[AuditMetrics::Action::kWritten].Increment(double(outcome.written));
  metrics.reports[AuditMetrics::Action::kDeleted].Increment(double(outcome.deleted));
  constexpr std::size_t kMostTold = 10;
  for (std::size_t i = 0; i < std::min(outcome.errors.size(), kMostTold); ++i) {
    log_.Write(Level::kError, "the audit cannot list or write", {{"what", outcome.errors[i]}});
  }
  for (std::size_t i = 0; i < std::min(outcome.unread.size(), kMostTold); ++i) {
    log_.Write(Level::kWarning, "an object was not judged", {{"what", outcome.unread[i]}});
  }
  log_.Write(Level::kInfo, "audit",
             {{"objects", std::to_string(outcome.objects)},
              {"workloads", std::to_string(outcome.workloads)},
              {"errors", std::to_string(outcome.errors.size())},
              {"not_judged", std::to_string(outcome.unread.size())},
              {"reports", outcome.reports.empty() ? "none" : outcome.reports},
              {"written", std::to_string(outcome.written)},
              {"deleted", std::to_string(outcome.deleted)},
              {"not_counted", std::to_string(outcome.left_out)},
              {"milliseconds", std::to_string(std::int64_t(took.count() * 1000))}});
  if (!outcome.ok()) return;
  metrics.succeeded.Set(Seconds(clock_.Now()));
  metrics.duration.Set(took.count());
  for (const Mode mode : kModes) {
    const auto count = outcome.told.find(mode);
    metrics
        .workloads[mode == Mode::kDeny   ? AuditMetrics::Verdict::kDeny
                   : mode == Mode::kWarn ? AuditMetrics::Verdict::kWarn
                                         : AuditMetrics::Verdict::kAudit]
        .Set(count == outcome.told.end() ? 0 : double(count->second));
  }
  for (const auto& [key, gauge] : state_->findings) {
    const auto count = outcome.findings.find(key);
    gauge->Set(count == outcome.findings.end() ? 0 : double(count->second));
  }
  metrics.chips_in_all.Set(double(outcome.capacity.chips));
  for (const Waste waste : kAllWastes) {
    metrics.chips[waste].Set(double(outcome.capacity.Chips(waste)));
    metrics.found[waste].Set(double(outcome.capacity.Count(waste)));
  }
}

void AuditJournal::OnSettingsError(const std::string& what) {
  log_.Write(Level::kError, "catalog or policy cannot be read: the last good one stays",
             {{"what", what}});
}

}  // namespace tpu_admission::observability
