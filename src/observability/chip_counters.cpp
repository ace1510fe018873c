#include "observability/chip_counters.h"

#include <algorithm>

namespace tpu_admission::observability {

ChipCounters::ChipCounters(Families& families)
    : family_(families.Counters("tpu_admission_pod_chips_total",
                                "TPU chips that new Pods asked for, by accelerator.")),
      tables_{{NewRow("other")}},
      table_(&tables_.back()) {}

ChipCounters::Row ChipCounters::NewRow(std::string accelerator) {
  Row row{std::move(accelerator), {}};
  for (const bool denied : {false, true}) {
    row.counters[denied ? 1 : 0] = &family_.Add(
        {{"accelerator", row.accelerator}, {"decision", denied ? "denied" : "allowed"}});
  }
  return row;
}

const ChipCounters::Row* ChipCounters::Find(const Table& table, std::string_view accelerator) {
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const Row& one) { return one.accelerator == accelerator; });
  return row == table.end() ? nullptr : &*row;
}

void ChipCounters::Know(const tpu::Catalog& catalog) {
  const MutexLock lock(mutex_);
  Table table = tables_.back();
  for (const tpu::Generation& generation : catalog.generations()) {
    if (generation.label.empty() || Find(table, generation.label) != nullptr) continue;
    table.insert(table.begin(), NewRow(std::string(generation.label)));
  }
  if (table.size() == tables_.back().size()) return;
  tables_.push_back(std::move(table));
  table_.store(&tables_.back(), std::memory_order_release);
}

void ChipCounters::Count(std::string_view accelerator, bool denied, std::int64_t chips) {
  const Table& table = *table_.load(std::memory_order_acquire);
  const Row* row = Find(table, accelerator);
  const Row& found = row != nullptr ? *row : table.back();
  found.counters[denied ? 1 : 0]->Increment(static_cast<double>(chips));
}

}  // namespace tpu_admission::observability
