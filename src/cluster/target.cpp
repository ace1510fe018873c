#include <algorithm>

#include "cluster/facts.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/cluster/collector.h"
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

// Counts with which the rules have nothing to do: a Deployment's pods stand each for itself.
std::optional<std::int64_t> Replicas(JsonView object, const workload::PodSet& pods) {
  if (pods.scale.counting != workload::Counting::kNone || pods.pointer != "/spec/template") {
    return std::nullopt;
  }
  return object["spec"]["replicas"].AsInteger();
}

WishFacts ReadWish(const tpu::Catalog& catalog, JsonView object, const workload::PodSet& pods) {
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
  if (pods.scale.counting == workload::Counting::kNone) {
    together = Replicas(object, pods).value_or(pods.pointer.empty() ? 1 : 0);
    wish.gang = false;
  }
  constexpr std::int64_t kMostPods = 1'000'000;  // more are no number to count with
  if (together >= 0 && together < kMostPods && wish.slices >= 0 && wish.slices < kMostPods) {
    wish.pods = together * wish.slices;
  }
  if (pods.scale.completions.value && pods.scale.pods.value) {
    wish.spare = std::max<std::int64_t>(*pods.scale.completions.value - *pods.scale.pods.value, 0);
  }
  return wish;
}

bool IsPaused(JsonView object, const workload::PodSet& pods) {
  const workload::Scale& scale = pods.scale;
  return (scale.pods.written && scale.has_no_pods()) || scale.has_no_slices() ||
         Replicas(object, pods) == 0;
}

// The controllers that a kind has anyway, as its defaults write them.
bool IsUsual(std::string_view controller) {
  return controller.starts_with("kubernetes.io/") ||
         controller.starts_with("jobset.sigs.k8s.io/") || controller == "ray.io/kuberay-operator" ||
         controller == "trainer.kubeflow.org/trainjob-controller" ||
         controller == "kubeflow.org/training-operator" ||
         controller == "kubeflow.org/mpi-operator";
}

// How far it is, as the kinds without conditions write it: RayJob; pods and Argo's workflows;
// Volcano.
std::string Outcome(JsonView status) {
  for (const JsonView field : {status["jobStatus"], status["jobDeploymentStatus"], status["phase"],
                               status.Follow("state/phase")}) {
    if (const auto text = field.StringOr(""); !text.empty()) return Printable(text, 63);
  }
  return "";
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

Result<Target> ParseTarget(const std::string& text, const std::string& namespace_name) {
  if (text.empty()) return Error{"KIND/NAME is required, such as job/train"};
  const std::size_t slash = text.find('/');
  const auto sound = [](const std::string& word) {
    return !word.empty() && word.size() <= 253 && word.front() != '-' &&
           std::all_of(word.begin(), word.end(), [](unsigned char c) {
             return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '-' || c == '.';
           });
  };
  if (slash == text.npos || !sound(text.substr(0, slash)) || !sound(text.substr(slash + 1))) {
    return Error{Quoted(text) + " is no KIND/NAME, such as job/train"};
  }
  return Target{text.substr(0, slash), text.substr(slash + 1), namespace_name};
}

bool Target::Means(std::string_view kind_of_object) const {
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"po", "pod"},       {"sts", "statefulset"}, {"deploy", "deployment"},  {"rs", "replicaset"},
      {"ds", "daemonset"}, {"cj", "cronjob"},      {"lws", "leaderworkerset"}};
  std::string word = LowerCase(kind.substr(0, kind.find('.')));
  const std::string meant_by_object = LowerCase(kind_of_object);
  for (const auto& [alias, meant] : kShort) {
    if (word == alias) word = meant;
  }
  return word == meant_by_object || word == meant_by_object + "s";
}

void ReadTarget(const admission::Settings& settings, Day today, JsonView object, k8s::Arena& arena,
                Snapshot& snapshot) {
  snapshot.object = ReadObject(object);
  snapshot.conditions = ReadConditions(object);
  const JsonView spec = object["spec"];
  const bool by_policy = spec.Follow("runPolicy/suspend").IsTrue();  // Kubeflow
  snapshot.suspended = spec["suspend"].IsTrue() || by_policy;
  if (by_policy) snapshot.suspended_by = "spec.runPolicy.suspend";
  snapshot.outcome = Outcome(object["status"]);
  snapshot.idle =
      snapshot.object.kind.starts_with("Cron") && object["status"]["active"].size() == 0;
  snapshot.queue = Label(object, workload::kKueueQueue);
  snapshot.managed_by = Printable(spec["managedBy"].StringOr(""), 253);
  if (IsUsual(snapshot.managed_by)) snapshot.managed_by.clear();
  admission::Submission submission{k8s::GvkOf(object), object, JsonView(),
                                   object["metadata"]["namespace"].StringOr(""), today};
  submission.speaks_for_owner = true;  // it is asked about, not its owner
  const Judgement judgement = Judge(settings, submission, arena);
  if (judgement.state != Judgement::State::kJudged) return;
  ReadFaults(judgement, snapshot);
  const tpu::Catalog& catalog = settings.engine.catalog();
  snapshot.paused = !judgement.workload.pod_sets.empty();
  for (const workload::PodSet& pods : judgement.workload.pod_sets) {
    snapshot.paused = snapshot.paused && IsPaused(object, pods);
    if (const auto found = workload::FindRequired(pods.pod.spec, workload::kGkeComputeClass)) {
      snapshot.compute_class = Printable(found->value, 253);
    }
    if (pods.use != workload::TpuUse::kChips) continue;
    snapshot.wishes.push_back(ReadWish(catalog, object, pods));
  }
}

}  // namespace tpu_admission::cluster
