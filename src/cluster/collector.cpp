#include "tpu_admission/cluster/collector.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "cluster/facts.h"
#include "cluster/holders.h"
#include "cluster/queues.h"
#include "cluster/served_kinds.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/cluster/object_splitter.h"
#include "tpu_admission/k8s/gvk.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::cluster {
namespace {

using k8s::JsonView;

constexpr std::size_t kMostEvents = 2'000;

// What may stand between a workload and its pods, and the resource that it is; a Volcano PodGroup
// comes only with a stream.
constexpr std::pair<std::string_view, std::string_view> kBetween[] = {
    {"Job", "jobs.batch"},
    {"Deployment", "deployments.apps"},
    {"ReplicaSet", "replicasets.apps"},
    {"StatefulSet", "statefulsets.apps"},
    {"JobSet", "jobsets.jobset.x-k8s.io"},
    {"LeaderWorkerSet", "leaderworkersets.leaderworkerset.x-k8s.io"},
    {"RayCluster", "rayclusters.ray.io"},
    {"RayJob", "rayjobs.ray.io"},
    {"Workflow", "workflows.argoproj.io"},
    {"EphemeralRunnerSet", "ephemeralrunnersets.actions.github.com"},
    {"EphemeralRunner", "ephemeralrunners.actions.github.com"},
    {"PodGroup", ""}};

bool IsBetween(std::string_view kind) {
  return std::any_of(std::begin(kBetween), std::end(kBetween),
                     [&](const auto& row) { return row.first == kind; });
}

// How many owners may stand between: a RayService's pods are three steps away, an LWS's four; a
// chain of strangers has no end.
constexpr int kMostSteps = 10;

template <typename T>
void Add(std::vector<T>& list, T value, std::size_t most, std::size_t& left_out) {
  list.size() < most ? list.push_back(std::move(value)) : void(++left_out);
}

}  // namespace

struct Collector::State {
  State(const admission::Settings& by, Day day, std::size_t at_most)
      : settings(by),
        today(day),
        most(at_most),
        holders(at_most),
        queues(at_most),
        splitter([this](std::string_view text) {
          Look(text);
          return OkStatus();
        }) {}

  void Look(std::string_view text) {
    const Result<JsonView> object = parser.Parse(text);
    if (!object) return void(++left_out);
    const std::string_view kind = (*object)["kind"].StringOr("");
    const bool kueue = (*object)["apiVersion"].StringOr("").starts_with(workload::kKueueApi);
    if (kind == "Pod") return LookAtPod(*object);
    if (kind == "Event") return LookAtEvent(*object);
    if (kind == "Node") return LookAtNode(*object);
    if (kind == "ConfigMap") return LookAtConfigMap(*object);
    if (kueue && kind == "Workload") return queues.TakeWorkload(*object);
    if (kueue && kind == "ClusterQueue") return queues.TakeClusterQueue(*object);
    if (kueue && kind == "LocalQueue") return queues.TakeLocalQueue(*object);
    if (IsBetween(kind)) Add(between, ReadObject(*object), most, left_out);
    if (target && !found) LookForTarget(*object);
  }

  void LookForTarget(JsonView object) {
    const ObjectFacts facts = ReadObject(object);
    if (facts.name != target->name || !target->Means(facts.kind)) return;
    if (!target->namespace_name.empty() && facts.namespace_name != target->namespace_name) return;
    TakeTarget(object);
  }

  void TakeTarget(JsonView object) {
    arena.Reset();
    ReadTarget(settings, today, object, arena, snapshot);
    found = true;
  }

  void LookAtPod(JsonView object) {
    if (target && !found) LookForTarget(object);
    snapshot.pods_known = true;
    PodFacts pod = ReadPod(object);
    if (!owners.empty() && !only_holders && !owners.contains(pod.owner_uid)) return;
    if (!holders.Take(pod)) ++left_out;
    if (!only_holders && !IsElsewhere(pod)) Add(pods, std::move(pod), most, left_out);
  }

  // In a namespace where none of its pods can be.
  bool IsElsewhere(const PodFacts& pod) const {
    const std::string& space = found    ? snapshot.object.namespace_name
                               : target ? target->namespace_name
                                        : pod.namespace_name;
    return !space.empty() && !pod.namespace_name.empty() && pod.namespace_name != space;
  }

  // Of others' events nothing is kept, where it is known by now who belongs to the object.
  void LookAtEvent(JsonView object) {
    snapshot.events_known = true;
    EventFacts event = ReadEvent(object);
    if (!relevant.empty() && !relevant.contains(event.uid)) return;
    if (relevant.empty()) return Add(events, std::move(event), most, left_out);
    events.push_back(std::move(event));
    if (events.size() >= 2 * std::min(most, kMostEvents)) DropOldEvents();
  }

  // The older half: each event costs the same, however many come.
  void DropOldEvents() {
    std::stable_sort(events.begin(), events.end(),
                     [](const EventFacts& a, const EventFacts& b) { return a.last > b.last; });
    left_out += events.size() / 2;
    events.resize(events.size() / 2);
  }

  void LookAtNode(JsonView object) {
    NodeFacts node = ReadNode(object);
    if (node.accelerator.empty()) return void(snapshot.other_nodes = true);
    Add(snapshot.nodes, std::move(node), most, left_out);
    snapshot.nodes_known = true;
  }

  void LookAtConfigMap(JsonView object) {
    if (object["metadata"]["name"].StringOr("") == "cluster-autoscaler-status") {
      snapshot.groups = ReadScaleGroups(object);
    }
  }

  // Of what runs by a schedule only the newest run says how it stands. Empty: it does not.
  std::string NewestRun() const {
    const ObjectFacts* newest = nullptr;
    if (!snapshot.object.RunsBySchedule()) return "";
    for (const ObjectFacts& run : between) {
      if (run.owner_uid != snapshot.object.uid) continue;
      if (newest == nullptr ||
          std::tie(newest->created, newest->name) < std::tie(run.created, run.name)) {
        newest = &run;
      }
    }
    return newest == nullptr ? "" : newest->uid;
  }

  // Who made the object, who made that one, and so on: uids.
  std::vector<std::string> Makers() const {
    std::vector<std::string> makers;
    std::string uid = snapshot.object.owner_uid;
    while (!uid.empty() && makers.size() < kMostSteps) {
      makers.push_back(uid);
      const auto maker = std::find_if(between.begin(), between.end(),
                                      [&](const ObjectFacts& facts) { return facts.uid == uid; });
      uid = maker == between.end() ? "" : maker->owner_uid;
    }
    return makers;
  }

  // The object, and all that belongs to it, however many steps away.
  void Gather() {
    snapshot.owners = {snapshot.object};
    std::set<std::string> ours = {snapshot.object.uid};
    const std::string newest = NewestRun();
    bool grown = true;
    for (int step = 0; grown && step < kMostSteps; ++step) {
      grown = false;
      for (const ObjectFacts& facts : between) {
        const bool old = facts.owner_uid == snapshot.object.uid && facts.uid != newest;
        if (!newest.empty() && old) continue;
        if (!ours.contains(facts.owner_uid) || !ours.insert(facts.uid).second) continue;
        snapshot.owners.push_back(facts);
        grown = true;
      }
      for (const PodFacts& pod : pods) {
        if (ours.contains(pod.owner_uid)) grown = ours.insert(pod.uid).second || grown;
      }
    }
    relevant = std::move(ours);
  }

  // From now on only pods matter whose owner is ours, or may be: what a pod owns in its turn
  // (LeaderWorkerSet) is known to be ours when the pods are.
  void ExpectPods() {
    Gather();
    owners = relevant;
    relevant.clear();
    for (const ObjectFacts& facts : between) {
      if (facts.owner_kind == "Pod") owners.insert(facts.uid);
    }
  }

  void TakePods() {
    for (PodFacts& pod : pods) {
      if (relevant.contains(pod.uid)) snapshot.pods.push_back(std::move(pod));
    }
    std::sort(snapshot.pods.begin(), snapshot.pods.end(),
              [](const PodFacts& a, const PodFacts& b) { return a.name < b.name; });
    // A file may hold an object twice.
    const auto twice =
        std::unique(snapshot.pods.begin(), snapshot.pods.end(),
                    [](const PodFacts& a, const PodFacts& b) { return a.uid == b.uid; });
    snapshot.pods.erase(twice, snapshot.pods.end());
  }

  void TakeEvents() {
    std::erase_if(events, [this](const EventFacts& e) { return !relevant.contains(e.uid); });
    std::stable_sort(events.begin(), events.end(),
                     [](const EventFacts& a, const EventFacts& b) { return a.last < b.last; });
    snapshot.events = std::move(events);
  }

  Status Get(Kubectl& kubectl, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "get");
    arguments.insert(arguments.end(), {"-o", "json"});
    ObjectSplitter objects([this](std::string_view text) {
      Look(text);
      return OkStatus();
    });
    TPU_ADMISSION_TRY_STATUS(
        kubectl.Run(arguments, [&](std::string_view piece) { return objects.Feed(piece); }));
    const Status finished = objects.FinishAnswer();
    return finished ? finished : Error{arguments.at(1) + ": " + finished.error().message};
  }

  bool GetOrSay(Kubectl& kubectl, const std::vector<std::string>& arguments) {
    const Status status = Get(kubectl, arguments);
    if (!status) snapshot.not_read.push_back(status.error().message);
    return status.ok();
  }

  template <typename Is>
  bool AnyOfOurs(const Is& is) const {
    return std::any_of(pods.begin(), pods.end(),
                       [&](const PodFacts& pod) { return relevant.contains(pod.uid) && is(pod); });
  }

  // Of the core kinds all that make pods are known; of others nobody knows.
  bool MakesNoPods() const {
    const auto gvk = k8s::GvkOf(snapshot.object.api_version, snapshot.object.kind);
    const workload::Kind* kind = settings.policy.kinds().Find(gvk.group, gvk.kind);
    if (kind == nullptr) return snapshot.pods.empty() && gvk.group.empty();
    const auto only_chooses = [](const workload::PodSetRow& row) {
      return row.form == workload::Form::kNodeLabels || row.form == workload::Form::kTpuPriority ||
             row.form == workload::Form::kDeviceClaim;
    };
    return !kind->pod_sets.empty() &&
           std::all_of(kind->pod_sets.begin(), kind->pod_sets.end(), only_chooses);
  }

  // What a pod without a place waits for: the autoscaler, and chips that others hold.
  void ReadNeighbourhood(Kubectl& kubectl) {
    const Status status =
        Get(kubectl, {"configmap", "cluster-autoscaler-status", "-n", "kube-system"});
    if (!status && status.error().code != std::errc::no_such_file_or_directory) {
      snapshot.not_read.push_back(status.error().message);
    }
    const bool exist =
        std::any_of(snapshot.nodes.begin(), snapshot.nodes.end(), [this](const NodeFacts& node) {
          return std::any_of(snapshot.wishes.begin(), snapshot.wishes.end(),
                             [&](const WishFacts& wish) { return wish.Shape() == node.Shape(); });
        });
    if (!exist) return;
    only_holders = true;
    holders.Clear();
    GetOrSay(kubectl,
             {"pods", "-A", "--chunk-size=500",
              "--field-selector=spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"});
  }

  const admission::Settings& settings;
  const Day today;
  const std::size_t most;
  std::optional<Target> target;
  bool found = false;
  std::optional<bool> workloads_known;  // of a cluster; of a stream, what came tells
  k8s::JsonParser parser;
  k8s::Arena arena;
  Snapshot snapshot;
  std::vector<ObjectFacts> between;
  std::vector<PodFacts> pods;
  std::vector<EventFacts> events;
  Holders holders;
  Queues queues;
  bool only_holders = false;       // pods are only counted
  std::set<std::string> owners;    // uids; of pods that are kept; empty: of all
  std::set<std::string> relevant;  // uids; empty: not known yet
  std::size_t left_out = 0;
  ObjectSplitter splitter;
};

Collector::Collector(const admission::Settings& settings, Day today, std::size_t most)
    : state_(std::make_unique<State>(settings, today, most)) {}
Collector::~Collector() = default;

void Collector::Take(std::string_view json) { state_->Look(json); }
void Collector::LookFor(const Target& target) { state_->target = target; }
Status Collector::Read(std::string_view json) { return state_->splitter.Feed(json); }
Status Collector::FinishReading() { return state_->splitter.Finish(); }

Status Collector::ReadCluster(Kubectl& kubectl, const Target& target) {
  State& state = *state_;
  state.target = target;
  std::vector<std::string> in_namespace;
  if (!target.namespace_name.empty()) in_namespace = {"-n", target.namespace_name};
  std::vector<std::string> ask = {"get", target.kind, target.name, "-o", "json"};
  ask.insert(ask.end(), in_namespace.begin(), in_namespace.end());
  TPU_ADMISSION_TRY(const std::string text, Output(kubectl, ask, ObjectSplitter::kMostBytes));
  const auto parsed = state.parser.Parse(text);
  if (!parsed) return Error{"what kubectl prints is no object: " + parsed.error().message};
  const JsonView object = *parsed;
  state.TakeTarget(object);
  const bool is_pod = object["kind"].StringOr("") == "Pod";
  if (is_pod) state.LookAtPod(object);
  in_namespace = {"-n", state.snapshot.object.namespace_name, "--chunk-size=500"};
  TPU_ADMISSION_TRY(const std::set<std::string> served,
                    ServedResources(kubectl, state.snapshot.not_read));
  const bool all_served = state.snapshot.not_read.empty();
  // Whether nothing of it is unknown.
  const auto get = [&](const std::vector<std::string>& resources, bool in_all = false) {
    std::string list;
    for (const std::string& resource : resources) {
      if (served.contains(resource)) list += (list.empty() ? "" : ",") + resource;
    }
    if (list.empty()) return all_served;
    std::vector<std::string> arguments = {list};
    if (!in_all) arguments.insert(arguments.end(), in_namespace.begin(), in_namespace.end());
    return state.GetOrSay(kubectl, arguments) && all_served;
  };
  bool pods_known = is_pod;
  if (!is_pod) {
    std::vector<std::string> between;
    for (const auto& [kind, resource] : kBetween) between.emplace_back(resource);
    const bool between_known = get(between);
    state.ExpectPods();
    pods_known = get({"pods"}) && between_known;
  }
  state.Gather();
  const bool events_known = get({"events"});
  const Status nodes = state.Get(
      kubectl, {"nodes", "-l", std::string(workload::kGkeTpuAccelerator), "--chunk-size=500"});
  state.snapshot.nodes_known = state.snapshot.nodes_whole = nodes.ok();
  if (!nodes) state.snapshot.not_read.push_back(nodes.error().message);
  if (!state.snapshot.queue.empty() || state.snapshot.suspended ||
      state.AnyOfOurs([](const PodFacts& pod) { return !pod.gates.empty(); })) {
    state.workloads_known = get({"workloads.kueue.x-k8s.io", "localqueues.kueue.x-k8s.io"});
    get({"clusterqueues.kueue.x-k8s.io"}, true);
  }
  if (state.AnyOfOurs([](const PodFacts& pod) { return pod.unschedulable(); })) {
    state.ReadNeighbourhood(kubectl);
  }
  // Not by what came, but by what was to come: an empty list tells too.
  state.snapshot.pods_known = pods_known;
  state.snapshot.events_known = events_known;
  return OkStatus();
}

Result<Snapshot> Collector::Finish() {
  State& state = *state_;
  const Target target = state.target.value_or(Target{});
  if (!state.found) {
    return Error{Quoted(target.kind) + " " + Quoted(target.name, 253) +
                 (target.namespace_name.empty() ? "" : " of namespace " + target.namespace_name) +
                 " is not among what was read"};
  }
  state.Gather();
  state.TakePods();
  state.TakeEvents();
  state.snapshot.workloads_known = state.workloads_known.value_or(state.queues.has_workloads());
  state.queues.Put(state.Makers(), state.snapshot);
  state.holders.Put(state.snapshot);
  state.snapshot.left_out = state.left_out + state.queues.left_out();
  if (state.MakesNoPods()) {
    return Error{state.snapshot.object.Title() +
                 " makes no pods, as far as is known: ask about a workload or a pod"};
  }
  return std::move(state.snapshot);
}

}  // namespace tpu_admission::cluster
