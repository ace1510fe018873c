// What every Prometheus client tells of its process, under the names that they all use.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

namespace tpu_admission::observability {

prometheus::MetricFamily CounterFamily(const char* name, const char* help, double value);

// process_cpu_seconds_total and its friends, as they are now. What /proc does not tell is left out.
std::vector<prometheus::MetricFamily> ProcessFamilies();

}  // namespace tpu_admission::observability
