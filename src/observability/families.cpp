#include "observability/families.h"

#include <algorithm>

namespace tpu_admission::observability {

prometheus::Family<prometheus::Counter>& Families::Counters(const char* name, const char* help) {
  auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
  Add(family);
  return family;
}

prometheus::Family<prometheus::Gauge>& Families::Gauges(const char* name, const char* help) {
  auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(registry_);
  Add(family);
  return family;
}

void Families::Add(const prometheus::Collectable& family) {
  if (std::find(all_.begin(), all_.end(), &family) == all_.end()) all_.push_back(&family);
}

}  // namespace tpu_admission::observability
