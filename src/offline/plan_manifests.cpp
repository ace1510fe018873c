#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "offline/emit.h"
#include "offline/yaml_text.h"
#include "tpu_admission/base/line_index.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/reservation.h"

namespace tpu_admission::offline {
namespace {

using fmt::arg;

// As much of what a node gives as the request fix of the webhook takes.
constexpr std::int64_t kSharePercent = 80;

std::string Container(const Emitted& plan, std::string_view name) {
  const tpu::Allocatable& node = plan.way.placement.machine->allocatable;
  return fmt::format(
      "containers:\n"
      "- name: {name}\n"
      "  image: {image}\n"
      "  resources:\n"
      "    requests:\n"
      "      cpu: {cpu}m\n"
      "      memory: {memory}Mi\n"
      "      google.com/tpu: {chips}\n"
      "    limits:\n"
      "      google.com/tpu: {chips}\n",
      arg("name", name), arg("image", plan.image()),
      arg("cpu", node.cpu_millis * kSharePercent / 100),
      arg("memory", node.memory_mib * kSharePercent / 100),
      arg("chips", plan.way.placement.chips_per_host()));
}

std::string PodSpec(const Emitted& plan, std::string_view before, std::string_view container) {
  return std::string(before) + NodeLabels(plan, "nodeSelector") + Container(plan, container);
}

// A headless Service, by which the pods of a slice find each other before they are ready.
std::string Headless(const Emitted& plan, std::string_view selector) {
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Service\n"
      "metadata:\n"
      "  name: {name}\n"
      "spec:\n"
      "  clusterIP: None\n"
      "  publishNotReadyAddresses: true\n"
      "  selector:\n"
      "    {selector}: {name}\n"
      "---\n",
      arg("name", plan.name()), arg("selector", selector));
}

Error NeedsOthers(const Emitted& plan, std::string_view kind) {
  return Error{fmt::format("a {} cannot run on {}, whose {} hosts must find each other: emit {}",
                           kind, plan.way.placement.topology.Text(), plan.way.placement.hosts,
                           plan.way.slices > 1 ? "jobset, lws or raycluster"
                                               : "job, jobset, lws, statefulset or raycluster")};
}

// Nothing in such a kind keeps the pods of a slice together.
Error IsOneSlice(const Emitted& plan, std::string_view kind) {
  return Error{fmt::format(
      "the {0} pods of a {1} on {2} slices of {3} hosts would mix, as nothing in it keeps those of "
      "a slice together; emit jobset, lws or raycluster, or a {1} for each slice",
      plan.way.placement.hosts * plan.way.slices, kind, plan.way.slices, plan.way.placement.hosts)};
}

}  // namespace

std::string Indented(std::string_view text, std::size_t spaces) {
  std::string indented;
  while (!text.empty()) {
    const std::string_view line = FirstLine(text);
    indented.append(spaces, ' ').append(line);
    text.remove_prefix(line.size());
  }
  return indented;
}

std::string Emitted::name() const { return Written(naming.name); }

std::string Emitted::image() const {
  const std::string& text = naming.image;
  const bool has_letter =
      std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  const bool is_path = has_letter && text.find_first_of(":/") != text.npos;
  return is_path ? text : Written(text);
}

Result<std::string> EmitPod(const Emitted& plan) {
  if (plan.way.placement.multi_host()) return NeedsOthers(plan, "Pod");
  if (plan.way.slices > 1) return Error{"a Pod is one slice; emit job or deployment for several"};
  return fmt::format(
             "apiVersion: v1\n"
             "kind: Pod\n"
             "metadata:\n"
             "  name: {}\n"
             "spec:\n",
             plan.name()) +
         Indented(PodSpec(plan, "restartPolicy: Never\n", "jax"), 2);
}

Result<std::string> EmitDeployment(const Emitted& plan) {
  if (plan.way.placement.multi_host()) return NeedsOthers(plan, "Deployment");
  return fmt::format(
             "apiVersion: apps/v1\n"
             "kind: Deployment\n"
             "metadata:\n"
             "  name: {name}\n"
             "spec:\n"
             "  replicas: {replicas}\n"
             "  selector:\n"
             "    matchLabels:\n"
             "      app: {name}\n"
             "  template:\n"
             "    metadata:\n"
             "      labels:\n"
             "        app: {name}\n"
             "    spec:\n",
             arg("name", plan.name()), arg("replicas", plan.way.slices)) +
         Indented(PodSpec(plan, "", "server"), 6);
}

Result<std::string> EmitJob(const Emitted& plan) {
  if (plan.way.placement.multi_host() && plan.way.slices > 1) return IsOneSlice(plan, "Job");
  std::string before = "restartPolicy: Never\n";
  if (plan.way.placement.multi_host()) before += "subdomain: " + plan.name() + "\n";
  return (plan.way.placement.multi_host() ? Headless(plan, workload::kJobName) : "") +
         fmt::format(
             "apiVersion: batch/v1\n"
             "kind: Job\n"
             "metadata:\n"
             "  name: {name}\n"
             "spec:\n"
             "  completionMode: Indexed\n"
             "  parallelism: {pods}\n"
             "  completions: {pods}\n"
             "  backoffLimit: 0\n"
             "  template:\n"
             "    spec:\n",
             arg("name", plan.name()), arg("pods", plan.way.placement.hosts * plan.way.slices)) +
         Indented(PodSpec(plan, before, "jax"), 6);
}

Result<std::string> EmitJobSet(const Emitted& plan) {
  return fmt::format(
             "apiVersion: jobset.x-k8s.io/v1alpha2\n"
             "kind: JobSet\n"
             "metadata:\n"
             "  name: {name}\n"
             "  annotations:\n"
             "    alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool\n"
             "spec:\n"
             "  replicatedJobs:\n"
             "  - name: slice\n"
             "    replicas: {slices}\n"
             "    template:\n"
             "      spec:\n"
             "        completionMode: Indexed\n"
             "        parallelism: {hosts}\n"
             "        completions: {hosts}\n"
             "        backoffLimit: 0\n"
             "        template:\n"
             "          spec:\n",
             arg("name", plan.name()), arg("slices", plan.way.slices),
             arg("hosts", plan.way.placement.hosts)) +
         Indented(PodSpec(plan, "restartPolicy: Never\n", "jax"), 12);
}

Result<std::string> EmitLeaderWorkerSet(const Emitted& plan) {
  return fmt::format(
             "apiVersion: leaderworkerset.x-k8s.io/v1\n"
             "kind: LeaderWorkerSet\n"
             "metadata:\n"
             "  name: {name}\n"
             "  annotations:\n"
             "    leaderworkerset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool\n"
             "spec:\n"
             "  replicas: {slices}\n"
             "  leaderWorkerTemplate:\n"
             "    size: {hosts}\n"
             "    restartPolicy: RecreateGroupOnPodRestart\n"
             "    workerTemplate:\n"
             "      spec:\n",
             arg("name", plan.name()), arg("slices", plan.way.slices),
             arg("hosts", plan.way.placement.hosts)) +
         Indented(PodSpec(plan, "", "server"), 8);
}

Result<std::string> EmitStatefulSet(const Emitted& plan) {
  if (plan.way.placement.multi_host() && plan.way.slices > 1)
    return IsOneSlice(plan, "StatefulSet");
  return Headless(plan, "app") +
         fmt::format(
             "apiVersion: apps/v1\n"
             "kind: StatefulSet\n"
             "metadata:\n"
             "  name: {name}\n"
             "spec:\n"
             "  replicas: {pods}\n"
             "  serviceName: {name}\n"
             "  podManagementPolicy: Parallel\n"
             "  selector:\n"
             "    matchLabels:\n"
             "      app: {name}\n"
             "  template:\n"
             "    metadata:\n"
             "      labels:\n"
             "        app: {name}\n"
             "    spec:\n",
             arg("name", plan.name()), arg("pods", plan.way.placement.hosts * plan.way.slices)) +
         Indented(PodSpec(plan, "", "server"), 6);
}

Result<std::string> EmitRayCluster(const Emitted& plan) {
  return fmt::format(
             "apiVersion: ray.io/v1\n"
             "kind: RayCluster\n"
             "metadata:\n"
             "  name: {name}\n"
             "spec:\n"
             "  headGroupSpec:\n"
             "    rayStartParams: {{}}\n"
             "    template:\n"
             "      spec:\n"
             "        containers:\n"
             "        - name: ray-head\n"
             "          image: {image}\n"
             "          resources:\n"
             "            requests:\n"
             "              cpu: 2\n"
             "              memory: 8Gi\n"
             "  workerGroupSpecs:\n"
             "  - groupName: tpu\n"
             "    replicas: {slices}\n"
             "    minReplicas: {slices}\n"
             "    maxReplicas: {slices}\n"
             "    numOfHosts: {hosts}\n"
             "    rayStartParams: {{}}\n"
             "    template:\n"
             "      spec:\n",
             arg("name", plan.name()), arg("image", plan.image()), arg("slices", plan.way.slices),
             arg("hosts", plan.way.placement.hosts)) +
         Indented(PodSpec(plan, "", "ray-worker"), 8);
}

namespace {

struct Emitter {
  std::string_view name;
  Result<std::string> (*emit)(const Emitted& plan);
};
constexpr std::array kEmitters = {
    Emitter{"pod", EmitPod},
    Emitter{"job", EmitJob},
    Emitter{"jobset", EmitJobSet},
    Emitter{"lws", EmitLeaderWorkerSet},
    Emitter{"statefulset", EmitStatefulSet},
    Emitter{"raycluster", EmitRayCluster},
    Emitter{"deployment", EmitDeployment},
    Emitter{"nodepool", EmitNodePool},
    Emitter{"terraform", EmitTerraform},
    Emitter{"computeclass", EmitComputeClass},
    Emitter{"resourceflavor", EmitResourceFlavor},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kEmitters.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kEmitters[i].name;
  return names;
}();

}  // namespace

std::string NoReservation(std::string_view text) {
  return Quoted(text) +
         " is no reservation: name it by NAME, by projects/PROJECT/reservations/NAME, or by either "
         "with /reservationBlocks/BLOCK behind it";
}

Status IsOneWay(const Capacity& capacity) {
  const bool reserved = !capacity.reservation.empty();
  if (int{capacity.spot} + int{capacity.flex_start} + int{reserved} > 1) {
    return Error{"Spot, flex-start and a reservation exclude each other; take one"};
  }
  if (reserved && !workload::ReadReservation(capacity.reservation)) {
    return Error{NoReservation(capacity.reservation)};
  }
  return OkStatus();
}

Status CanBeHad(const Way& way, const Capacity& capacity) {
  TPU_ADMISSION_TRY_STATUS(IsOneWay(capacity));
  const tpu::Generation& generation = *way.generation;
  const auto refused = [&](tpu::Availability availability) {
    return availability == tpu::Availability::kNo;
  };
  if (capacity.spot && refused(generation.consumption.spot)) {
    return Error{generation.id + " is not to be had as Spot"};
  }
  if (capacity.flex_start && refused(generation.consumption.flex_start)) {
    return Error{generation.id + " is not to be had by flex-start"};
  }
  return OkStatus();
}

std::span<const std::string_view> Emittable() { return kNames; }

Result<std::string> Emit(std::string_view kind, const Way& way, const Capacity& capacity,
                         const Naming& naming) {
  if (const Status status = CanBeHad(way, capacity); !status) {
    return status.error();
  }
  for (const Emitter& emitter : kEmitters) {
    if (emitter.name != kind) continue;
    const std::string doubt = way.doubt();
    TPU_ADMISSION_TRY(const std::string text, emitter.emit({way, capacity, naming}));
    return doubt.empty() ? text
                         : fmt::format("# Sources disagree about {}: {}.\n{}",
                                       way.placement.topology.Text(), doubt, text);
  }
  return Error{Quoted(kind, 40) + " is nothing that can be emitted"};
}

}  // namespace tpu_admission::offline
