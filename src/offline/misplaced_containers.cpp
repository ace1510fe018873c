#include "offline/misplaced_containers.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "offline/misspelt_keys.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::offline {
namespace {

using workload::Form;
using workload::PodSetRow;

constexpr std::size_t kMostLists = 10;

bool AskForChips(k8s::JsonView containers) {
  for (std::size_t i = 0; containers.is_array() && i < containers.size(); ++i) {
    const k8s::JsonView resources = containers.Element(i)["resources"];
    for (const char* amounts : {"limits", "requests"}) {
      if (resources[amounts][workload::kTpuResource].has_value()) return true;
    }
  }
  return false;
}

struct MisplacedContainers {
  std::string pointer;  // of the list, in the object
  std::string meant;    // the path where such a list stands; empty: there are several
};

// "spec/template/spec"; nothing of what is no pod.
std::optional<std::string> SpecPath(const PodSetRow& row) {
  if (row.of_policy) return std::nullopt;
  if (row.form == Form::kPodSpec || row.form == Form::kKserve) return std::string(row.path);
  if (row.form != Form::kPod && row.form != Form::kFlinkTemplate) return std::nullopt;
  return std::string(row.path) + (row.path.empty() ? "spec" : "/spec");
}

bool IsServed(const workload::Kind& kind, std::string_view version) {
  std::string_view versions = kind.versions;
  while (!versions.empty()) {
    if (TakeUntil(versions, ' ') == version) return true;
  }
  return false;
}

// Where containers of `row` stand, seen from a list at another place.
struct Route {
  std::string path;        // the indices of the list's own place, as far as it goes there
  std::size_t shared = 0;  // names that both begin with
  bool leads = false;
  bool is_there = false;  // the list stands just there
};

Route RouteTo(const PodSetRow& row, std::string_view spec_path, std::string_view pointer) {
  Route route;
  route.leads = row.leads;
  bool is_same = true;
  const auto take = [&] {
    return is_same && !pointer.empty() ? TakePointerToken(pointer) : std::string();
  };
  std::string path(spec_path);
  path += pointer.substr(pointer.rfind('/'));
  for (std::string_view rest = path; !rest.empty();) {
    std::string_view name = TakeUntil(rest, '/');
    const bool is_list = name.ends_with("[]");
    const bool is_map = name.ends_with("{}");
    if (is_list || is_map) name.remove_suffix(2);
    is_same = take() == name;
    route.shared += is_same;
    route.path += (route.path.empty() ? "" : ".") + std::string(name);
    if (!is_list && !is_map) continue;
    const std::string at = take();
    is_same = is_same && !at.empty();
    route.path += is_list ? "[" + at + "]" : "." + (at.empty() ? "*" : Printable(at));
  }
  route.is_there = is_same && pointer.empty();
  return route;
}

class Search {
 public:
  explicit Search(const workload::Kind& kind) {
    for (const PodSetRow& row : kind.pod_sets) {
      std::optional<std::string> path = SpecPath(row);
      if (path) places_.push_back({row, *std::move(path)});
    }
    is_known_ = !places_.empty() && places_.size() == kind.pod_sets.size() && !kind.serves_others;
  }

  bool is_known() const { return is_known_; }

  void Look(k8s::JsonView value, const std::string& pointer) {
    for (std::size_t i = 0; i < value.size() && found_.size() < kMostLists; ++i) {
      const bool is_map = value.is_object();
      const k8s::JsonView below = is_map ? value.Member(i) : value.Element(i);
      if (!below.is_object() && !below.is_array()) continue;
      const std::string_view key = is_map ? value.MemberKey(i) : "";
      if (pointer.empty() && (key == "metadata" || key == "status")) continue;
      std::string place = is_map ? PointerBelow(pointer, key) : PointerBelow(pointer, i);
      const bool is_list = key == "containers" || key == "initContainers";
      if (is_list && AskForChips(below)) {
        Tell(std::move(place));
      } else {
        Look(below, place);
      }
    }
  }

  std::vector<MisplacedContainers> Take() { return std::move(found_); }

 private:
  struct Place {
    const PodSetRow& row;
    std::string path;
  };

  // What begins like it was meant; of those, the one whose pods have chips.
  void Tell(std::string pointer) {
    std::vector<Route> routes;
    for (const Place& place : places_) routes.push_back(RouteTo(place.row, place.path, pointer));
    const auto rank = [](const Route& route) { return 2 * route.shared + (route.leads ? 0 : 1); };
    const auto is_less = [&](const Route& a, const Route& b) { return rank(a) < rank(b); };
    const Route& best = *std::max_element(routes.begin(), routes.end(), is_less);
    if (best.is_there) return;
    const auto same = std::count_if(routes.begin(), routes.end(),
                                    [&](const Route& route) { return rank(route) == rank(best); });
    found_.push_back({std::move(pointer), same == 1 ? best.path : ""});
  }

  bool is_known_ = false;
  std::vector<Place> places_;
  std::vector<MisplacedContainers> found_;
};

}  // namespace

void TellUnreadPlaces(const workload::Kind& kind, const ManifestObject& object, bool also_near,
                      std::vector<Note>& warnings) {
  const std::vector<MisspeltKey> misspelt = MisspeltKeys(object.json, also_near);
  for (const MisspeltKey& key : misspelt) {
    warnings.push_back({object.PlaceOf(key.pointer).key,
                        FieldPath(key.pointer) + " is no key that is read; did you mean " +
                            std::string(key.meant) + "?"});
  }
  Search search(kind);
  if (!search.is_known() || !IsServed(kind, object.gvk.version)) return;
  search.Look(object.json, "");
  for (const MisplacedContainers& list : search.Take()) {
    const auto is_on_the_way = [&](const MisspeltKey& key) {
      return list.pointer.starts_with(key.pointer + "/");
    };
    if (std::any_of(misspelt.begin(), misspelt.end(), is_on_the_way)) continue;
    const std::string meant = list.meant.empty() ? "" : "; did you mean " + list.meant + "?";
    warnings.push_back({object.PlaceOf(list.pointer).key,
                        FieldPath(list.pointer) + " asks for google.com/tpu, but the kind " +
                            std::string(kind.name) + " has no containers there" + meant});
  }
}

}  // namespace tpu_admission::offline
