#include <algorithm>

#include "cluster/facts.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::cluster {
namespace {

using admission::Judgement;
using k8s::JsonView;
using workload::NodeLabel;

// The machine whose chips one pod takes all of, or the only one.
std::int64_t HostsOf(const tpu::Catalog& catalog, const WishFacts& wish) {
  const tpu::Generation* generation = catalog.FindByLabel(wish.accelerator);
  const auto topology = tpu::Topology::Parse(wish.topology);
  if (generation == nullptr || !topology) return 0;
  const tpu::PlacementList placements = generation->PlacementsOf(*topology);
  for (const tpu::Placement& placement : placements) {
    if (placement.chips_per_host() == wish.chips) return placement.hosts;
  }
  return placements.size() == 1 ? placements.front().hosts : 0;
}

WishFacts ReadWish(const tpu::Catalog& catalog, const workload::PodSet& pods) {
  WishFacts wish;
  wish.chips = pods.chips_per_pod;
  if (pods.nodes.choices.size() == 1) {
    const workload::NodeChoice& choice = pods.nodes.choices.front();
    wish.accelerator = Printable(choice[NodeLabel::kAccelerator].value);
    wish.topology = Printable(choice[NodeLabel::kTopology].value);
  }
  wish.hosts = HostsOf(catalog, wish);
  wish.slices = pods.scale.slices.value.value_or(1);
  std::int64_t together = pods.scale.tpu_pods.value_or(0);
  if (pods.scale.counting == workload::Counting::kNone) together = pods.pointer.empty() ? 1 : 0;
  constexpr std::int64_t kMostPods = 1'000'000;  // more are no number to count with
  if (together >= 0 && together < kMostPods && wish.slices >= 0 && wish.slices < kMostPods) {
    wish.pods = together * wish.slices;
  }
  return wish;
}

bool IsPaused(const workload::PodSet& pods) {
  const workload::Scale& scale = pods.scale;
  return (scale.pods.written && scale.pods.value == 0) || scale.slices.value == 0;
}

std::string Label(JsonView object, std::string_view key) {
  return Printable(object["metadata"]["labels"][key].StringOr(""), 253);
}

void ReadFaults(const Judgement& judgement, Snapshot& snapshot) {
  for (const admission::JudgedFinding& judged : judgement.decision.findings) {
    const rules::Mode mode = std::max(judged.mode, judged.would_be);
    if (mode < rules::Mode::kWarn || judged.finding.rule == nullptr) continue;
    snapshot.faults.push_back({std::string(judged.finding.rule->id), mode, judged.finding.summary,
                               judged.finding.problem, judged.finding.Change()});
  }
}

}  // namespace

void ReadTarget(const admission::Settings& settings, Day today, JsonView object, k8s::Arena& arena,
                Snapshot& snapshot) {
  snapshot.object = ReadObject(object);
  snapshot.conditions = ReadConditions(object);
  const JsonView spec = object["spec"];
  snapshot.suspended = spec["suspend"].IsTrue();
  snapshot.has_status = object["status"].size() > 0;
  snapshot.queue = Label(object, workload::kKueueQueue);
  snapshot.managed_by = Printable(spec["managedBy"].StringOr(""), 253);
  const Judgement judgement = Judge(
      settings,
      {k8s::GvkOf(object), object, JsonView(), object["metadata"]["namespace"].StringOr(""), today},
      arena);
  if (judgement.state != Judgement::State::kJudged) return;
  ReadFaults(judgement, snapshot);
  const tpu::Catalog& catalog = settings.engine.catalog();
  for (const workload::PodSet& pods : judgement.workload.pod_sets) {
    snapshot.paused = snapshot.paused || IsPaused(pods);
    if (const auto found = workload::FindRequired(pods.pod.spec, workload::kGkeComputeClass)) {
      snapshot.compute_class = Printable(found->value, 253);
    }
    if (pods.use == workload::TpuUse::kChips) snapshot.wishes.push_back(ReadWish(catalog, pods));
  }
}

}  // namespace tpu_admission::cluster
