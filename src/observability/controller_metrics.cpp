#include "tpu_admission/observability/controller_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <sstream>
#include <string_view>

#include "tpu_admission/base/version.h"

namespace tpu_admission::observability {
namespace {

using controller::CertificateKind;
using controller::ConfigurationKind;
using controller::Operation;
using prometheus::Counter;
using prometheus::Gauge;
using Labels = std::map<std::string, std::string>;

// By the values of the enums.
constexpr std::array<std::string_view, 2> kCertificates = {"serving", "ca"};
constexpr std::array<std::string_view, 2> kConfigurations = {"mutating", "validating"};
constexpr std::array<std::string_view, controller::kOperations> kOperations = {
    "elect",           "read_secret", "write_secret", "read_configuration", "write_configuration",
    "make_certificate"};

template <typename Enum>
std::size_t Index(Enum value) {
  return static_cast<std::size_t>(value);
}

double Seconds(Clock::Wall time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

struct ControllerMetrics::Families {
  template <std::size_t N>
  std::array<Gauge*, N> Gauges(const char* name, const char* help, const char* label,
                               const std::array<std::string_view, N>& values) {
    std::array<Gauge*, N> gauges;
    auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(registry);
    for (std::size_t i = 0; i < N; ++i) {
      gauges[i] = &family.Add({{label, std::string(values[i])}});
    }
    return gauges;
  }

  template <std::size_t N>
  std::array<Counter*, N> Counters(const char* name, const char* help, const char* label,
                                   const std::array<std::string_view, N>& values) {
    std::array<Counter*, N> counters;
    auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(registry);
    for (std::size_t i = 0; i < N; ++i) {
      counters[i] = &family.Add({{label, std::string(values[i])}});
    }
    return counters;
  }

  Gauge& OneGauge(const char* name, const char* help, const Labels& labels = {}) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add(labels);
  }

  prometheus::Registry registry;
  Gauge& leader = OneGauge("tpu_admission_controller_leader", "1 while this process leads.");
  Gauge& synced = OneGauge("tpu_admission_controller_last_sync_success_timestamp_seconds",
                           "When the last pass without an error ended; 0 before the first.");
  std::array<Gauge*, 2> expiry =
      Gauges("tpu_admission_controller_certificate_expiry_timestamp_seconds",
             "notAfter of the certificates in the Secret; 0 if not known or not leading.",
             "certificate", kCertificates);
  std::array<Gauge*, 2> managed =
      Gauges("tpu_admission_controller_configuration_managed",
             "1 if caBundle of the configuration is kept by this process.", "configuration",
             kConfigurations);
  std::array<Counter*, 2> issued = Counters("tpu_admission_controller_rotations_total",
                                            "Certificates made.", "certificate", kCertificates);
  std::array<Counter*, 2> written = Counters(
      "tpu_admission_controller_ca_bundle_writes_total",
      "Writes of caBundle, whether first, renewed or repaired.", "configuration", kConfigurations);
  std::array<Counter*, controller::kOperations> errors = Counters(
      "tpu_admission_controller_errors_total", "Operations that failed.", "operation", kOperations);
  Gauge& log_dropped = OneGauge("tpu_admission_log_lines_dropped",
                                "Log lines dropped since start because nobody read them.");

  Families() {
    OneGauge("tpu_admission_build_info", "1 for the running build.",
             {{"version", std::string(Version())}, {"revision", std::string(Revision())}})
        .Set(1);
  }
};

ControllerMetrics::ControllerMetrics() : families_(std::make_unique<Families>()) {}
ControllerMetrics::~ControllerMetrics() = default;

void ControllerMetrics::SetLeader(bool leading) { families_->leader.Set(leading ? 1 : 0); }

void ControllerMetrics::SetExpiry(CertificateKind kind, std::optional<Clock::Wall> not_after) {
  families_->expiry[Index(kind)]->Set(not_after ? Seconds(*not_after) : 0);
}

void ControllerMetrics::SetSynced(Clock::Wall now) { families_->synced.Set(Seconds(now)); }

void ControllerMetrics::SetManaged(ConfigurationKind kind, bool managed) {
  families_->managed[Index(kind)]->Set(managed ? 1 : 0);
}

void ControllerMetrics::CountIssued(CertificateKind kind) {
  families_->issued[Index(kind)]->Increment();
}

void ControllerMetrics::CountWritten(ConfigurationKind kind) {
  families_->written[Index(kind)]->Increment();
}

void ControllerMetrics::CountError(Operation operation) {
  families_->errors[Index(operation)]->Increment();
}

void ControllerMetrics::SetLogLinesDropped(std::size_t total) {
  families_->log_dropped.Set(static_cast<double>(total));
}

std::string ControllerMetrics::Text() const {
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families_->registry.Collect());
  return text.str();
}

}  // namespace tpu_admission::observability
