// The chips that new Pods asked for, by accelerator. Only Pods are counted: the objects above them
// ask for the same chips. Safe from any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "observability/families.h"
#include "tpu_admission/base/thread_annotations.h"
#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::observability {

class ChipCounters {
 public:
  explicit ChipCounters(Families& families);

  // From now on every accelerator of the catalog has its counters.
  void Know(const tpu::Catalog& catalog);
  // `accelerator` is of a catalog that is known; everything else is counted as "other".
  void Count(std::string_view accelerator, bool denied, std::int64_t chips);

 private:
  struct Row {
    std::string accelerator;
    std::array<prometheus::Counter*, 2> counters;  // allowed, denied
  };
  using Table = std::vector<Row>;  // the last row: other
  static const Row* Find(const Table& table, std::string_view accelerator);
  Row NewRow(std::string accelerator);

  prometheus::Family<prometheus::Counter>& family_;
  Mutex mutex_;
  // Who counts may still look at an old one.
  std::deque<Table> tables_ TPU_ADMISSION_GUARDED_BY(mutex_);
  std::atomic<const Table*> table_;
};

}  // namespace tpu_admission::observability
