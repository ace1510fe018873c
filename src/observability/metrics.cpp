#include "tpu_admission/observability/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>
#include <sstream>

#include "observability/chip_counters.h"
#include "observability/denial_counters.h"
#include "tpu_admission/base/version.h"
#include "tpu_admission/rules/rule.h"
#include "tpu_admission/workload/kinds.h"

namespace tpu_admission::observability {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Registry;
using HandshakeResult = net::ServerObserver::HandshakeResult;
using Refusal = net::ServerObserver::Refusal;
using admission::kOutcomes;

constexpr std::size_t kOperations = 5;
constexpr std::size_t kModes = 4;
constexpr std::array<std::string_view, 4> kHandshakes = {"ok", "failed", "timeout",
                                                         "no_certificate"};
constexpr std::array<std::string_view, 6> kRefusals = {"connection_cap", "bytes_in_flight",
                                                       "body_too_large", "header_too_large",
                                                       "malformed",      "timeout"};
// What the handler answers; refusals of the transport are counted as shed.
constexpr std::array<unsigned, 6> kStatuses = {200, 400, 404, 405, 415, 500};

// 10 us to 1 s, about three buckets a decade: a review takes tens of microseconds.
const Histogram::BucketBoundaries kDurations = {0.00001, 0.00002, 0.00005, 0.0001, 0.0002, 0.0005,
                                                0.001,   0.002,   0.005,   0.01,   0.02,   0.05,
                                                0.1,     0.2,     0.5,     1.0};

Counter& NewCounter(Registry& registry, const char* name, const char* help,
                    const std::map<std::string, std::string>& labels = {}) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add(labels);
}

Gauge& NewGauge(Registry& registry, const char* name, const char* help,
                const std::map<std::string, std::string>& labels = {}) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add(labels);
}

// A counter per name, all of one family.
template <std::size_t N>
std::array<Counter*, N> NewCounters(Registry& registry, const char* name, const char* help,
                                    const char* label,
                                    const std::array<std::string_view, N>& values) {
  std::array<Counter*, N> counters;
  for (std::size_t i = 0; i < N; ++i) {
    counters[i] = &NewCounter(registry, name, help, {{label, std::string(values[i])}});
  }
  return counters;
}

double Seconds(Clock::Wall time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// The kinds of the table, then "other".
std::vector<std::string_view> KindNames() {
  std::vector<std::string_view> names;
  for (const workload::Kind& kind : workload::Kinds()) names.push_back(kind.name);
  names.push_back("other");
  return names;
}

std::size_t IndexOfKind(const std::vector<std::string_view>& kinds, std::string_view kind) {
  std::size_t index = 0;
  while (index + 1 < kinds.size() && kinds[index] != kind) ++index;
  return index;
}

}  // namespace

struct Metrics::Families {
  Registry registry;
  std::vector<std::string_view> kinds = KindNames();

  // [kind][operation][outcome], [rule][mode] and [rule], resolved at start.
  std::vector<std::array<std::array<Counter*, kOutcomes>, kOperations>> requests;
  std::vector<std::array<Counter*, kModes>> findings;
  std::vector<Counter*> ignored;
  DenialCounters denials{registry};
  ChipCounters chips{registry};

  Histogram& duration = prometheus::BuildHistogram()
                            .Name("tpu_admission_request_duration_seconds")
                            .Help("Time from the whole body read to the answer made.")
                            .Register(registry)
                            .Add({}, kDurations);
  Gauge& connections =
      NewGauge(registry, "tpu_admission_connections", "Open connections on the admission port.");
  Gauge& in_flight =
      NewGauge(registry, "tpu_admission_requests_in_flight", "Requests being answered.");
  std::array<Counter*, kHandshakes.size()> handshakes =
      NewCounters(registry, "tpu_admission_tls_handshakes_total", "TLS handshakes by result.",
                  "result", kHandshakes);
  std::array<Counter*, kRefusals.size()> refusals = NewCounters(
      registry, "tpu_admission_requests_shed_total",
      "Requests or connections refused by the transport, by reason.", "reason", kRefusals);
  std::array<Counter*, kStatuses.size()> statuses{};
  Counter& exceptions = NewCounter(registry, "tpu_admission_handler_exceptions_total",
                                   "Requests answered with 500 because of a bug.");
  Gauge& certificate_expiry =
      NewGauge(registry, "tpu_admission_certificate_expiry_timestamp_seconds",
               "notAfter of the serving certificate; 0 without one.");
  Counter& certificate_loads =
      NewCounter(registry, "tpu_admission_certificate_reloads_total",
                 "Loads of the serving certificate by result.", {{"result", "ok"}});
  Counter& certificate_failures =
      NewCounter(registry, "tpu_admission_certificate_reloads_total",
                 "Loads of the serving certificate by result.", {{"result", "failed"}});
  Gauge& config_ok = NewGauge(registry, "tpu_admission_config_last_reload_successful",
                              "1 if the last reading of catalog and policy succeeded.");
  Gauge& config_time =
      NewGauge(registry, "tpu_admission_config_last_reload_success_timestamp_seconds",
               "When catalog and policy were last read successfully.");
  Gauge& log_dropped = NewGauge(registry, "tpu_admission_log_lines_dropped",
                                "Log lines dropped since start because nobody read them.");
  prometheus::Family<Gauge>& catalog = prometheus::BuildGauge()
                                           .Name("tpu_admission_catalog_info")
                                           .Help("1 for the catalog in use.")
                                           .Register(registry);
  Gauge* catalog_now = nullptr;
  std::mutex catalog_mutex;

  Families() {
    NewGauge(registry, "tpu_admission_build_info", "1 for the running build.",
             {{"version", std::string(Version())}, {"revision", std::string(Revision())}})
        .Set(1);
    for (std::size_t i = 0; i < kStatuses.size(); ++i) {
      statuses[i] = &NewCounter(registry, "tpu_admission_http_responses_total",
                                "Answers of the handler on the admission port by HTTP status.",
                                {{"code", std::to_string(kStatuses[i])}});
    }
    AddRequestCounters();
    AddFindingCounters();
  }

  void AddRequestCounters() {
    auto& family = prometheus::BuildCounter()
                       .Name("tpu_admission_requests_total")
                       .Help("Admission reviews by operation, kind and outcome.")
                       .Register(registry);
    requests.resize(kinds.size());
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      for (std::size_t operation = 0; operation < kOperations; ++operation) {
        for (std::size_t outcome = 0; outcome < kOutcomes; ++outcome) {
          requests[kind][operation][outcome] = &family.Add(
              {{"kind", std::string(kinds[kind])},
               {"operation", std::string(Name(static_cast<k8s::Operation>(operation)))},
               {"outcome", std::string(Name(static_cast<admission::Outcome>(outcome)))}});
        }
      }
    }
  }

  void AddFindingCounters() {
    auto& family = prometheus::BuildCounter()
                       .Name("tpu_admission_findings_total")
                       .Help("Findings by rule and by what became of them.")
                       .Register(registry);
    auto& ignored_family =
        prometheus::BuildCounter()
            .Name("tpu_admission_findings_ignored_total")
            .Help("Findings that are only recorded because their author asked to ignore them.")
            .Register(registry);
    for (const rules::Rule* rule : rules::AllRules()) {
      ignored.push_back(&ignored_family.Add({{"rule", std::string(rule->id)}}));
      std::array<Counter*, kModes> counters{};
      for (const rules::Mode mode : {rules::Mode::kAudit, rules::Mode::kWarn, rules::Mode::kDeny}) {
        counters[static_cast<std::size_t>(mode)] = &family.Add(
            {{"rule", std::string(rule->id)}, {"mode", std::string(rules::Name(mode))}});
      }
      findings.push_back(counters);
    }
  }
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::Count(const admission::Record& record, std::chrono::nanoseconds duration) {
  const std::size_t kind = IndexOfKind(families_->kinds, record.kind);
  families_
      ->requests[kind][static_cast<std::size_t>(record.request.operation)]
                [static_cast<std::size_t>(record.outcome)]
      ->Increment();
  for (const admission::JudgedFinding& judged : record.findings) {
    const std::size_t rule = IndexOf(*judged.finding.rule);
    families_->findings[rule][static_cast<std::size_t>(judged.mode)]->Increment();
    if (!judged.ignored_because.empty()) families_->ignored[rule]->Increment();
    if (Denies(judged))
      families_->denials.Count(*judged.finding.rule, record.request.namespace_name);
  }
  if (record.chips > 0) {
    families_->chips.Count(record.accelerator, record.outcome == admission::Outcome::kDenied,
                           record.chips);
  }
  families_->duration.Observe(std::chrono::duration<double>(duration).count());
}

void Metrics::AddConnections(int delta) { families_->connections.Increment(delta); }
void Metrics::AddInFlight(int delta) { families_->in_flight.Increment(delta); }

void Metrics::Count(HandshakeResult result) {
  families_->handshakes[static_cast<std::size_t>(result)]->Increment();
}

void Metrics::Count(Refusal refusal) {
  families_->refusals[static_cast<std::size_t>(refusal)]->Increment();
}

void Metrics::CountHttpStatus(unsigned status) {
  for (std::size_t i = 0; i < kStatuses.size(); ++i) {
    if (kStatuses[i] == status) families_->statuses[i]->Increment();
  }
}

void Metrics::CountHandlerException() { families_->exceptions.Increment(); }

void Metrics::SetCertificateExpiry(Clock::Wall not_after) {
  families_->certificate_expiry.Set(Seconds(not_after));
}

void Metrics::CountCertificateLoad(bool ok) {
  (ok ? families_->certificate_loads : families_->certificate_failures).Increment();
}

void Metrics::SetCatalog(const tpu::Catalog& catalog) {
  families_->chips.Know(catalog);
  std::lock_guard lock(families_->catalog_mutex);
  if (families_->catalog_now != nullptr) families_->catalog.Remove(families_->catalog_now);
  families_->catalog_now =
      &families_->catalog.Add({{"version", catalog.version()}, {"checksum", catalog.checksum()}});
  families_->catalog_now->Set(1);
}

void Metrics::CountConfigLoad(bool ok, Clock::Wall now) {
  families_->config_ok.Set(ok ? 1 : 0);
  if (ok) families_->config_time.Set(Seconds(now));
}

void Metrics::SetLogLinesDropped(std::size_t total) {
  families_->log_dropped.Set(static_cast<double>(total));
}

std::string Metrics::Text() const {
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families_->registry.Collect());
  return text.str();
}

}  // namespace tpu_admission::observability
