// Every metric of every face. A new metric is one member here; it exists from the start.
#pragma once

#include "observability/chip_counters.h"
#include "observability/denial_counters.h"
#include "observability/duration_histogram.h"
#include "observability/finding_counters.h"
#include "observability/metric_set.h"
#include "observability/request_counters.h"
#include "tpu_admission/cluster/capacity.h"
#include "tpu_admission/controller/observer.h"
#include "tpu_admission/net/server.h"

namespace tpu_admission::observability {

using prometheus::Counter;
using prometheus::Gauge;

// Labels of a metric with one are in the order of the enum.
struct ServerMetrics : MetricSet {
  using Observer = net::ServerObserver;
  enum class Result { kOk, kFailed };
  enum class Status { k200, k400, k404, k405, k415, k500 };  // what handlers answer

  explicit ServerMetrics(const Log& log) : MetricSet(log) {}

  RequestCounters requests{families_};
  FindingCounters findings{families_};
  ChipCounters chips{families_};
  Asked<DenialCounters> denials{*this};
  Asked<DurationHistogram> durations{*this};

  Gauge& connections =
      NewGauge("tpu_admission_connections", "Open connections on the admission port.");
  Gauge& in_flight = NewGauge("tpu_admission_requests_in_flight", "Requests being answered.");
  Counters<Observer::HandshakeResult, 4> handshakes{*this,
                                                    "tpu_admission_tls_handshakes_total",
                                                    "TLS handshakes by result.",
                                                    "result",
                                                    {"ok", "failed", "timeout", "no_certificate"}};
  Counters<Observer::Refusal, 6> refusals{
      *this,
      "tpu_admission_requests_shed_total",
      "Requests or connections refused by the transport, by reason.",
      "reason",
      {"connection_cap", "bytes_in_flight", "body_too_large", "header_too_large", "malformed",
       "timeout"}};
  Counters<Status, 6> statuses{*this,
                               "tpu_admission_http_responses_total",
                               "Answers of the handler on the admission port by HTTP status.",
                               "code",
                               {"200", "400", "404", "405", "415", "500"}};
  Counter& exceptions = NewCounter("tpu_admission_handler_exceptions_total",
                                   "Requests answered with 500 because of a bug.");
  Gauge& certificate_expiry = NewGauge("tpu_admission_certificate_expiry_timestamp_seconds",
                                       "notAfter of the serving certificate; 0 without one.");
  Counters<Result, 2> certificate_loads{*this,
                                        "tpu_admission_certificate_reloads_total",
                                        "Loads of the serving certificate by result.",
                                        "result",
                                        {"ok", "failed"}};
  Gauge& config_ok = NewGauge("tpu_admission_config_last_reload_successful",
                              "1 if the last reading of catalog and policy succeeded.");
  Gauge& config_time = NewGauge("tpu_admission_config_last_reload_success_timestamp_seconds",
                                "When catalog and policy were last read successfully.");
  prometheus::Family<Gauge>& catalog =
      families_.Gauges("tpu_admission_catalog_info", "1 for the catalog in use.");
};

struct ControllerMetrics : MetricSet {
  explicit ControllerMetrics(const Log& log) : MetricSet(log) {}

  Gauge& leader = NewGauge("tpu_admission_controller_leader", "1 while this process leads.");
  Gauge& synced = NewGauge("tpu_admission_controller_last_sync_success_timestamp_seconds",
                           "When the last pass without an error ended; 0 before the first.");
  Gauges<controller::CertificateKind, 2> expiry{
      *this,
      "tpu_admission_controller_certificate_expiry_timestamp_seconds",
      "notAfter of the certificates in the Secret; 0 if not known or not leading.",
      "certificate",
      {"serving", "ca"}};
  Gauges<controller::ConfigurationKind, 2> managed{
      *this,
      "tpu_admission_controller_configuration_managed",
      "1 if caBundle of the configuration is kept by this process.",
      "configuration",
      {"mutating", "validating"}};
  Counters<controller::CertificateKind, 2> issued{*this,
                                                  "tpu_admission_controller_rotations_total",
                                                  "Certificates made.",
                                                  "certificate",
                                                  {"serving", "ca"}};
  Counters<controller::ConfigurationKind, 2> written{
      *this,
      "tpu_admission_controller_ca_bundle_writes_total",
      "Writes of caBundle, whether first, renewed or repaired.",
      "configuration",
      {"mutating", "validating"}};
  Counters<controller::Operation, controller::kOperations> errors{
      *this,
      "tpu_admission_controller_errors_total",
      "Operations that failed.",
      "operation",
      {"elect", "read_secret", "write_secret", "read_configuration", "write_configuration",
       "make_certificate", "watch_nodes", "read_node_record", "write_node_record"}};
};

// Of the last pass without errors; all 0 before the first.
struct AuditMetrics : MetricSet {
  enum class Result { kOk, kFailed };
  enum class Action { kWritten, kDeleted };
  enum class Verdict { kAudit, kWarn, kDeny };

  explicit AuditMetrics(const Log& log) : MetricSet(log) {}

  Gauge& succeeded = NewGauge("tpu_admission_audit_last_success_timestamp_seconds",
                              "When the last pass without an error ended; 0 before the first.");
  Gauge& duration = NewGauge("tpu_admission_audit_duration_seconds", "How long that pass took.");
  Counters<Result, 2> passes{*this,
                             "tpu_admission_audit_passes_total",
                             "Passes over the cluster by result.",
                             "result",
                             {"ok", "failed"}};
  Counters<Action, 2> reports{*this,
                              "tpu_admission_audit_reports_total",
                              "Reports that were written or deleted.",
                              "action",
                              {"written", "deleted"}};
  Gauges<Verdict, 3> workloads{*this,
                               "tpu_admission_audit_workloads",
                               "Workloads in the cluster by the mode of their hardest finding.",
                               "mode",
                               {"audit", "warn", "deny"}};
  prometheus::Family<Gauge>& findings =
      families_.Gauges("tpu_admission_audit_findings", "Findings in the cluster by rule and mode.");
  Gauge& chips_in_all =
      NewGauge("tpu_admission_audit_chips", "Chips of all TPU nodes, as they allot them.");
  Gauges<cluster::Waste, cluster::kWastes> chips{
      *this,
      "tpu_admission_audit_wasted_chips",
      "Chips that lie idle in usable pools, half-used or stranded slices; that split slices or "
      "waiting gangs hold; that refused pods asked for.",
      "waste",
      {"idle", "half_used", "stranded", "split", "waiting", "refused"}};
  Gauges<cluster::Waste, cluster::kWastes> found{
      *this,
      "tpu_admission_audit_wastes",
      "Pools with idle chips, half-used, stranded and split slices, waiting gangs, refused pods.",
      "waste",
      {"idle", "half_used", "stranded", "split", "waiting", "refused"}};
};

}  // namespace tpu_admission::observability
