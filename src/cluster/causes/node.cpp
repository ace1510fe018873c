// Pods that have a node and do not run on it. The reasons are the kubelet's.
#include <algorithm>

#include "cluster/causes/causes.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::cluster {
namespace {

const PodFacts* FirstPod(const Snapshot& s, const std::function<bool(const PodFacts&)>& fits) {
  const auto found = std::find_if(s.pods.begin(), s.pods.end(), fits);
  return found == s.pods.end() ? nullptr : &*found;
}

std::string SayStatus(const PodFacts& pod) {
  return pod.Title() + ": " + pod.phase + (pod.reason.empty() ? "" : " (" + pod.reason + ")") +
         (pod.message.empty() ? "" : ": " + pod.message);
}

struct Trouble {
  const PodFacts* pod = nullptr;
  const ContainerFacts* container = nullptr;
  std::string Where() const { return pod->Title() + ", container " + Quoted(container->name, 63); }
};

// Then its containers were ended with it, whatever their exit codes.
bool LostItsNode(const PodFacts& pod) {
  const ConditionFacts* disruption = pod.Condition("DisruptionTarget");
  return disruption != nullptr && disruption->is_true();
}

std::optional<Trouble> FirstContainer(const Snapshot& s,
                                      const std::function<bool(const ContainerFacts&)>& fits) {
  for (const PodFacts& pod : s.pods) {
    if (pod.phase == "Succeeded" || LostItsNode(pod)) continue;
    for (const ContainerFacts& container : pod.containers) {
      if (fits(container)) return Trouble{&pod, &container};
    }
  }
  return std::nullopt;
}

std::optional<Found> Waiting(const Snapshot& s, const std::vector<std::string_view>& reasons,
                             const std::string& text) {
  const auto trouble = FirstContainer(s, [&](const ContainerFacts& container) {
    return std::find(reasons.begin(), reasons.end(), container.waiting) != reasons.end();
  });
  if (!trouble) return std::nullopt;
  return Found{
      text + ": container " + Quoted(trouble->container->name, 63),
      {trouble->Where() + ": " + trouble->container->waiting + ": " + trouble->container->message}};
}

// The newest event of a reason about a pod that does not run yet.
const EventFacts* EventOfWaitingPod(const Snapshot& s,
                                    const std::vector<std::string_view>& reasons) {
  return LastEvent(s, [&](const EventFacts& event) {
    const bool fits = std::find(reasons.begin(), reasons.end(), event.reason) != reasons.end();
    return fits && FirstPod(s, [&](const PodFacts& pod) {
                     return pod.uid == event.uid && pod.phase == "Pending" && !pod.node.empty();
                   }) != nullptr;
  });
}

std::string SayEnd(const ContainerFacts& container) {
  std::string text = container.ended;
  if (container.exit_code) text += " (exit code " + std::to_string(*container.exit_code) + ")";
  if (container.restarts > 0) text += ", " + Counted(std::size_t(container.restarts), "restart");
  return container.message.empty() ? text : text + ": " + container.message;
}

bool IsInitThatRuns(const ContainerFacts& container) {  // a sidecar is ready
  return container.init && container.running && !container.ready;
}

// By the device plugin, where the pod asks for a number that it never gives to one.
bool IsWrongCount(const PodFacts& pod) {
  return pod.reason == "UnexpectedAdmissionError" &&
         Has(pod.message, "invalid TPU chip count request");
}

}  // namespace

std::optional<Found> FindChipsRefused(const Snapshot& s) {
  const PodFacts* pod =
      FirstPod(s, [](const PodFacts& p) { return p.phase == "Failed" && IsWrongCount(p); });
  if (pod == nullptr) return std::nullopt;
  return Found{"refused on the node: its pods ask for " + Counted(std::size_t(pod->chips), "chip") +
                   ", and the device plugin of the node does not give that many to one pod",
               {SayStatus(*pod)}};
}

std::optional<Found> FindNodeRefused(const Snapshot& s) {
  const PodFacts* pod = FirstPod(s, [](const PodFacts& p) {
    return p.phase == "Failed" && (p.reason.starts_with("OutOf") || p.reason == "NodeAffinity" ||
                                   p.reason == "TopologyAffinityError" || p.reason == "NodePorts" ||
                                   (p.reason == "UnexpectedAdmissionError" && !IsWrongCount(p)));
  });
  if (pod == nullptr) return std::nullopt;
  Found found{"refused on the node " + Quoted(pod->node, 253) + ": " + pod->reason,
              {SayStatus(*pod)}};
  // A node that starts again admits pods before its device plugin does: kubernetes issue 125579.
  if (pod->reason == "UnexpectedAdmissionError") {
    found.change =
        "create the pods again: the node had restarted, or its device plugin was not ready";
  }
  return found;
}

std::optional<Found> FindEvicted(const Snapshot& s) {
  const PodFacts* pod = FirstPod(s, LostItsNode);
  if (pod == nullptr) return std::nullopt;
  const ConditionFacts& disruption = *pod->Condition("DisruptionTarget");
  return Found{
      Counted(CountPods(s, LostItsNode), "pod") + " of it lost the node: " + disruption.reason,
      {Say(*pod, disruption)}};
}

std::optional<Found> FindNodeLost(const Snapshot& s) {
  const auto nodes = NodesByName(s);
  for (const PodFacts& pod : s.pods) {
    if (pod.node.empty() || pod.done() || !s.nodes_known || pod.chips == 0) continue;
    const auto node = nodes.find(pod.node);
    const bool gone = node == nodes.end();
    if (!gone && node->second->ready) continue;
    // Only nodes that GKE has labelled are read.
    const bool is_labelled = pod.selector.contains(std::string(workload::kGkeTpuAccelerator));
    if (gone && (!s.nodes_whole || s.left_out > 0 || !is_labelled)) continue;
    const std::string state = gone ? "is gone" : "is not Ready";
    return Found{"the node " + Quoted(pod.node, 253) + " of " + pod.Title() + " " + state,
                 {"node " + pod.node + " " + state, SayStatus(pod)}};
  }
  return std::nullopt;
}

std::optional<Found> FindImage(const Snapshot& s) {
  return Waiting(s, {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"},
                 "an image cannot be pulled");
}

std::optional<Found> FindConfiguration(const Snapshot& s) {
  return Waiting(s, {"CreateContainerConfigError", "CreateContainerError", "RunContainerError"},
                 "a container cannot be made");
}

std::optional<Found> FindMount(const Snapshot& s) {
  const EventFacts* event = EventOfWaitingPod(s, {"FailedMount", "FailedAttachVolume"});
  if (event == nullptr) return std::nullopt;
  return Found{"a volume cannot be mounted on the node", {Say(*event)}};
}

std::optional<Found> FindSandbox(const Snapshot& s) {
  const EventFacts* event = EventOfWaitingPod(
      s, {"FailedCreatePodSandBox", "NetworkNotReady", "FailedCreatePodContainer"});
  if (event == nullptr) return std::nullopt;
  return Found{"the node cannot start its pods", {Say(*event)}};
}

std::optional<Found> FindOutOfMemory(const Snapshot& s) {
  const auto trouble = FirstContainer(s, [](const ContainerFacts& container) {
    return container.ended == "OOMKilled" && !container.ready;
  });
  if (!trouble) return std::nullopt;
  const std::string container = "container " + Quoted(trouble->container->name, 63);
  const std::vector<std::string> evidence = {trouble->Where() + ": " + SayEnd(*trouble->container)};
  if (trouble->container->limits_memory) {
    return Found{container + " needs more memory of the host than its limit", evidence};
  }
  return Found{container + " was killed, as its node ran out of memory; it has no memory limit",
               evidence, "request the memory that it needs, or load less at once"};
}

std::optional<Found> FindCrash(const Snapshot& s) {
  const auto trouble = FirstContainer(s, [](const ContainerFacts& container) {
    return container.waiting == "CrashLoopBackOff" ||
           (container.exit_code.value_or(0) != 0 && !container.running);
  });
  if (!trouble) return std::nullopt;
  const std::string code = trouble->container->exit_code
                               ? " with exit code " + std::to_string(*trouble->container->exit_code)
                               : "";
  return Found{"container " + Quoted(trouble->container->name, 63) + " ends" + code,
               {trouble->Where() + ": " + SayEnd(*trouble->container)}};
}

std::optional<Found> FindInitWaits(const Snapshot& s) {
  for (const PodFacts& pod : s.pods) {
    const auto init = std::find_if(pod.containers.begin(), pod.containers.end(), IsInitThatRuns);
    if (pod.phase != "Pending" || init == pod.containers.end()) continue;
    const std::string name = "init container " + Quoted(init->name, 63);
    return Found{name + " has not ended yet", {pod.Title() + ", " + name + ": running"}};
  }
  return std::nullopt;
}

std::optional<Found> FindStarting(const Snapshot& s) {
  const PodFacts* pod = FirstPod(s, [](const PodFacts& p) {
    return p.phase == "Pending" && !p.node.empty() && !p.being_deleted;
  });
  if (pod == nullptr) return std::nullopt;
  return Found{"its pods have nodes and are being started", {SayStatus(*pod) + " on " + pod->node}};
}

}  // namespace tpu_admission::cluster
