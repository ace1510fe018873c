#include "observability/metric_set.h"

#include <prometheus/text_serializer.h>

#include <sstream>
#include <utility>

#include "observability/process_metrics.h"
#include "tpu_admission/base/version.h"

namespace tpu_admission::observability {

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
  return families_.Counters(name, help).Add(labels);
}

prometheus::Gauge& MetricSet::NewGauge(const char* name, const char* help,
                                       const prometheus::Labels& labels) {
  return families_.Gauges(name, help).Add(labels);
}

std::string MetricSet::Text() const {
  std::ostringstream text;
  const prometheus::TextSerializer serializer;
  for (const prometheus::Collectable* family : families_.all()) {
    serializer.Serialize(text, family->Collect());
  }
  serializer.Serialize(text, {CounterFamily("tpu_admission_log_lines_dropped_total",
                                            "Log lines that nobody took, or that could not be "
                                            "written.",
                                            static_cast<double>(log_.lines_dropped()))});
  serializer.Serialize(text, ProcessFamilies());
  return std::move(text).str();
}

}  // namespace tpu_admission::observability
