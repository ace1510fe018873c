#include "unit/admission/random_pod.h"

#include <array>
#include <random>
#include <string>
#include <vector>

namespace tpu_admission {
namespace {

using nlohmann::json;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  // 0 to sides - 1. The distributions of <random> differ from library to library.
  std::size_t Roll(std::size_t sides) { return std::size_t(engine_() % sides); }
  bool OneIn(std::size_t sides) { return Roll(sides) == 0; }
  template <typename T, std::size_t N>
  const T& Pick(const std::array<T, N>& items) {
    return items[Roll(N)];
  }

 private:
  std::mt19937_64 engine_;
};

const std::array<std::string, 10> kKeys = {
    "app",     "jobset.sigs.k8s.io/job-index", "a~b", "a~1b", "~", "/", "x/y/z", "0", "\"quoted\"",
    "\xC3\xBC"};
const std::array<json, 9> kChips = {"4", 4, "1", "8", "4000m", 4.0, "0", "2", "+4"};
const std::array<json, 9> kCpu = {"1", "1500m", 2, 0.5, "1e1", "0", "230", "1k", ".5"};
const std::array<json, 7> kMemory = {"1Gi", "64Gi", "1e9", 1073741824, "0", "900Gi", "1500M"};
const std::array<std::string, 6> kAccelerators = {"tpu-v6e-slice",   "tpu-v5-lite-podslice",
                                                  "tpu7x",           "tpu-v5p-slice",
                                                  "tpu-v4-podslice", "tpu-v9-slice"};
const std::array<std::string, 8> kTopologies = {"2x2",   "2x4",   "4x4", "1x1",
                                                "2x2x1", "2x2x2", "3x3", "4x4x8"};

json OddMap(Dice& dice) {
  json map = json::object();
  for (std::size_t i = dice.Roll(4); i > 0; --i) map[dice.Pick(kKeys)] = "v";
  return map;
}

// Sets `key` of `parent` to null, to something empty, to `value`, or not at all.
void Maybe(Dice& dice, json& parent, const std::string& key, const json& empty, json value) {
  switch (dice.Roll(5)) {
    case 0:
      break;
    case 1:
      parent[key] = nullptr;
      break;
    case 2:
      parent[key] = empty;
      break;
    default:
      parent[key] = std::move(value);
  }
}

json Amounts(Dice& dice, const json& chips) {
  json amounts = json::object();
  if (!chips.is_null()) amounts["google.com/tpu"] = chips;
  if (dice.OneIn(3)) amounts["cpu"] = dice.Pick(kCpu);
  if (dice.OneIn(3)) amounts["memory"] = dice.Pick(kMemory);
  if (dice.OneIn(6)) amounts["example.com/a~b"] = 1;
  if (dice.OneIn(9)) amounts["cpu"] = nullptr;
  return amounts;
}

json Container(Dice& dice, std::size_t number) {
  json container = {{"name", "c" + std::to_string(number)}, {"image", "example.com/i"}};
  const json chips = dice.OneIn(2) ? dice.Pick(kChips) : json();
  json resources = json::object();
  if (chips.is_null()) {
    Maybe(dice, resources, "requests", json::object(), Amounts(dice, nullptr));
    Maybe(dice, resources, "limits", json::object(), Amounts(dice, nullptr));
  } else {
    resources["limits"] = Amounts(dice, chips);
    Maybe(dice, resources, "requests", json::object(),
          Amounts(dice, dice.OneIn(2) ? chips : json()));
  }
  if (chips.is_null()) {
    Maybe(dice, container, "resources", json::object(), resources);
  } else {
    container["resources"] = resources;
  }
  Maybe(dice, container, "env", json::array(), json::array({{{"name", "A"}, {"value", "b"}}}));
  return container;
}

json Containers(Dice& dice, std::size_t most, bool init) {
  json list = json::array();
  for (std::size_t i = dice.Roll(most + 1); i > 0; --i) {
    list.push_back(Container(dice, list.size()));
    if (init && dice.OneIn(2)) list.back()["restartPolicy"] = "Always";
  }
  return list;
}

json Tolerations(Dice& dice) {
  static const std::array<json, 5> kTolerations = {
      json{{"key", "dedicated"}, {"operator", "Exists"}},
      json{{"key", "google.com/tpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}},
      json{{"key", "google.com/tpu"}, {"value", "other"}}, json{{"operator", "Exists"}},
      json{{"key", "nvidia.com/gpu"}, {"effect", nullptr}}};
  json list = json::array();
  for (std::size_t i = dice.Roll(3); i > 0; --i) list.push_back(dice.Pick(kTolerations));
  return list;
}

json NodeSelector(Dice& dice) {
  json selector = OddMap(dice);
  if (!dice.OneIn(5)) selector["cloud.google.com/gke-tpu-accelerator"] = dice.Pick(kAccelerators);
  if (!dice.OneIn(5)) selector["cloud.google.com/gke-tpu-topology"] = dice.Pick(kTopologies);
  if (dice.OneIn(8)) selector["topology.kubernetes.io/zone"] = "us-east5-b";
  return selector;
}

json Affinity(Dice& dice) {
  json terms = json::array();
  for (std::size_t i = dice.Roll(3); i > 0; --i) {
    const json in = {{"key", "cloud.google.com/gke-tpu-topology"},
                     {"operator", dice.OneIn(4) ? "NotIn" : "In"},
                     {"values", json::array({dice.Pick(kTopologies), dice.Pick(kTopologies)})}};
    terms.push_back({{"matchExpressions", json::array({in})}});
  }
  return {{"nodeAffinity",
           {{"requiredDuringSchedulingIgnoredDuringExecution", {{"nodeSelectorTerms", terms}}}}}};
}

// What the controllers write into the pods of workers, and what it may look like when it is wrong.
struct Role {
  std::string version, owner, name;
  json labels;
};
const std::array<Role, 6> kRoles = {{
    {"apps/v1", "StatefulSet", "serve-5", json::object()},
    {"ray.io/v1", "RayCluster", "r",
     json{{"ray.io/node-type", "worker"},
          {"ray.io/group", "g"},
          {"ray.io/cluster", "c"},
          {"ray.io/worker-group-replica-index", "1"},
          {"ray.io/worker-group-replica-name", "g-x7k2p"},
          {"ray.io/replica-host-index", "1"}}},
    {"batch/v1", "Job", "train-3-abcde",
     json{{"batch.kubernetes.io/job-name", "train"},
          {"batch.kubernetes.io/job-completion-index", "3"}}},
    {"batch/v1", "Job", "ms-w-1-1-abcde",
     json{{"jobset.sigs.k8s.io/jobset-name", "ms"},
          {"jobset.sigs.k8s.io/replicatedjob-name", "w"},
          {"jobset.sigs.k8s.io/replicatedjob-replicas", "2"},
          {"jobset.sigs.k8s.io/coordinator", "ms-w-0-0.serve"},
          {"jobset.sigs.k8s.io/job-index", "1"},
          {"batch.kubernetes.io/job-name", "ms-w-1"},
          {"batch.kubernetes.io/job-completion-index", "1"}}},
    {"kubeflow.org/v1", "JAXJob", "tune-worker-1",
     json{{"training.kubeflow.org/job-name", "tune"},
          {"training.kubeflow.org/replica-type", "worker"},
          {"training.kubeflow.org/replica-index", "1"}}},
    {"example.com/v1", "Experiment", "x-1", json::object()},
}};
const std::array<std::string, 8> kVariables = {
    "TPU_WORKER_ID",      "TPU_WORKER_HOSTNAMES", "TPU_PROCESS_ADDRESSES",         "TPU_NAME",
    "TPU_PROCESS_BOUNDS", "MEGASCALE_NUM_SLICES", "MEGASCALE_COORDINATOR_ADDRESS", "A"};
const std::array<json, 9> kValues = {"0",       "1", "localhost", "2",    "",
                                     "a.b,c.d", ",", "$(A)",      nullptr};

void AddVariables(Dice& dice, json& container) {
  if (dice.OneIn(3)) container["env"] = dice.OneIn(2) ? json(nullptr) : json::array();
  if (dice.OneIn(12)) container["envFrom"] = json::array({{{"configMapRef", {{"name", "c"}}}}});
  if (!dice.OneIn(3)) return;
  if (!container["env"].is_array()) container["env"] = json::array();
  for (std::size_t i = dice.Roll(3) + 1; i > 0; --i) {
    json variable = {{"name", dice.Pick(kVariables)}};
    const json value = dice.Pick(kValues);
    if (value.is_null()) {
      variable["valueFrom"] = {{"fieldRef", {{"fieldPath", "metadata.name"}}}};
    } else {
      variable["value"] = value;
    }
    container["env"].push_back(variable);
  }
}

}  // namespace

json RandomWorker(std::uint64_t seed) {
  Dice dice(seed);
  json pod = RandomPod(seed);
  const Role& role = dice.Pick(kRoles);
  pod["metadata"]["name"] = role.name;
  pod["metadata"]["labels"] = role.labels;
  json& labels = pod["metadata"]["labels"];
  if (!labels.empty() && dice.OneIn(9)) labels.erase(labels.begin());
  pod["metadata"]["ownerReferences"] = json::array(
      {{{"apiVersion", role.version}, {"kind", role.owner}, {"name", "o"}, {"controller", true}}});
  json& spec = pod["spec"];
  const bool two = dice.OneIn(4);
  spec["nodeSelector"] = {{"cloud.google.com/gke-tpu-accelerator", two ? "tpu7x" : "tpu-v6e-slice"},
                          {"cloud.google.com/gke-tpu-topology", two             ? "2x2x2"
                                                                : dice.OneIn(4) ? "2x2"
                                                                                : "4x4"}};
  spec["containers"] = json::array();
  for (int i = 0; i < (two ? 2 : 1); ++i) {
    json container = Container(dice, std::size_t(i));
    container["resources"] = {{"limits", {{"google.com/tpu", two ? "2" : "4"}}}};
    AddVariables(dice, container);
    spec["containers"].push_back(container);
  }
  Maybe(dice, spec, "subdomain", "", "serve");
  Maybe(dice, spec, "hostname", "", role.name.substr(0, role.name.rfind("-abcde")));
  return pod;
}

json RandomPod(std::uint64_t seed) {
  Dice dice(seed);
  json spec = json::object();
  spec["containers"] = Containers(dice, dice.OneIn(4) ? 12 : 3, false);
  Maybe(dice, spec, "initContainers", json::array(), Containers(dice, 3, true));
  Maybe(dice, spec, "tolerations", json::array(), Tolerations(dice));
  Maybe(dice, spec, "nodeSelector", json::object(), NodeSelector(dice));
  if (dice.OneIn(2)) spec["nodeSelector"] = NodeSelector(dice);
  Maybe(dice, spec, "affinity", json::object(), dice.OneIn(2) ? Affinity(dice) : json::object());
  if (dice.OneIn(8)) spec["overhead"] = {{"cpu", "250m"}, {"memory", "120Mi"}};
  if (dice.OneIn(10)) spec["schedulingGates"] = json::array({{{"name", "g"}}});
  if (dice.OneIn(10)) spec["resources"] = {{"requests", {{"cpu", "8"}}}};
  if (dice.OneIn(4)) spec["hostNetwork"] = true;
  Maybe(dice, spec, "dnsPolicy", "ClusterFirst", dice.OneIn(2) ? "Default" : "ClusterFirst");
  json metadata = {{"name", "p" + std::to_string(seed)}};
  if (dice.OneIn(2)) {
    metadata["ownerReferences"] = json::array(
        {{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", "j"}, {"controller", true}}});
  }
  Maybe(dice, metadata, "labels", json::object(), OddMap(dice));
  Maybe(dice, metadata, "annotations", json::object(), OddMap(dice));
  if (dice.OneIn(10)) metadata["labels"] = {{"kueue.x-k8s.io/queue-name", "q"}};
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", metadata}, {"spec", spec}};
}

}  // namespace tpu_admission
