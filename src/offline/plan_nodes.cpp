#include <fmt/format.h>

#include "offline/emit.h"
#include "offline/yaml_text.h"
#include "tpu_admission/rules/cluster.h"
#include "tpu_admission/workload/gke_labels.h"
#include "tpu_admission/workload/reservation.h"

namespace tpu_admission::offline {
namespace {

using fmt::arg;

// A generation that GKE places by a workload policy instead of --tpu-topology:
// https://docs.cloud.google.com/kubernetes-engine/docs/concepts/tpu-ironwood
bool TakesWorkloadPolicy(const Way& way) {
  return way.placement.multi_host() && way.generation->placed_by_workload_policy;
}

std::string_view ZoneOf(const Way& way) {
  return way.zones.empty() ? std::string_view("ZONE") : std::string_view(way.zones.front()->name);
}

std::string_view RegionOf(const Way& way) {
  return way.zones.empty() ? std::string_view("REGION") : rules::RegionOf(ZoneOf(way));
}

// The name of the pool of slice `i`: a multi-host pool is one slice.
std::string PoolName(const Emitted& plan, std::int64_t i) {
  return plan.way.slices > 1 && plan.way.placement.multi_host()
             ? fmt::format("{}-{}", plan.naming.name, i)
             : plan.naming.name;
}

std::int64_t Pools(const Way& way) { return way.placement.multi_host() ? way.slices : 1; }
std::int64_t NodesOfPool(const Way& way) {
  return way.placement.multi_host() ? way.placement.hosts : way.slices;
}

std::string Flags(const Emitted& plan) {
  const Way& way = plan.way;
  std::string flags;
  if (TakesWorkloadPolicy(way)) {
    flags += fmt::format(" \\\n  --placement-policy={}", plan.naming.name);
  } else if (way.placement.multi_host()) {
    flags += fmt::format(" \\\n  --tpu-topology={}", way.placement.topology.Text());
  }
  if (plan.capacity.spot) flags += " \\\n  --spot";
  if (plan.capacity.flex_start) {
    // Nodes come when pods wait for them, all of a slice at once.
    flags += fmt::format(
        " \\\n  --flex-start \\\n  --reservation-affinity=none \\\n  --enable-autoscaling \\\n"
        "  --num-nodes=0 \\\n  --min-nodes=0 \\\n  --max-nodes={} \\\n  --no-enable-autorepair",
        NodesOfPool(way));
  } else {
    flags += fmt::format(" \\\n  --num-nodes={}", NodesOfPool(way));
  }
  if (!plan.capacity.reservation.empty()) {
    flags += fmt::format(" \\\n  --reservation-affinity=specific \\\n  --reservation={}",
                         plan.capacity.reservation);
  }
  return flags;
}

// An entry of a ComputeClass.
// https://cloud.google.com/kubernetes-engine/docs/reference/crds/computeclass
std::string SpecificReservation(const workload::Reservation& reservation) {
  std::string text = fmt::format("      - name: {}\n", Written(std::string(reservation.name)));
  if (!reservation.project.empty()) {
    text += fmt::format("        project: {}\n", Written(std::string(reservation.project)));
  }
  if (reservation.block.empty()) return text;
  text += fmt::format("        reservationBlock:\n          name: {}\n",
                      Written(std::string(reservation.block)));
  if (reservation.sub_block.empty()) return text;
  return text + fmt::format("          reservationSubBlock:\n            name: {}\n",
                            Written(std::string(reservation.sub_block)));
}

}  // namespace

std::string NodeLabels(const Emitted& plan, std::string_view field) {
  const Way& way = plan.way;
  std::string text = fmt::format(
      "{}:\n"
      "  cloud.google.com/gke-tpu-accelerator: {}\n"
      "  cloud.google.com/gke-tpu-topology: {}\n",
      field, way.generation->label, way.placement.topology.Text());
  if (way.needs_accelerator_count()) {
    text += fmt::format("  cloud.google.com/gke-accelerator-count: \"{}\"\n",
                        way.placement.chips_per_host());
  }
  if (plan.capacity.spot) text += "  cloud.google.com/gke-spot: \"true\"\n";
  if (plan.capacity.flex_start) text += "  cloud.google.com/gke-flex-start: \"true\"\n";
  if (const auto reservation = workload::ReadReservation(plan.capacity.reservation)) {
    for (const auto& [key, value] : workload::LabelsOf(*reservation)) {
      text += fmt::format("  {}: {}\n", key, Written(std::string(value)));
    }
    text += fmt::format("  {}: specific\n", workload::kGkeReservationAffinity);
  }
  return text;
}

Result<std::string> EmitNodePool(const Emitted& plan) {
  const Way& way = plan.way;
  std::string text;
  if (TakesWorkloadPolicy(way)) {
    text += fmt::format(
        "gcloud compute resource-policies create workload-policy {} \\\n"
        "  --type=HIGH_THROUGHPUT \\\n"
        "  --accelerator-topology={} \\\n"
        "  --region={}\n",
        plan.naming.name, way.placement.topology.Text(), RegionOf(way));
  }
  for (std::int64_t i = 0; i < Pools(way); ++i) {
    text += fmt::format(
        "gcloud container node-pools create {pool} \\\n"
        "  --cluster=CLUSTER \\\n"
        "  --location={region} \\\n"
        "  --node-locations={zone} \\\n"
        "  --machine-type={machine}{flags}\n",
        arg("pool", PoolName(plan, i)), arg("region", RegionOf(way)), arg("zone", ZoneOf(way)),
        arg("machine", way.placement.machine->name), arg("flags", Flags(plan)));
  }
  return text;
}

Result<std::string> EmitTerraform(const Emitted& plan) {
  const Way& way = plan.way;
  std::string text;
  std::string placement;
  if (TakesWorkloadPolicy(way)) {
    text += fmt::format(
        "resource \"google_compute_resource_policy\" \"{name}\" {{\n"
        "  name   = \"{name}\"\n"
        "  region = \"{region}\"\n"
        "  workload_policy {{\n"
        "    type                 = \"HIGH_THROUGHPUT\"\n"
        "    accelerator_topology = \"{topology}\"\n"
        "  }}\n"
        "}}\n\n",
        arg("name", plan.naming.name), arg("region", RegionOf(way)),
        arg("topology", way.placement.topology.Text()));
    placement = fmt::format(
        "  placement_policy {{\n"
        "    type        = \"COMPACT\"\n"
        "    policy_name = google_compute_resource_policy.{}.name\n"
        "  }}\n",
        plan.naming.name);
  } else if (way.placement.multi_host()) {
    placement = fmt::format(
        "  placement_policy {{\n"
        "    type         = \"COMPACT\"\n"
        "    tpu_topology = \"{}\"\n"
        "  }}\n",
        way.placement.topology.Text());
  }
  std::string node;
  if (plan.capacity.spot) node += "    spot         = true\n";
  if (plan.capacity.flex_start) node += "    flex_start   = true\n";
  if (!plan.capacity.reservation.empty()) {
    node += fmt::format(
        "    reservation_affinity {{\n"
        "      consume_reservation_type = \"SPECIFIC_RESERVATION\"\n"
        "      key                      = \"compute.googleapis.com/reservation-name\"\n"
        "      values                   = [\"{}\"]\n"
        "    }}\n",
        plan.capacity.reservation);
  }
  const std::string size =
      plan.capacity.flex_start
          ? fmt::format("  autoscaling {{\n    min_node_count = 0\n    max_node_count = {}\n  }}\n",
                        NodesOfPool(way))
          : "";
  for (std::int64_t i = 0; i < Pools(way); ++i) {
    text += fmt::format(
        "{gap}resource \"google_container_node_pool\" \"{pool}\" {{\n"
        "  name           = \"{pool}\"\n"
        "  cluster        = \"CLUSTER\"\n"
        "  location       = \"{region}\"\n"
        "  node_locations = [\"{zone}\"]\n"
        "  initial_node_count = {count}\n"
        "{size}"
        "  node_config {{\n"
        "    machine_type = \"{machine}\"\n"
        "{node}"
        "  }}\n"
        "{placement}"
        "}}\n",
        arg("gap", i == 0 ? "" : "\n"), arg("pool", PoolName(plan, i)),
        arg("region", RegionOf(way)), arg("zone", ZoneOf(way)),
        arg("count", plan.capacity.flex_start ? 0 : NodesOfPool(way)), arg("size", size),
        arg("machine", way.placement.machine->name), arg("node", node),
        arg("placement", placement));
  }
  return text;
}

Result<std::string> EmitComputeClass(const Emitted& plan) {
  const Way& way = plan.way;
  std::string capacity;
  if (plan.capacity.spot) capacity = "    spot: true\n";
  if (plan.capacity.flex_start) capacity = "    flexStart:\n      enabled: true\n";
  if (const auto reservation = workload::ReadReservation(plan.capacity.reservation)) {
    capacity =
        "    reservations:\n"
        "      affinity: Specific\n"
        "      specific:\n" +
        SpecificReservation(*reservation);
  }
  return fmt::format(
      "apiVersion: cloud.google.com/v1\n"
      "kind: ComputeClass\n"
      "metadata:\n"
      "  name: {name}\n"
      "spec:\n"
      "  priorities:\n"
      "  - tpu:\n"
      "      type: {type}\n"
      "      count: {count}\n"
      "      topology: {topology}\n"
      "{capacity}"
      "  nodePoolAutoCreation:\n"
      "    enabled: true\n",
      arg("name", plan.name()), arg("type", way.generation->label),
      arg("count", way.placement.chips_per_host()), arg("topology", way.placement.topology.Text()),
      arg("capacity", capacity));
}

Result<std::string> EmitResourceFlavor(const Emitted& plan) {
  return fmt::format(
             "apiVersion: kueue.x-k8s.io/v1beta1\n"
             "kind: ResourceFlavor\n"
             "metadata:\n"
             "  name: {}\n"
             "spec:\n",
             plan.name()) +
         Indented(NodeLabels(plan, "nodeLabels"), 2);
}

}  // namespace tpu_admission::offline
