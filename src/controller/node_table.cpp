#include "controller/node_table.h"

#include <algorithm>

namespace tpu_admission::controller {
namespace {

Clock::Wall StartOf(const Day& day) {
  return std::chrono::sys_days(std::chrono::year(day.year) / day.month / day.day);
}

}  // namespace

using tpu::SeenShape;
using tpu::SeenShapes;

void NodeTable::Replace(const std::vector<Node>& nodes, Clock::Wall now) {
  const MutexLock lock(mutex_);
  Clear(now);
  for (const Node& node : nodes) Add(node);
  current_ = now;
}

void NodeTable::Put(const Node& node, Clock::Wall now) {
  const MutexLock lock(mutex_);
  Drop(node.name, now);
  Add(node);
}

void NodeTable::Remove(const std::string& name, Clock::Wall now) {
  const MutexLock lock(mutex_);
  Drop(name, now);
}

void NodeTable::Touch(Clock::Wall now) {
  const MutexLock lock(mutex_);
  if (current_) current_ = now;
}

void NodeTable::Remember(const SeenShapes& earlier) {
  const MutexLock lock(mutex_);
  for (const SeenShape& shape : earlier.shapes) {
    Row& row = rows_[{shape.accelerator, shape.topology, shape.chips}];
    row.most_nodes = std::max(row.most_nodes, shape.most_nodes);
    if (row.last_pool.empty()) row.last_pool = shape.pool;
    const Clock::Wall seen = shape.seen ? StartOf(*shape.seen) : WallOf(earlier.current);
    row.seen = std::max(row.seen, seen);
  }
}

void NodeTable::Forget() {
  const MutexLock lock(mutex_);
  if (!current_) return;
  Clear(*current_);
  current_.reset();
}

void NodeTable::Add(const Node& node) {
  if (node.shape.accelerator.empty() || node.shape.topology.empty()) return;
  // Shapes stay when their nodes go.
  const bool one_too_many = rows_.size() >= kMostNodes && !rows_.contains(node.shape);
  if (nodes_.size() >= kMostNodes || one_too_many) {
    too_many_ = true;
    return;
  }
  const auto row = rows_.try_emplace(node.shape).first;
  const auto pool = row->second.pools.try_emplace(node.pool, 0).first;
  ++pool->second;
  ++row->second.nodes;
  row->second.most_nodes = std::max(row->second.most_nodes, row->second.nodes);
  nodes_.emplace(node.name, Place{row, pool});
}

void NodeTable::Drop(const std::string& name, Clock::Wall now) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  const auto [row, pool] = found->second;
  row->second.last_pool = pool->first;
  row->second.seen = now;
  --row->second.nodes;
  if (--pool->second == 0) row->second.pools.erase(pool);
  nodes_.erase(found);
}

void NodeTable::Clear(Clock::Wall now) {
  for (auto& [shape, row] : rows_) {
    if (row.nodes == 0) continue;
    row.last_pool = row.pools.begin()->first;
    row.seen = now;
    row.nodes = 0;
    row.pools.clear();
  }
  nodes_.clear();
  too_many_ = false;
}

std::optional<SeenShapes> NodeTable::Record() {
  const MutexLock lock(mutex_);
  if (!current_) return std::nullopt;
  const auto now = *current_;
  std::erase_if(rows_, [&](const auto& each) {
    return each.second.nodes == 0 && now - each.second.seen > kRemembered;
  });
  std::vector<const Rows::value_type*> order;
  for (const auto& each : rows_) order.push_back(&each);
  // Those that have nodes, then those that had some last, as many as a record holds.
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->second.nodes > 0 ? b->second.nodes == 0
                               : b->second.nodes == 0 && a->second.seen > b->second.seen;
  });
  SeenShapes record;
  record.current = std::chrono::system_clock::to_time_t(now);
  record.autoscaler = too_many_ || order.size() > SeenShapes::kMost;
  order.resize(std::min(order.size(), SeenShapes::kMost));
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  for (const auto* each : order) {
    const auto& [shape, row] = *each;
    const bool gone = row.nodes == 0;
    record.shapes.push_back({.accelerator = shape.accelerator,
                             .topology = shape.topology,
                             .chips = shape.chips,
                             .nodes = row.nodes,
                             .most_nodes = row.most_nodes,
                             .pools = std::int64_t(row.pools.size()),
                             .pool = gone ? row.last_pool : row.pools.begin()->first,
                             .seen = gone ? std::optional(DayOf(row.seen)) : std::nullopt});
  }
  return record;
}

}  // namespace tpu_admission::controller
