#include "observability/metric_set.h"

#include <prometheus/text_serializer.h>

#include <iterator>
#include <sstream>
#include <utility>

#include "observability/process_metrics.h"
#include "tpu_admission/base/version.h"

namespace tpu_admission::observability {

using prometheus::MetricFamily;

double Seconds(Clock::Wall time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

MetricSet::MetricSet(const Log& log) : log_(log) {
  NewGauge("tpu_admission_build_info", "1 for the running build.",
           {{"version", std::string(Version())}, {"revision", std::string(Revision())}})
      .Set(1);
}

prometheus::Counter& MetricSet::NewCounter(const char* name, const char* help,
                                           const prometheus::Labels& labels) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add(labels);
}

prometheus::Gauge& MetricSet::NewGauge(const char* name, const char* help,
                                       const prometheus::Labels& labels) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels);
}

std::string MetricSet::Text() const {
  std::vector<MetricFamily> families = registry_.Collect();
  for (const prometheus::Collectable* asked : asked_) {
    std::vector<MetricFamily> more = asked->Collect();
    std::move(more.begin(), more.end(), std::back_inserter(families));
  }
  families.push_back(CounterFamily("tpu_admission_log_lines_dropped_total",
                                   "Log lines that nobody took, or that could not be written.",
                                   static_cast<double>(log_.lines_dropped())));
  for (MetricFamily& family : ProcessFamilies()) families.push_back(std::move(family));
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families);
  return std::move(text).str();
}

}  // namespace tpu_admission::observability
