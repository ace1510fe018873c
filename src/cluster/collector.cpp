#include "tpu_admission/cluster/collector.h"

#include <algorithm>
#include <set>

#include "cluster/facts.h"
#include "cluster/served_kinds.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/cluster/object_splitter.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/kueue_keys.h"

namespace tpu_admission::cluster {
namespace {

using k8s::JsonView;

constexpr std::size_t kMostEvents = 2'000;

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : char(c);
  });
  return text;
}

// Whether a kind as people write it ("job", "jobs.batch", "po") is this one.
bool IsKind(const std::string& written, std::string_view kind) {
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"po", "pod"},       {"sts", "statefulset"}, {"deploy", "deployment"},  {"rs", "replicaset"},
      {"ds", "daemonset"}, {"cj", "cronjob"},      {"lws", "leaderworkerset"}};
  std::string word = Lower(written.substr(0, written.find('.')));
  const std::string name = Lower(std::string(kind));
  for (const auto& [alias, meant] : kShort) {
    if (word == alias) word = meant;
  }
  return word == name || word == name + "s";
}

// What may stand between a workload and its pods.
bool IsBetween(std::string_view kind) {
  static const std::set<std::string_view> kKinds = {
      "Job", "ReplicaSet", "StatefulSet", "RayCluster", "JobSet", "PodGroup", "LeaderWorkerSet"};
  return kKinds.contains(kind);
}

template <typename T>
void Add(std::vector<T>& list, T value, std::size_t most, std::size_t& left_out) {
  list.size() < most ? list.push_back(std::move(value)) : void(++left_out);
}

}  // namespace

Result<Target> ParseTarget(const std::string& text, const std::string& namespace_name) {
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

struct Collector::State {
  State(const admission::Settings& by, Day day, std::size_t at_most)
      : settings(by), today(day), most(at_most), splitter([this](std::string_view text) {
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
    if (kueue && kind == "Workload") return LookAtWorkload(*object);
    if (kueue && kind == "ClusterQueue") return LookAtClusterQueue(*object);
    if (kueue && kind == "LocalQueue") return LookAtLocalQueue(*object);
    if (IsBetween(kind)) Add(between, ReadObject(*object), most, left_out);
    if (target && !found) LookForTarget(*object);
  }

  void LookForTarget(JsonView object) {
    const ObjectFacts facts = ReadObject(object);
    if (facts.name != target->name || !IsKind(target->kind, facts.kind)) return;
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
    PodFacts pod = ReadPod(object);
    if (!owners.empty() && !only_holders && !owners.contains(pod.owner_uid)) return;
    if (pod.chips > 0 && !pod.node.empty() && !pod.done()) CountChips(pod);
    if (!only_holders) Add(pods, std::move(pod), most, left_out);
  }

  void CountChips(const PodFacts& pod) {
    if (counted >= most) return void(++left_out);
    ++counted;
    chips_by_node[pod.node][Holder(pod)] += pod.chips;
  }

  static std::string Holder(const PodFacts& pod) {
    const bool owned = !pod.owner_name.empty();
    return (owned ? pod.owner_kind + " " + Quoted(pod.owner_name, 253) : pod.Title()) + " in " +
           pod.namespace_name;
  }

  // Of others' events nothing is kept, where it is known by now who belongs to the object.
  void LookAtEvent(JsonView object) {
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

  void LookAtWorkload(JsonView object) {
    snapshot.workloads_known = true;
    workloads.emplace(ReadObject(object).owner_uid, ReadQueueWorkload(object));
    if (workloads.size() > most) workloads.erase(workloads.begin());
  }

  void LookAtClusterQueue(JsonView object) {
    for (FlavorFacts& flavor : ReadFlavors(object)) {
      Add(snapshot.flavors, std::move(flavor), most, left_out);
    }
  }

  void LookAtLocalQueue(JsonView object) {
    if (cluster_queues.size() >= most) return;
    cluster_queues[ReadObject(object).name] =
        Printable(object["spec"]["clusterQueue"].StringOr(""), 253);
  }

  // The object, and all that belongs to it, however many steps away.
  void Gather() {
    snapshot.owners = {snapshot.object};
    std::set<std::string> ours = {snapshot.object.uid};
    // A RayService's pods are three steps away, an LWS's four; a chain of strangers has no end.
    constexpr int kMostSteps = 10;
    bool grown = true;
    for (int step = 0; grown && step < kMostSteps; ++step) {
      grown = false;
      for (const ObjectFacts& facts : between) {
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
  }

  void TakeEvents() {
    std::erase_if(events, [this](const EventFacts& e) { return !relevant.contains(e.uid); });
    std::stable_sort(events.begin(), events.end(),
                     [](const EventFacts& a, const EventFacts& b) { return a.last < b.last; });
    snapshot.events = std::move(events);
  }

  void TakeWorkload() {
    for (const ObjectFacts& owner : snapshot.owners) {
      const auto found_workload = workloads.find(owner.uid);
      if (found_workload != workloads.end()) snapshot.workload = found_workload->second;
    }
    const std::string& queue = snapshot.workload ? snapshot.workload->queue : snapshot.queue;
    const auto cluster_queue = cluster_queues.find(queue);
    std::erase_if(snapshot.flavors, [&](const FlavorFacts& flavor) {
      return cluster_queue == cluster_queues.end() || flavor.cluster_queue != cluster_queue->second;
    });
  }

  // Who has the chips of the nodes that it asks for.
  void TakeHolders() {
    std::map<std::string, std::int64_t> chips;  // by holder
    for (const NodeFacts& node : snapshot.nodes) {
      const bool wished =
          std::any_of(snapshot.wishes.begin(), snapshot.wishes.end(),
                      [&](const WishFacts& wish) { return wish.Shape() == node.Shape(); });
      const auto held = chips_by_node.find(node.name);
      if (!wished || held == chips_by_node.end()) continue;
      for (const auto& [holder, count] : held->second) chips[holder] += count;
    }
    for (const ObjectFacts& own : snapshot.owners) {
      chips.erase(own.kind + " " + Quoted(own.name, 253) + " in " + own.namespace_name);
    }
    std::vector<std::pair<std::int64_t, std::string>> sorted;
    for (const auto& [holder, count] : chips) sorted.emplace_back(count, holder);
    std::sort(sorted.rbegin(), sorted.rend());
    constexpr std::size_t kMostHolders = 5;
    for (const auto& [count, holder] : sorted) {
      if (snapshot.holders.size() == kMostHolders) break;
      snapshot.holders.push_back(holder + ": " + std::to_string(count) + " chips");
    }
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
    return objects.Finish();
  }

  void GetOrSay(Kubectl& kubectl, const std::vector<std::string>& arguments) {
    const Status status = Get(kubectl, arguments);
    if (!status) snapshot.not_read.push_back(status.error().message);
  }

  template <typename Is>
  bool AnyOfOurs(const Is& is) const {
    return std::any_of(pods.begin(), pods.end(),
                       [&](const PodFacts& pod) { return relevant.contains(pod.uid) && is(pod); });
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
    counted = 0;
    chips_by_node.clear();
    GetOrSay(kubectl,
             {"pods", "-A", "--chunk-size=500",
              "--field-selector=spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"});
  }

  const admission::Settings& settings;
  const Day today;
  const std::size_t most;
  std::optional<Target> target;
  bool found = false;
  k8s::JsonParser parser;
  k8s::Arena arena;
  Snapshot snapshot;
  std::vector<ObjectFacts> between;
  std::vector<PodFacts> pods;
  std::vector<EventFacts> events;
  std::map<std::string, QueueFacts> workloads;        // by the uid of their owner
  std::map<std::string, std::string> cluster_queues;  // by LocalQueue
  std::map<std::string, std::map<std::string, std::int64_t>> chips_by_node;  // and holder
  std::size_t counted = 0;         // pods in chips_by_node
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
  const auto get = [&](const std::vector<std::string>& resources, bool in_all = false) {
    std::string list;
    for (const std::string& resource : resources) {
      if (served.contains(resource)) list += (list.empty() ? "" : ",") + resource;
    }
    if (list.empty()) return;
    std::vector<std::string> arguments = {list};
    if (!in_all) arguments.insert(arguments.end(), in_namespace.begin(), in_namespace.end());
    state.GetOrSay(kubectl, arguments);
  };
  if (!is_pod) {
    get({"jobs.batch", "replicasets.apps", "statefulsets.apps", "jobsets.jobset.x-k8s.io",
         "rayclusters.ray.io"});
    state.ExpectPods();
    get({"pods"});
  }
  state.Gather();
  get({"events"});
  const Status nodes = state.Get(
      kubectl, {"nodes", "-l", std::string(workload::kGkeTpuAccelerator), "--chunk-size=500"});
  state.snapshot.nodes_known = nodes.ok();
  if (!nodes) state.snapshot.not_read.push_back(nodes.error().message);
  if (!state.snapshot.queue.empty() || state.snapshot.suspended ||
      state.AnyOfOurs([](const PodFacts& pod) { return !pod.gates.empty(); })) {
    get({"workloads.kueue.x-k8s.io", "localqueues.kueue.x-k8s.io"});
    get({"clusterqueues.kueue.x-k8s.io"}, true);
  }
  if (state.AnyOfOurs([](const PodFacts& pod) { return pod.unschedulable(); })) {
    state.ReadNeighbourhood(kubectl);
  }
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
  state.TakeWorkload();
  state.TakeHolders();
  state.snapshot.left_out = state.left_out;
  return std::move(state.snapshot);
}

}  // namespace tpu_admission::cluster
