#include "cluster/orphans.h"

#include <functional>
#include <string_view>
#include <utility>

#include "tpu_admission/base/text.h"

namespace tpu_admission::cluster {
namespace {

using k8s::JsonView;

std::size_t HashOf(std::string_view uid) {
  return std::hash<std::string>()("uid " + std::string(uid));
}
std::size_t HashOf(std::string_view kind, std::string_view space, std::string_view name) {
  return std::hash<std::string>()(std::string(kind) + " " + std::string(space) + "/" +
                                  std::string(name));
}

// The reference to the controller; absent if there is none.
JsonView ControllerOf(JsonView object) {
  const JsonView owners = object["metadata"]["ownerReferences"];
  JsonView controller;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners.Element(i)["controller"].IsTrue()) controller = owners.Element(i);
  }
  return controller;
}

// By uid; what people write by hand has none.
std::size_t OwnerOf(JsonView object) {
  const JsonView owner = ControllerOf(object);
  const std::string_view uid = owner["uid"].StringOr("");
  if (!uid.empty()) return HashOf(uid);
  return HashOf(owner["kind"].StringOr(""), object["metadata"]["namespace"].StringOr(""),
                owner["name"].StringOr(""));
}

// Alike for the pods of one template.
std::string FaultsOf(const ScannedWorkload& told) {
  std::string faults;
  for (const ScanFinding& finding : told.findings) {
    faults += ' ' + std::string(finding.rule->id) + finding.pointer;
  }
  for (const rules::Rule* rule : told.fixed) faults += " +" + std::string(rule->id);
  for (const std::string& note : told.notes) faults += '\n' + note;
  return faults;
}

}  // namespace

void Orphans::Saw(JsonView object) {
  const JsonView metadata = object["metadata"];
  const std::string_view uid = metadata["uid"].StringOr("");
  if (!uid.empty()) seen_.insert(HashOf(uid));
  seen_.insert(HashOf(object["kind"].StringOr(""), metadata["namespace"].StringOr(""),
                      metadata["name"].StringOr("")));
}

bool Orphans::HasOwner(JsonView object) const { return seen_.contains(OwnerOf(object)); }

ScannedWorkload* Orphans::Hold(JsonView object, ScannedWorkload told) {
  const std::size_t owner = OwnerOf(object);
  const std::string key = std::to_string(owner) + FaultsOf(told);
  const auto known = held_.find(key);
  if (known != held_.end()) {
    ++known->second.count;
    return nullptr;
  }
  if (held_.size() >= most_) {
    ++left_out_;
    return nullptr;
  }
  const JsonView controller = ControllerOf(object);
  Held held{owner,
            Printable(controller["kind"].StringOr("")) + " " +
                Quoted(controller["name"].StringOr(""), 253),
            1, std::move(told)};
  return &held_.emplace(key, std::move(held)).first->second.told;
}

Orphans::Released Orphans::Release() {
  Released released;
  released.left_out = std::exchange(left_out_, 0);
  for (auto& [key, held] : std::exchange(held_, {})) {
    if (seen_.contains(held.owner)) continue;
    released.workloads += held.count;
    ScannedWorkload& told = held.told;
    if (told.says_nothing()) continue;
    const std::size_t more = held.count - 1;
    told.notes.push_back(
        "judged by itself, since its owner, " + held.owner_title + ", is not among what was read" +
        (more > 0 ? "; " + std::to_string(more) + " more of this owner have the same" : ""));
    released.told.push_back(std::move(told));
  }
  return released;
}

}  // namespace tpu_admission::cluster
