// What a check looks at: one pod set, and one alternative of its node selection held against the
// catalog; and where it reports.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rules/engine/list.h"
#include "tpu_admission/rules/cluster.h"
#include "tpu_admission/rules/finding.h"
#include "tpu_admission/tpu/catalog.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/pod_fields.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::rules {

// Where a label names no generation or topology: nothing, or what it was probably meant to name.
enum class Misspelt { kUnknown, kGuessed };

// One alternative of the node selection, looked up in the catalog.
struct Shape {
  workload::NodeChoice choice;
  const tpu::Generation* generation = nullptr;  // nullptr: none selected, or one we do not know
  bool guessed = false;                         // what the label names is none; this was meant
  std::optional<tpu::Topology> topology;        // if it is well formed, or was meant to be this
  bool topology_guessed = false;
  // The ways to get the topology that the other labels leave; empty: it is not offered, or unknown.
  tpu::PlacementList placements;
  // The machines that the selectors allow; all of the generation where the topology does not say.
  std::span<const tpu::MachineType* const> machines() const { return {machines_.data(), count_}; }

  // The host of so many chips, if sources disagree whether there is one, and the other selectors
  // allow it; else nullptr.
  const tpu::DisputedHost* DisputedHostOf(std::int64_t chips) const;
  // The machine type that is selected is still to be filled in, or the catalog does not have it,
  // and it is of the accelerator's own family: if it is newer than the catalog, nobody knows its
  // chips, its size and its topologies.
  bool machine_is_unknown() const;

  // The label's value: selected, known by the machine type, or what the selected was meant to be.
  std::string_view accelerator() const {
    const workload::Selected& selected = choice[workload::NodeLabel::kAccelerator];
    return guessed || (selected.free() && generation != nullptr) ? generation->label
                                                                 : selected.value;
  }

 private:
  friend Shape MakeShape(const tpu::Catalog&, const workload::NodeChoice&, Misspelt);
  void FindMachines();

  static constexpr std::size_t kMaxMachines = 8;  // more than a generation has
  std::array<const tpu::MachineType*, kMaxMachines> machines_{};
  std::size_t count_ = 0;
};
Shape MakeShape(const tpu::Catalog& catalog, const workload::NodeChoice& choice, Misspelt misspelt);
// What an accelerator that the catalog does not have was meant to be, if that is clear.
const tpu::Generation* MeantBy(const tpu::Catalog& catalog, const Shape& shape);
// The generation by its label or its machine type; nullptr: none is selected, or one we do not
// know.
const tpu::Generation* GenerationOf(const tpu::Catalog& catalog,
                                    const workload::NodeChoice& choice);

// A slice that the pods of a pod set fill together.
struct Slice {
  tpu::Topology topology;
  std::int64_t pods = 0;  // that fill it
  std::int64_t hosts = 0;
  bool multi_host() const { return hosts > 1; }
};

struct Subject {
  const workload::Workload& workload;
  const workload::PodSet& pods;
  const tpu::Catalog& catalog;
  const Cluster& cluster;
  const Shape& shape;

  // JSON pointer of `below` in the spec of this pod set's pods ("/tolerations").
  std::string AtSpec(std::string_view below) const {
    return std::string(pods.spec_pointer).append(below);
  }
  // Of an element of the list `below` it.
  std::string AtSpec(std::string_view below, std::size_t index) const;
  // Of a field of the pods' metadata ("/annotations").
  std::string AtMetadata(std::string_view below) const {
    return std::string(pods.pointer).append("/metadata").append(below);
  }
  std::string AtAnnotation(std::string_view key) const;
  // Of what selects the label; of nodeSelector if nothing does.
  std::string At(workload::NodeLabel label) const;
  std::string At(const workload::RequiredLabel& label) const;
  std::string At(const k8s::Container& container, std::string_view below = "") const;
  // Of a variable that is in the container's env, or what is `below` it.
  std::string AtEnv(const k8s::Container& container, std::string_view variable,
                    std::string_view below = "/value") const;
  // Of an amount in "limits" or "requests" of the container.
  std::string At(const k8s::Container& container, std::string_view list,
                 std::string_view resource) const;

  bool is_pod() const { return pods.pointer.empty(); }
  // The label must be selected: no compute class and no claim chooses the node, and nobody else
  // will add it, as Kueue may, or whoever holds a gated pod back. A node pool, a machine type, a
  // reservation, nodeName and a slice annotation do not replace it: GKE's own check asks for the
  // label all the same.
  bool NeedsLabel(workload::NodeLabel label) const {
    return !workload::FindRequired(pods.pod.spec, workload::kGkeComputeClass) &&
           NeedsLabelOrClass(label);
  }
  // The same, were there no compute class.
  bool NeedsLabelOrClass(workload::NodeLabel label) const;
  bool Misses(workload::NodeLabel label) const {
    return shape.choice[label].free() && NeedsLabel(label);
  }
  // No container asks for chips, but the pod as a whole does, which is a fault of its own: what its
  // selectors have wrong shows when that is mended, and warns until then.
  bool has_only_chips_of_the_pod() const {
    return pods.use != workload::TpuUse::kChips && !workload::ChipsOfThePod(pods.pod.spec).empty();
  }
  // A container does, or the pod as a whole.
  bool AsksForChips() const {
    return pods.use == workload::TpuUse::kChips || has_only_chips_of_the_pod();
  }
  // What a missing selector is worth: a pod is refused at once, one of a template later, and
  // without GKE none is.
  std::optional<Mode> MissingSelectorMode() const;
  // The slice, if the topology, the chips of a pod and the machine say which; nothing where Kueue
  // is told how many pods share one.
  std::optional<Slice> SliceOfPods() const;
  // The same, if it has several hosts.
  std::optional<Slice> MultiHostSlice() const;
  // The slice, whatever Kueue is told.
  std::optional<Slice> SliceOfSelection() const;
  // Whatever the generation is that somebody else will select (Kueue), or nobody has yet: the
  // topology is one slice of several hosts, and the pods are for it together.
  bool is_of_several_hosts_anywhere() const;
  // The pods of this template alone that fill a slice, or several, together: without a leader or
  // other templates that are counted with them. 0: that is not known, or they lead others.
  std::int64_t OwnPods() const;
  // JobSet gives each Job a node pool of its own, which is one slice where it has several hosts.
  // https://jobset.sigs.k8s.io/docs/concepts/
  bool has_node_pool_of_its_own() const;
  // Another pod set of the workload is for the same slices if what is misspelt here or there is
  // mended: until then nobody knows how many pods there are together. Costs a look at all sets.
  bool may_be_counted_with_others() const;
};

using workload::ChipsOf;
using workload::NamesTpu;

// The chip counts that a container can have on the machines of this shape, rising.
std::vector<std::int64_t> PossibleChips(const Subject& subject);
// Whether so many can be had of one of them. The generation is known.
bool IsPossible(const Subject& subject, std::int64_t chips);
// The chips of the largest machine of this shape; 0 if none is known.
std::int64_t LargestHost(const Subject& subject);
// The chips that no host exceeds, whatever the accelerator is: those of the largest machine, or of
// the whole topology if that is smaller.
std::int64_t MostOfAnyHost(const Subject& subject);
// The same of no generation that is known, where the topology is one that the catalog has: no host
// of it has more. Of a topology that it does not have, or has of no page, MostOfAnyHost.
std::int64_t MostOfItsHosts(const Subject& subject);
// A host of so many chips that some sources know of the selected topology, and the generation that
// has it; nullptr: none.
struct HostInDispute {
  const tpu::Generation* generation = nullptr;
  const tpu::DisputedHost* host = nullptr;
};
HostInDispute HostInDisputeOf(const Subject& subject, std::int64_t chips);
// Where no generation is known: whether so many chips of a pod are more than its host has. Above
// MostOfItsHosts they are, unless what is selected may be a generation that we do not know.
bool IsMoreThanItsHost(const Subject& subject, std::int64_t chips);
// Then it warns at most where the host may be one that we do not know, or in dispute.
std::optional<Mode> UnlessMoreThanAny(const Subject& subject, std::int64_t chips);
// "hosts of 4x4 have at most 4", "no host has more than 8": what MostOfItsHosts is.
std::string LimitOfItsHosts(const Subject& subject);
// A generation that we do not know may have larger hosts, but none with more chips than all of the
// topology has.
bool MayBeOfNewGeneration(const Subject& subject, std::int64_t chips);

// What the findings of one evaluation may take in memory, all pod sets and alternatives together.
struct Allowance {
  std::size_t bytes;
  bool used_up = false;  // something was left out
};

class Report {
 public:
  // Of one rule, pod set and alternative: nobody mends more at once, and each costs its texts.
  static constexpr std::size_t kMost = 100;

  Report(const Rule& rule, const workload::PodSet& pods, std::vector<Finding>& findings,
         Allowance& allowance)
      : rule_(rule), pods_(pods), findings_(findings), allowance_(allowance) {}

  // Says its edits before the rest of its change.
  void Add(Finding finding);
  // The same of a container, and at it if the finding says no place.
  void Add(const k8s::Container& container, Finding finding);
  // Nothing more is taken: whoever looks at many things need not go on.
  bool full() const { return added_ == kMost || allowance_.used_up; }

 private:
  const Rule& rule_;
  const workload::PodSet& pods_;
  std::vector<Finding>& findings_;
  Allowance& allowance_;
  std::size_t added_ = 0;
};

}  // namespace tpu_admission::rules
