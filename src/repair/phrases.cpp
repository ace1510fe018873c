#include "repair/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/repair/repair.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::repair {
namespace {

using k8s::JsonEdit;

// What people call what is edited: "topology", "containers[0] google.com/tpu", "parallelism".
std::string ShortName(const JsonEdit& edit) {
  for (const auto& [label, name] :
       {std::pair<workload::NodeLabel, std::string_view>{workload::NodeLabel::kAccelerator,
                                                         "accelerator"},
        {workload::NodeLabel::kTopology, "topology"},
        {workload::NodeLabel::kAcceleratorCount, "gke-accelerator-count"},
        {workload::NodeLabel::kMachineType, "machine type"}}) {
    std::string place = "/nodeSelector";
    AppendPointerToken(place, Key(label));
    if (edit.name == Key(label) || edit.pointer.ends_with(place)) return std::string(name);
  }
  if (!edit.name.empty()) return std::string(edit.name);
  std::vector<std::string> way;
  for (std::string_view left = edit.pointer; !left.empty();) way.push_back(TakePointerToken(left));
  const std::string last = Printable(way.back());
  // The replicas of one of several templates: "Worker replicas", "tasks[0] replicas".
  if (last == "replicas" && way.size() > 2) {
    const std::string& parent = way[way.size() - 3];
    if (parent.ends_with("ReplicaSpecs")) return Printable(way[way.size() - 2]) + " replicas";
    if (parent == "tasks") return "tasks[" + Printable(way[way.size() - 2]) + "] replicas";
  }
  const bool amount = way.size() > 4 && way[way.size() - 3] == "resources";
  if (!amount) return last;
  // "containers[0]", or "container" and "model" where a kind has but one.
  const std::string& place = way[way.size() - 4];
  const bool in_list = place.find_first_not_of("0123456789") == place.npos;
  const std::string container =
      (in_list ? way[way.size() - 5] + "[" + place + "]" : Printable(place)) + " ";
  if (last == workload::kTpuResource) return container + last;
  return container + (way[way.size() - 2] == "requests" ? "request of " : "limit of ") + last;
}

}  // namespace

std::string Plural(std::int64_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string What(const Written& written, const Candidate& target) {
  const std::string topology = target.placement.topology.Text();
  const std::int64_t hosts = target.placement.hosts;
  std::string shape = written.topology == target.placement.topology ? "keep " + topology : topology;
  if (target.slices > 1) {
    return fmt::format("{}, {} slices of {}", shape, target.slices,
                       Plural(target.placement.topology.chips(), "chip"));
  }
  if (hosts == 1 && written.topology != target.placement.topology) {
    return fmt::format("one host, {} in all", Plural(target.placement.topology.chips(), "chip"));
  }
  return fmt::format("{}, {} on {}", shape, Plural(target.placement.topology.chips(), "chip"),
                     Plural(hosts, "host"));
}

std::string_view PlaceOf(const JsonEdit& edit) {
  if (edit.pointer.find("/nodeSelector/") != edit.pointer.npos) return "nodeSelector ";
  return edit.pointer.find("/nodeAffinity/") != edit.pointer.npos ? "affinity " : "";
}

std::string Changes(std::span<const JsonEdit> edits, bool has_affinity) {
  std::string text;
  std::vector<std::string> said;
  std::string_view place;
  for (const JsonEdit& edit : edits) {
    std::string change = ShortName(edit) + ": " + workload::Shown(edit);
    const std::string_view before = std::exchange(place, has_affinity ? PlaceOf(edit) : "");
    const std::string full = std::string(place) + change;
    if (std::find(said.begin(), said.end(), full) != said.end()) continue;
    text += (text.empty() ? "" : ", ") + (place == before ? change : full);
    said.push_back(full);
  }
  return text;
}

std::string Repair::Title() const {
  if (chips_before == chips_after || chips_before == 0) return what;
  return fmt::format("{} ({} become{} {})", what, Plural(chips_before, "chip"),
                     chips_before == 1 ? "s" : "", chips_after);
}

}  // namespace tpu_admission::repair
