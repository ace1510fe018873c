// The chips that new Pods asked for, by accelerator. Only Pods are counted: the objects above them
// ask for the same chips. Safe from any thread.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <string_view>

#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::observability {

class ChipCounters {
 public:
  explicit ChipCounters(prometheus::Registry& registry);

  // From now on every accelerator of the catalog has its counters.
  void Know(const tpu::Catalog& catalog);
  // `accelerator` is of a catalog that is known, or empty: counted as "other".
  void Count(std::string_view accelerator, bool denied, std::int64_t chips);

 private:
  prometheus::Counter& Of(std::string_view accelerator, bool denied);

  prometheus::Family<prometheus::Counter>& family_;
};

}  // namespace tpu_admission::observability
