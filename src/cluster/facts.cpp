#include "cluster/facts.h"

#include <algorithm>
#include <array>

#include "tpu_admission/base/text.h"
#include "tpu_admission/base/yaml.h"
#include "tpu_admission/k8s/decoder.h"
#include "tpu_admission/k8s/quantity.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/tpu_variables.h"

namespace tpu_admission::cluster {
namespace {

using k8s::JsonView;

constexpr std::size_t kMostName = 253;

std::string Text(JsonView value, std::size_t most = kMostName) {
  return Printable(value.StringOr(""), most);
}

// Each of the first elements of a list.
template <typename Each>
void ForEach(JsonView list, const Each& each, std::size_t most = kMostParts) {
  if (!list.is_array()) return;
  for (std::size_t i = 0; i < std::min(list.size(), most); ++i) each(list.Element(i));
}

// A quantity that is a whole number, as text or as a JSON number; else 0.
std::int64_t Whole(JsonView value) {
  if (const auto number = value.AsInteger()) return std::max<std::int64_t>(*number, 0);
  const auto quantity = k8s::Quantity::Parse(value.StringOr(""));
  if (!quantity || quantity->IsNegative()) return 0;
  return quantity->AsInteger().value_or(0);
}

Labels ReadLabels(JsonView map) {
  Labels labels;
  if (!map.is_object()) return labels;
  for (std::size_t i = 0; i < std::min(map.size(), kMostLabels); ++i) {
    labels.emplace(Printable(map.MemberKey(i), kMostName), Text(map.Member(i)));
  }
  return labels;
}

// nodeSelector, and the labels that the one term of the required affinity gives one value.
Labels ReadSelector(JsonView spec) {
  Labels selector = ReadLabels(spec["nodeSelector"]);
  const JsonView terms = spec.Follow(
      "affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");
  if (terms.size() != 1) return selector;
  ForEach(terms.Element(0)["matchExpressions"], [&](JsonView expression) {
    const JsonView values = expression["values"];
    if (expression["operator"].StringOr("") != "In" || values.size() != 1) return;
    selector.emplace(Text(expression["key"]), Text(values.Element(0)));
  });
  return selector;
}

TaintFacts ReadTaint(JsonView taint) {
  return {Text(taint["key"]), Text(taint["operator"], 16), Text(taint["value"]),
          Text(taint["effect"], 32)};
}

ContainerFacts ReadContainer(JsonView status, bool init) {
  ContainerFacts facts;
  facts.name = Text(status["name"], 63);
  facts.init = init;
  facts.ready = status["ready"].IsTrue();
  facts.restarts = status["restartCount"].AsInteger().value_or(0);
  const JsonView state = status["state"];
  facts.running = state["running"].is_object();
  facts.waiting = Text(state["waiting"]["reason"], 63);
  facts.message = Text(state["waiting"]["message"], kMostText);
  JsonView ended = state["terminated"];
  if (!ended.is_object()) ended = status["lastState"]["terminated"];
  if (!ended.is_object()) return facts;
  facts.ended = Text(ended["reason"], 63);
  facts.exit_code = ended["exitCode"].AsInteger();
  // "back-off 5m0s restarting" says less than the container's own last words.
  const std::string last_words = Text(ended["message"], kMostText);
  const bool backs_off = facts.waiting == "CrashLoopBackOff" && !last_words.empty();
  if (facts.message.empty() || backs_off) facts.message = last_words;
  return facts;
}

// Which containers end where they need more memory, and which only where their node has no more.
void ReadMemoryLimits(JsonView spec, std::vector<ContainerFacts>& containers) {
  const auto has_limit = [](JsonView holder) {
    return holder["resources"]["limits"]["memory"].has_value();
  };
  for (ContainerFacts& facts : containers) {
    facts.limits_memory = has_limit(spec);
    ForEach(spec[facts.init ? "initContainers" : "containers"], [&](JsonView container) {
      if (Text(container["name"], 63) != facts.name) return;
      facts.limits_memory = facts.limits_memory || has_limit(container);
    });
  }
}

// What a pod asks for, and which workers it is told of.
void ReadContainersOf(JsonView spec, PodFacts& pod) {
  ForEach(spec["containers"], [&pod](JsonView container) {
    pod.chips += Whole(container["resources"]["limits"][workload::kTpuResource]);
    ForEach(container["env"], [&pod](JsonView variable) {
      const std::string_view names = variable["value"].StringOr("");
      if (variable["name"].StringOr("") != workload::kTpuWorkerHostNames || names.empty()) return;
      pod.hosts = 1 + std::count(names.begin(), names.end(), ',');
    });
  });
}

QueueFacts::Check ReadCheck(JsonView check) {
  return {Text(check["name"]), Text(check["state"], 63), Text(check["message"], kMostText)};
}

std::string MemberText(const YamlNode& node, std::string_view key) {
  const YamlMember* member = node.Find(key);
  return member == nullptr ? "" : Printable(member->value->text, kMostText);
}

const YamlNode* Follow(const YamlNode* node, std::string_view key) {
  if (node == nullptr || node->kind != YamlNode::Kind::kMap) return nullptr;
  const YamlMember* member = node->Find(key);
  return member == nullptr ? nullptr : member->value;
}

ScaleGroupFacts ReadScaleGroup(const YamlNode& group) {
  ScaleGroupFacts facts;
  facts.name = MemberText(group, "name");
  const YamlNode* scale_up = Follow(&group, "scaleUp");
  if (scale_up == nullptr || scale_up->kind != YamlNode::Kind::kMap) return facts;
  facts.state = MemberText(*scale_up, "status");
  const YamlNode* backoff = Follow(scale_up, "backoffInfo");
  if (backoff == nullptr || backoff->kind != YamlNode::Kind::kMap) return facts;
  facts.error = MemberText(*backoff, "errorCode");
  facts.message = MemberText(*backoff, "errorMessage");
  return facts;
}

// What people write by hand has no uid: kind and name say who it is, as they do in references to
// it.
std::string UidOf(const std::string& uid, const std::string& kind,
                  const std::string& namespace_name, const std::string& name) {
  return !uid.empty() || name.empty() ? uid : kind + " " + namespace_name + "/" + name;
}

}  // namespace

ObjectFacts ReadObject(JsonView object) {
  const JsonView metadata = object["metadata"];
  ObjectFacts facts;
  facts.api_version = Text(object["apiVersion"]);
  facts.kind = Text(object["kind"], 63);
  facts.namespace_name = Text(metadata["namespace"], 63);
  facts.name = Text(metadata["name"]);
  facts.uid = UidOf(Text(metadata["uid"], 63), facts.kind, facts.namespace_name, facts.name);
  facts.created = Text(metadata["creationTimestamp"], 40);
  facts.being_deleted = metadata["deletionTimestamp"].has_value();
  ForEach(metadata["finalizers"], [&](JsonView name) { facts.finalizers.push_back(Text(name)); });
  ForEach(metadata["ownerReferences"], [&facts](JsonView owner) {
    if (!facts.owner_uid.empty() && !owner["controller"].IsTrue()) return;
    facts.owner_kind = Text(owner["kind"], 63);
    facts.owner_name = Text(owner["name"]);
    facts.owner_uid =
        UidOf(Text(owner["uid"], 63), facts.owner_kind, facts.namespace_name, facts.owner_name);
  });
  return facts;
}

std::vector<ConditionFacts> ReadConditions(JsonView object) {
  std::vector<ConditionFacts> conditions;
  ForEach(object["status"]["conditions"], [&](JsonView condition) {
    conditions.push_back({Text(condition["type"]), Text(condition["status"], 16),
                          Text(condition["reason"]), Text(condition["message"], kMostText)});
  });
  return conditions;
}

PodFacts ReadPod(JsonView object) {
  PodFacts pod;
  static_cast<ObjectFacts&>(pod) = ReadObject(object);
  const JsonView spec = object["spec"];
  const JsonView status = object["status"];
  pod.phase = Text(status["phase"], 16);
  pod.reason = Text(status["reason"], 63);
  pod.message = Text(status["message"], kMostText);
  pod.node = Text(spec["nodeName"]);
  pod.scheduler = Text(spec["schedulerName"]);
  if (pod.scheduler.empty()) pod.scheduler = "default-scheduler";  // as the API server writes it
  ForEach(spec["schedulingGates"], [&](JsonView gate) { pod.gates.push_back(Text(gate["name"])); });
  pod.conditions = ReadConditions(object);
  ForEach(status["initContainerStatuses"],
          [&](JsonView container) { pod.containers.push_back(ReadContainer(container, true)); });
  ForEach(status["containerStatuses"],
          [&](JsonView container) { pod.containers.push_back(ReadContainer(container, false)); });
  ForEach(spec["tolerations"], [&](JsonView t) { pod.tolerations.push_back(ReadTaint(t)); });
  pod.selector = ReadSelector(spec);
  pod.labels = ReadLabels(object["metadata"]["labels"]);
  pod.has_claims = spec["resourceClaims"].size() > 0;
  ReadMemoryLimits(spec, pod.containers);
  ReadContainersOf(spec, pod);
  return pod;
}

EventFacts ReadEvent(JsonView object) {
  const JsonView about = object["involvedObject"];
  EventFacts event{Text(about["kind"], 63),
                   Text(about["name"]),
                   {},
                   Text(object["reason"]),
                   Text(object["message"], kMostText),
                   {}};
  event.uid = UidOf(Text(about["uid"], 63), event.kind, Text(about["namespace"], 63), event.name);
  // The old and the new API of events write different ones of these.
  const std::array times = {object["series"]["lastObservedTime"], object["lastTimestamp"],
                            object["eventTime"], object["metadata"]["creationTimestamp"]};
  for (const JsonView time : times) event.last = std::max(event.last, Text(time, 40));
  return event;
}

NodeFacts ReadNode(JsonView object) {
  NodeFacts node;
  node.name = Text(object["metadata"]["name"]);
  node.labels = ReadLabels(object["metadata"]["labels"]);
  node.pool = LabelOf(node.labels, workload::kGkeNodePool);
  node.accelerator = LabelOf(node.labels, workload::kGkeTpuAccelerator);
  node.topology = LabelOf(node.labels, workload::kGkeTpuTopology);
  node.chips = Whole(object["status"]["allocatable"][workload::kTpuResource]);
  for (const ConditionFacts& condition : ReadConditions(object)) {
    if (condition.type == "Ready") node.ready = condition.is_true();
  }
  ForEach(object["spec"]["taints"], [&](JsonView t) { node.taints.push_back(ReadTaint(t)); });
  node.cordoned = object["spec"]["unschedulable"].IsTrue();
  return node;
}

QueueFacts ReadQueueWorkload(JsonView object) {
  QueueFacts facts;
  facts.name = Text(object["metadata"]["name"]);
  facts.queue = Text(object["spec"]["queueName"]);
  const JsonView active = object["spec"]["active"];
  facts.active = !active.has_value() || active.IsTrue();
  facts.conditions = ReadConditions(object);
  ForEach(object["status"]["admissionChecks"],
          [&](JsonView check) { facts.checks.push_back(ReadCheck(check)); });
  return facts;
}

std::vector<FlavorFacts> ReadFlavors(JsonView object) {
  std::vector<FlavorFacts> flavors;
  const std::string queue = Text(object["metadata"]["name"]);
  ForEach(object["spec"]["resourceGroups"], [&](JsonView group) {
    ForEach(group["flavors"], [&](JsonView flavor) {
      ForEach(flavor["resources"], [&](JsonView resource) {
        if (resource["name"].StringOr("") != workload::kTpuResource) return;
        flavors.push_back({queue, Text(flavor["name"]), Whole(resource["nominalQuota"]), 0});
      });
    });
  });
  ForEach(object["status"]["flavorsReservation"], [&](JsonView flavor) {
    ForEach(flavor["resources"], [&](JsonView resource) {
      if (resource["name"].StringOr("") != workload::kTpuResource) return;
      for (FlavorFacts& facts : flavors) {
        if (facts.flavor == Text(flavor["name"])) facts.used = Whole(resource["total"]);
      }
    });
  });
  return flavors;
}

std::vector<ScaleGroupFacts> ReadScaleGroups(JsonView object) {
  constexpr std::size_t kMostGroups = 1000;
  std::vector<ScaleGroupFacts> groups;
  const YamlStream stream =
      ReadYaml(object["data"]["status"].StringOr(""), {.max_values = 100'000});
  for (const YamlDocument& document : stream.documents) {
    const YamlNode* list = Follow(document.root, "nodeGroups");
    if (list == nullptr) continue;
    for (const YamlNode* group : list->items) {
      if (group->kind != YamlNode::Kind::kMap || groups.size() >= kMostGroups) continue;
      groups.push_back(ReadScaleGroup(*group));
    }
  }
  return groups;
}

}  // namespace tpu_admission::cluster
