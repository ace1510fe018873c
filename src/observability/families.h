// The families of metrics of one process. Each can be asked by itself, so that a scrape holds the
// series of one at a time. Registering is not safe beside a scrape; it happens at start.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <vector>

namespace tpu_admission::observability {

class Families {
 public:
  // The family of this name, whose series are added to it; made when it is asked for first.
  prometheus::Family<prometheus::Counter>& Counters(const char* name, const char* help);
  prometheus::Family<prometheus::Gauge>& Gauges(const char* name, const char* help);
  // What counts by itself; it must live as long as this.
  void Add(const prometheus::Collectable& family);

  const std::vector<const prometheus::Collectable*>& all() const { return all_; }

 private:
  prometheus::Registry registry_;  // owns what Counters() and Gauges() give
  std::vector<const prometheus::Collectable*> all_;
};

}  // namespace tpu_admission::observability
