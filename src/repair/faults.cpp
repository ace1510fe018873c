#include "repair/faults.h"

#include <algorithm>

#include "repair/phrases.h"

namespace tpu_admission::repair {
namespace {

using k8s::JsonEdit;
using workload::Edits;

Edits::iterator FindPointer(Edits& edits, std::string_view pointer) {
  return std::find_if(edits.begin(), edits.end(),
                      [&](const JsonEdit& edit) { return edit.pointer == pointer; });
}

}  // namespace

std::size_t CostOf(const Proof& written) {
  constexpr std::size_t kOfAPodSet = 50;
  constexpr std::size_t kOfAFault = 100;
  const workload::Workload& workload = written.workload;
  std::size_t cost = 0;
  for (const workload::PodSet& pods : workload.pod_sets) {
    cost += (kOfAPodSet + pods.entries) * std::max<std::size_t>(1, pods.nodes.choices.size());
    if (&pods != &workload.pod_sets[0]) cost += kOrdinaryCost;
  }
  const std::size_t faults = std::max(written.faults.size(), workload.pod_sets.size());
  return std::max(cost, kOrdinaryCost) + kOfAFault * (faults - workload.pod_sets.size());
}

bool Includes(std::span<const JsonEdit> edits, std::span<const JsonEdit> fewer) {
  return std::all_of(fewer.begin(), fewer.end(), [&](const JsonEdit& edit) {
    return std::find(edits.begin(), edits.end(), edit) != edits.end();
  });
}

bool IsOf(const Fault& fault, const Written& written) {
  const auto& followers = written.followers;
  return fault.pods == written.pods->pointer ||
         std::any_of(followers.begin(), followers.end(),
                     [&](const Written& each) { return fault.pods == each.pods->pointer; });
}

bool IsFaulty(const std::vector<Fault>& faults, const Written& written) {
  return std::any_of(faults.begin(), faults.end(),
                     [&](const Fault& fault) { return IsOf(fault, written); });
}

bool IsAsSaid(const std::vector<Fault>& faults, k8s::JsonView object, const Written& written,
              const Candidate& candidate) {
  const Edits& edits = candidate.edits;
  bool exact = true;
  for (const JsonEdit& edit : edits) {
    const JsonEdit* said = nullptr;
    for (const Fault& fault : faults) {
      for (const JsonEdit& other : fault.edits) {
        if (other.pointer == edit.pointer) said = &other;
      }
    }
    if (said == nullptr) return false;
    exact = exact && *said == edit;
  }
  if (candidate.total_chips() == written.total_chips) return true;
  // A part of a change, such as the pods without the slices, is another change.
  const auto is_made = [&](const JsonEdit& edit) {
    return std::find(edits.begin(), edits.end(), edit) != edits.end();
  };
  const auto is_so = [&](const JsonEdit& edit) { return is_made(edit) || IsSo(object, edit); };
  return exact && std::none_of(faults.begin(), faults.end(), [&](const Fault& fault) {
           return std::any_of(fault.edits.begin(), fault.edits.end(), is_made) &&
                  !std::all_of(fault.edits.begin(), fault.edits.end(), is_so);
         });
}

bool KeepsMoreThanSaid(const std::vector<Fault>& faults, const Written& written,
                       const Candidate& candidate) {
  if (candidate.total_chips() != written.total_chips) return false;
  const auto say = [&](const auto& is_it) {
    return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
      return IsOf(fault, written) && is_it(fault.edits);
    });
  };
  const workload::Scale& scale = written.pods->scale;
  if (written.is_alone_in_pools) {
    return candidate.pods == written.pods_per_slice && candidate.slices == written.slices &&
           candidate.chips_per_pod == written.chips_per_pod && say([&](const Edits& edits) {
             return std::any_of(edits.begin(), edits.end(), [&](const JsonEdit& edit) {
               return edit.pointer == scale.slices.pointer();
             });
           });
  }
  return scale.counting == workload::Counting::kNone &&
         candidate.placement.topology == written.topology && candidate.placement.single_host() &&
         say([&](const Edits& edits) { return SaysTopology(edits, *written.pods); });
}

bool OnlyMovesBounds(std::span<const JsonEdit> edits, std::span<const JsonEdit> said) {
  return Includes(edits, said) && std::all_of(edits.begin(), edits.end(), [&](const auto& edit) {
           return edit.pointer.ends_with("/minReplicas") ||
                  edit.pointer.ends_with("/maxReplicas") ||
                  std::find(said.begin(), said.end(), edit) != said.end();
         });
}

bool IsOfALabel(const JsonEdit& edit) {
  return !PlaceOf(edit).empty() || edit.pointer.find("/annotations/") != edit.pointer.npos;
}

bool AreApart(std::span<const JsonEdit> edits, std::span<const JsonEdit> others) {
  return std::none_of(edits.begin(), edits.end(), [&](const JsonEdit& edit) {
    return std::any_of(others.begin(), others.end(),
                       [&](const JsonEdit& other) { return other.pointer == edit.pointer; });
  });
}

Edits RightKeys(const std::vector<Fault>& faults, k8s::JsonView object) {
  Edits right;
  for (const Fault& fault : faults) {
    if (fault.edits.size() != 2) continue;
    const JsonEdit& set = fault.edits.front();
    const JsonEdit& gone = fault.edits.back();
    const bool moves = set.value && !gone.value && !PlaceOf(set).empty() && !PlaceOf(gone).empty();
    if (!moves || k8s::At(object, set.pointer).present()) continue;
    if (!IsSo(object, {gone.pointer, set.value})) continue;
    Edits more = right;
    if (Join(fault.edits, more)) right = std::move(more);
  }
  return right;
}

const workload::PodSet* SetAt(const workload::Workload& workload, std::string_view pointer) {
  for (const workload::PodSet& pods : workload.pod_sets) {
    if (pods.pointer == pointer) return &pods;
  }
  return nullptr;
}

bool Append(const std::vector<Fault>& faults, const Written* plan, Edits& edits) {
  const std::size_t before = edits.size();
  for (const Fault& fault : faults) {
    if (plan != nullptr && !IsOf(fault, *plan)) continue;
    if (fault.edits.empty()) return false;
    for (const JsonEdit& edit : fault.edits) {
      const auto same = FindPointer(edits, edit.pointer);
      if (same == edits.end()) {
        edits.push_back(edit);
      } else if (std::size_t(same - edits.begin()) < before || *same != edit) {
        return false;
      }
    }
  }
  return true;
}

bool Join(const Edits& more, Edits& edits, std::size_t open) {
  for (const JsonEdit& edit : more) {
    const auto same = FindPointer(edits, edit.pointer);
    if (same == edits.end()) {
      edits.push_back(edit);
    } else if (std::size_t(same - edits.begin()) < open) {
      *same = edit;
    } else if (*same != edit) {
      return false;
    }
  }
  return true;
}

}  // namespace tpu_admission::repair
