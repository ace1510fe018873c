#include "observability/chip_counters.h"

#include <string>

namespace tpu_admission::observability {

ChipCounters::ChipCounters(prometheus::Registry& registry)
    : family_(prometheus::BuildCounter()
                  .Name("tpu_admission_pod_chips_total")
                  .Help("TPU chips that new Pods asked for, by accelerator.")
                  .Register(registry)) {
  for (const bool denied : {false, true}) Of({}, denied);
}

void ChipCounters::Know(const tpu::Catalog& catalog) {
  for (const tpu::Generation& generation : catalog.generations()) {
    for (const bool denied : {false, true}) Of(generation.label, denied);
  }
}

void ChipCounters::Count(std::string_view accelerator, bool denied, std::int64_t chips) {
  Of(accelerator, denied).Increment(static_cast<double>(chips));
}

prometheus::Counter& ChipCounters::Of(std::string_view accelerator, bool denied) {
  return family_.Add({{"accelerator", accelerator.empty() ? "other" : std::string(accelerator)},
                      {"decision", denied ? "denied" : "allowed"}});
}

}  // namespace tpu_admission::observability
