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
    const std::string place = PointerBelow("/nodeSelector", Key(label));
    if (edit.name == Key(label) || edit.pointer.ends_with(place)) return std::string(name);
  }
  if (!edit.name.empty()) return std::string(edit.name);
  std::vector<std::string> way;
  for (std::string_view left = edit.pointer; !left.empty();) way.push_back(TakePointerToken(left));
  const std::string last = Printable(way.back());
  // The replicas of one of several templates: "Worker replicas", "tasks[0] replicas".
  if ((last == "replicas" || last == "minAvailable") && way.size() > 2) {
    const std::string& parent = way[way.size() - 3];
    if (parent.ends_with("ReplicaSpecs")) return Printable(way[way.size() - 2]) + " " + last;
    if (parent == "tasks") return "tasks[" + Printable(way[way.size() - 2]) + "] " + last;
  }
  const bool is_index = last.find_first_not_of("0123456789") == last.npos;
  if (is_index && way.size() > 1) return Printable(way[way.size() - 2]) + "[" + last + "]";
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

// "/spec/replicatedJobs/0": the element of a list, or the member of a map, that holds the pod set;
// empty: none does.
std::string_view ElementOf(const workload::PodSet& pods) {
  const std::string_view path = pods.row->path;  // "spec/replicatedJobs[]/template"
  const std::size_t list = std::min(path.find("[]"), path.find("{}"));
  if (list == path.npos) return "";
  std::string_view below = pods.pointer;
  for (auto left = std::count(path.begin(), path.begin() + std::ptrdiff_t(list), '/') + 2; left > 0;
       --left) {
    below.remove_prefix(std::min(below.find('/', 1), below.size()));
  }
  return pods.pointer.substr(0, pods.pointer.size() - below.size());
}

bool IsOf(const workload::PodSet& pods, std::string_view pointer) {
  const std::string_view element = ElementOf(pods);
  if (element.empty()) return false;
  return pointer.starts_with(element) && pointer.substr(element.size()).starts_with('/');
}

// "Worker", "tasks[0]": what holds the pods, where they have no name.
std::string ElementName(const workload::PodSet& pods) {
  std::vector<std::string> way;
  for (std::string_view left = ElementOf(pods); !left.empty();)
    way.push_back(TakePointerToken(left));
  if (way.size() < 2) return "";
  const std::string last = Printable(way.back());
  if (pods.row->path.find("{}") < pods.row->path.find("[]")) return last;
  return Printable(way[way.size() - 2]) + "[" + last + "]";
}

// What names the place itself, such as "Worker replicas", behind "Worker: ".
std::string WithoutPlace(std::string changes, std::string name) {
  if (name.size() < 2) return changes;
  name.erase(name.size() - 2, 1);  // "Worker "
  for (std::size_t at = 0; (at = changes.find(name, at)) != changes.npos;) {
    if (at == 0 || std::string_view(changes).substr(0, at).ends_with(", ")) {
      changes.erase(at, name.size());
    } else {
      at += name.size();
    }
  }
  return changes;
}

}  // namespace

std::string What(const Written& written, const Candidate& target) {
  const std::string topology = target.placement.topology.Text();
  const std::int64_t hosts = target.placement.hosts;
  const bool same = written.topology == target.placement.topology && !written.topology_is_said;
  std::string shape = same ? "keep " + topology : topology;
  if (target.asked) {
    return fmt::format("{}, {} of {}", shape, Counted(*target.asked / target.chips_per_pod, "pod"),
                       Counted(target.chips_per_pod, "chip"));
  }
  const std::int64_t copies = written.pods->scale.copies_or_one();
  if (copies > 1 && hosts == 1) {
    return fmt::format("{}, {} pods of {}", shape, copies,
                       Counted(target.placement.topology.chips(), "chip"));
  }
  if (target.slices > 1) {
    return fmt::format("{}, {} slices of {}", shape, target.slices,
                       Counted(target.placement.topology.chips(), "chip"));
  }
  if (hosts == 1 && written.topology != target.placement.topology) {
    return fmt::format("one host, {} in all", Counted(target.placement.topology.chips(), "chip"));
  }
  return fmt::format("{}, {} on {}", shape, Counted(target.placement.topology.chips(), "chip"),
                     Counted(hosts, "host"));
}

bool SaysTopology(std::span<const JsonEdit> edits, const workload::PodSet& pods) {
  if (!pods.pod.spec.required_affinity.empty()) return false;  // the other place may say it
  return std::any_of(edits.begin(), edits.end(), [&](const JsonEdit& edit) {
    return edit.value && edit.pointer.starts_with(pods.pointer) && ShortName(edit) == "topology";
  });
}

std::string_view PlaceOf(const JsonEdit& edit) {
  if (edit.pointer.find("/nodeSelector/") != edit.pointer.npos) return "nodeSelector ";
  return edit.pointer.find("/nodeAffinity/") != edit.pointer.npos ? "affinity " : "";
}

namespace {

// A label and a field of the kind, such as both topologies of a PathwaysJob, have one name.
bool HaveOneName(std::span<const JsonEdit> edits) {
  return std::any_of(edits.begin(), edits.end(), [&](const JsonEdit& edit) {
    return std::any_of(edits.begin(), edits.end(), [&](const JsonEdit& other) {
      return PlaceOf(edit) != PlaceOf(other) && ShortName(edit) == ShortName(other);
    });
  });
}

}  // namespace

std::string Changes(std::span<const JsonEdit> edits, bool has_affinity) {
  has_affinity = has_affinity || HaveOneName(edits);
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

std::string NameBefore(const workload::Workload& workload, const workload::PodSet& pods,
                       bool is_told_alone) {
  if (workload.pod_sets.size() < 2) return "";
  if (!pods.name.empty()) return Printable(pods.name) + ": ";
  const std::string place = is_told_alone ? "" : ElementName(pods);
  return place.empty() ? "" : place + ": ";
}

std::string ChangesBySet(const workload::Workload& workload, std::span<const JsonEdit> edits,
                         bool has_affinity) {
  if (workload.pod_sets.size() < 2) return Changes(edits, has_affinity);
  bool has_name = false;
  std::vector<JsonEdit> left(edits.begin(), edits.end());
  std::vector<std::pair<std::string, std::string>> of_sets;  // name and changes
  for (const workload::PodSet& pods : workload.pod_sets) {
    const auto others = std::stable_partition(
        left.begin(), left.end(), [&](const JsonEdit& edit) { return IsOf(pods, edit.pointer); });
    std::string changes =
        Changes(std::span(left.data(), std::size_t(others - left.begin())), has_affinity);
    left.erase(left.begin(), others);
    has_name = has_name || (!changes.empty() && !pods.name.empty());
    of_sets.emplace_back(NameBefore(workload, pods, false), std::move(changes));
  }
  std::erase_if(of_sets, [](const auto& each) { return each.second.empty(); });
  const bool all = of_sets.size() == workload.pod_sets.size();
  const bool same = all && std::all_of(of_sets.begin(), of_sets.end(), [&](const auto& each) {
                      return each.second == of_sets.front().second;
                    });
  if (same) of_sets.resize(1);
  std::string text = Changes(left, has_affinity);
  if (of_sets.size() == 1 && !has_name) return Changes(edits, has_affinity);
  if (of_sets.size() == 1) return text + (text.empty() ? "" : "; ") + of_sets.front().second;
  for (const auto& [name, changes] : of_sets) {
    text += (text.empty() ? "" : "; ") + name + WithoutPlace(changes, name);
  }
  return text;
}

std::string Repair::Title() const {
  if (chips_before == chips_after || chips_before == 0) return what;
  return fmt::format("{} ({} become{} {})", what, Counted(chips_before, "chip"),
                     chips_before == 1 ? "s" : "", chips_after);
}

}  // namespace tpu_admission::repair
