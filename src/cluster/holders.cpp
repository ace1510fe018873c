#include "cluster/holders.h"

#include <algorithm>

#include "tpu_admission/base/text.h"

namespace tpu_admission::cluster {
namespace {

std::string HolderOf(const PodFacts& pod) {
  const bool owned = !pod.owner_name.empty();
  return pod.InNamespace(owned ? pod.owner_kind + " " + Quoted(pod.owner_name, 253) : pod.Title());
}

}  // namespace

bool Holders::Take(const PodFacts& pod) {
  if (pod.chips == 0 || pod.node.empty() || pod.done()) return true;
  if (pods_ >= most_) return false;
  ++pods_;
  chips_[pod.node][HolderOf(pod)] += pod.chips;
  return true;
}

void Holders::Clear() {
  pods_ = 0;
  chips_.clear();
}

void Holders::Put(Snapshot& snapshot) const {
  std::map<std::string, std::int64_t> chips;  // by holder
  for (const NodeFacts& node : snapshot.nodes) {
    const bool wished =
        std::any_of(snapshot.wishes.begin(), snapshot.wishes.end(),
                    [&](const WishFacts& wish) { return wish.Shape() == node.Shape(); });
    const auto held = chips_.find(node.name);
    if (!wished || held == chips_.end()) continue;
    for (const auto& [holder, count] : held->second) chips[holder] += count;
  }
  for (const ObjectFacts& own : snapshot.owners) {
    chips.erase(own.InNamespace(own.Title()));
  }
  std::vector<std::pair<std::int64_t, std::string>> sorted;
  for (const auto& [holder, count] : chips) sorted.emplace_back(count, holder);
  std::sort(sorted.rbegin(), sorted.rend());
  constexpr std::size_t kMostHolders = 5;
  for (const auto& [count, holder] : sorted) {
    if (snapshot.holders.size() == kMostHolders) break;
    snapshot.holders.push_back(holder + ": " + std::to_string(count) + " chips");
  }
}

}  // namespace tpu_admission::cluster
