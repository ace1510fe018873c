#include "tpu_admission/repair/repair.h"

#include <fmt/format.h>

#include <algorithm>

#include "repair/candidate.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::repair {
namespace {

using k8s::JsonEdit;

// A pod set with its candidates, nearest first.
struct Plan {
  Written written;
  std::vector<Candidate> candidates;
};

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

// What people call the field at the end of a pointer: "topology", "parallelism".
std::string ShortName(std::string_view pointer) {
  const std::string path = FieldPath(pointer);
  for (const std::string_view list : {"containers[", "initContainers["}) {
    const std::size_t place = path.find(list);
    if (place == path.npos || (place > 0 && path[place - 1] != '.')) continue;
    std::string container = path.substr(place, path.find(']', place) + 1 - place);
    const bool chips = path.ends_with("['google.com/tpu']");
    if (chips) return container + " google.com/tpu";
    const bool request = path.find(".requests.") != path.npos;
    return container + (request ? " request of " : " limit of ") + path.substr(path.rfind('.') + 1);
  }
  for (const auto& [key, name] :
       {std::pair<std::string_view, std::string_view>{"gke-tpu-accelerator", "accelerator"},
        {"gke-tpu-topology", "topology"},
        {"gke-accelerator-count", "gke-accelerator-count"},
        {"instance-type", "machine type"}}) {
    if (path.ends_with(std::string(key) + "']")) return std::string(name);
  }
  return path.substr(path.rfind('.') + 1);
}

std::string Value(const JsonEdit& edit) {
  if (!edit.value) return "(removed)";
  if (const auto* text = std::get_if<std::string>(&*edit.value)) return Printable(*text);
  return std::to_string(std::get<std::int64_t>(*edit.value));
}

// Requests and limits of chips are one change to a reader.
std::string Changes(const std::vector<JsonEdit>& edits, const Written& written) {
  std::string text;
  std::vector<std::string> said;
  for (const JsonEdit& edit : edits) {
    std::string name = ShortName(edit.pointer);
    const bool in_affinity = edit.pointer.ends_with("/values/0");
    if (in_affinity) {
      const auto& choice = *written.choice;
      const bool topology = Value(edit).find('x') != std::string::npos &&
                            choice[workload::NodeLabel::kTopology].fixed();
      name = topology ? "topology" : "accelerator";
    }
    std::string change = name + ": " + Value(edit);
    if (std::find(said.begin(), said.end(), change) != said.end()) continue;
    text += (text.empty() ? "" : ", ") + change;
    said.push_back(std::move(change));
  }
  return text;
}

Repair MakeRepair(const std::vector<const Plan*>& plans, const std::vector<std::size_t>& chosen,
                  std::int64_t other_chips) {
  Repair repair;
  repair.chips_before = repair.chips_after = other_chips;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Plan& plan = *plans[i];
    const Candidate& target = plan.candidates[chosen[i]];
    const std::string name = plans.size() > 1 && !plan.written.pods->name.empty()
                                 ? Printable(plan.written.pods->name) + ": "
                                 : "";
    repair.what += (i == 0 ? "" : "; ") + name + What(plan.written, target);
    const std::string changes = Changes(target.edits, plan.written);
    if (!changes.empty()) repair.changes += (repair.changes.empty() ? "" : "; ") + name + changes;
    repair.edits.insert(repair.edits.end(), target.edits.begin(), target.edits.end());
    repair.chips_before += plan.written.total_chips;
    repair.chips_after += target.total_chips();
  }
  return repair;
}

// What changes all that another repair does, and more, is no choice beside it.
bool Includes(const std::vector<JsonEdit>& edits, const std::vector<JsonEdit>& fewer) {
  return std::all_of(fewer.begin(), fewer.end(), [&](const JsonEdit& edit) {
    return std::find(edits.begin(), edits.end(), edit) != edits.end();
  });
}

bool Contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

std::string Repair::Title() const {
  if (chips_before == chips_after || chips_before == 0) return what;
  return fmt::format("{} ({} become{} {})", what, Plural(chips_before, "chip"),
                     chips_before == 1 ? "s" : "", chips_after);
}

std::vector<Repair> FindRepairs(const tpu::Catalog& catalog, const workload::Workload& workload,
                                k8s::JsonView object, const std::vector<std::string>& faulty,
                                const Prover& prove, k8s::Arena& arena) {
  std::vector<Plan> plans;
  std::int64_t other_chips = 0;
  for (const workload::PodSet& pods : workload.pod_sets) {
    std::optional<Written> written = Read(catalog, pods);
    if (!Contains(faulty, pods.pointer)) {
      if (written) other_chips += written->total_chips;
      continue;
    }
    if (!written) return {};  // a person must decide something first
    std::vector<Candidate> candidates = CandidatesFor(*written, object);
    if (candidates.empty()) return {};
    plans.push_back({*written, std::move(candidates)});
  }
  if (plans.empty()) return {};
  // Set by set: the candidates after which nothing is wrong with that set. The sets before it have
  // their best by then, those after it are as written.
  std::size_t left = kMostCandidates;
  std::vector<std::vector<std::size_t>> sound(plans.size());
  std::vector<JsonEdit> before;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const bool last = i + 1 == plans.size();
    for (std::size_t c = 0; c < plans[i].candidates.size(); ++c) {
      if (sound[i].size() == kMostRepairs || left == 0) break;
      const auto& mine = plans[i].candidates[c].edits;
      if (std::any_of(sound[i].begin(), sound[i].end(), [&](std::size_t other) {
            return Includes(mine, plans[i].candidates[other].edits);
          })) {
        continue;
      }
      --left;
      std::vector<JsonEdit> edits = before;
      edits.insert(edits.end(), mine.begin(), mine.end());
      const Proof proof = prove(k8s::Edited(object, edits, arena));
      const bool fits =
          last ? proof.sound()
               : !proof.unreadable && !Contains(proof.faulty, plans[i].written.pods->pointer);
      if (fits) sound[i].push_back(c);
    }
    if (sound[i].empty()) return {};
    const auto& best = plans[i].candidates[sound[i].front()].edits;
    before.insert(before.end(), best.begin(), best.end());
  }
  std::vector<const Plan*> all;
  for (const Plan& plan : plans) all.push_back(&plan);
  std::vector<Repair> repairs;
  // The first is the best of all sets, which the last proof covered; the others vary the last set.
  for (const std::size_t last : sound.back()) {
    std::vector<std::size_t> chosen;
    for (const auto& of_set : sound) chosen.push_back(of_set.front());
    chosen.back() = last;
    repairs.push_back(MakeRepair(all, chosen, other_chips));
  }
  return repairs;
}

}  // namespace tpu_admission::repair
