#include "app/catalog_json.h"

namespace tpu_admission::app {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const tpu::MachineType& machine) {
  return {{"name", machine.name},
          {"vcpu", machine.vcpu},
          {"memory_gib", machine.memory_gib},
          {"memory_ceiling_gib", machine.memory_ceiling_gib},
          {"numa_nodes", machine.numa_nodes ? Json(*machine.numa_nodes) : Json(nullptr)},
          {"chips", machine.chips},
          {"allocatable_cpu_millis", machine.allocatable.cpu_millis},
          {"allocatable_memory_mib", machine.allocatable.memory_mib},
          {"threads_per_core", machine.threads_per_core},
          {"documented", machine.documented},
          {"preemption", machine.preemption.empty() ? Json(nullptr) : Json(machine.preemption)},
          {"sources", machine.sources}};
}

Json ToJson(const tpu::Placement& placement) {
  return {
      {"topology", placement.topology.Text()},
      {"chips", placement.topology.chips()},
      {"machine", placement.machine->name},
      {"hosts", placement.hosts},
      {"chips_per_host", placement.chips_per_host()},
      {"standard", placement.standard},
      {"autopilot", placement.autopilot},
      {"sources", std::vector<std::string>(placement.sources.begin(), placement.sources.end())}};
}

Json TextsOf(const std::vector<tpu::Topology>& topologies) {
  Json texts = Json::array();
  for (const tpu::Topology& topology : topologies) texts.push_back(topology.Text());
  return texts;
}

Json ToJson(const tpu::CustomTopologies& custom) {
  return {
      {"above_chips", custom.above_chips}, {"multiple_of", custom.multiple_of},
      {"max_chips", custom.max_chips},     {"documented_max_chips", custom.documented_max_chips},
      {"machine", custom.machine->name},   {"examples", TextsOf(custom.examples)},
      {"sources", custom.sources}};
}

std::string_view Name(tpu::Confidence confidence) {
  if (confidence == tpu::Confidence::kHigh) return "high";
  return confidence == tpu::Confidence::kMedium ? "medium" : "low";
}

Json ToJson(const tpu::Zone& zone) {
  return {{"name", zone.name},
          {"confidence", Name(zone.confidence)},
          {"single_tenant", zone.single_tenant}};
}

Json ToJson(const tpu::ZoneLimit& limit) {
  return {{"in", limit.in},
          {"machine", limit.machine},
          {"single_host", limit.single_host},
          {"min_topology", limit.min_topology ? Json(limit.min_topology->Text()) : Json(nullptr)},
          {"instead", limit.instead},
          {"sources", limit.sources}};
}

Json ToJson(const tpu::GkeVersions& versions) {
  return {{"standard", versions.standard},
          {"autopilot", versions.autopilot},
          {"autoscaling", versions.autoscaling},
          {"sources", versions.sources}};
}

Json ToJson(const tpu::Consumption& consumption) {
  Json row = Json::object();
  for (const auto& [name, availability] : AsList(consumption)) row[name] = TextOf(availability);
  row["sources"] = consumption.sources;
  return row;
}

Json ToJson(const tpu::Disks& disks) {
  return {{"boot", disks.boot},         {"default_boot", disks.default_boot},
          {"attach", disks.attach},     {"attach_confidential", disks.attach_confidential},
          {"disputed", disks.disputed}, {"sources", disks.sources}};
}

Json ToJson(const tpu::Wraparound& wraparound) {
  const bool per_axis = wraparound.rule == tpu::Wraparound::Rule::kPerAxis;
  return {{"rule", per_axis ? "per-axis" : "all-axes"},
          {"size", wraparound.size},
          {"twisted", TextsOf(wraparound.twisted)},
          {"note", wraparound.note},
          {"sources", wraparound.sources}};
}

Json ToJson(const tpu::DisputedHost& host) {
  return {{"chips", host.chips},
          {"topologies", TextsOf(host.topologies)},
          {"dispute", host.dispute},
          {"sources", host.sources}};
}

Json ToJson(const tpu::NodePoolRule& row) { return {{"rule", row.rule}, {"sources", row.sources}}; }

Json ToJson(const tpu::Advice& row) { return {{"text", row.text}, {"sources", row.sources}}; }

Json ToJson(const tpu::StorageClass& row) {
  return {{"name", row.name}, {"disk", row.disk}, {"sources", row.sources}};
}

Json ToJson(const tpu::NodeLimits& limits) {
  return {{"max_pods", limits.max_pods},
          {"boot_disk_gib", limits.boot_disk_gib},
          {"multi_host_scale_up_hours", limits.multi_host_scale_up_hours},
          {"unsupported_images", limits.unsupported_images},
          {"graceful_termination_version", limits.graceful_termination_version},
          {"spot_notice_seconds", limits.spot_notice_seconds},
          {"sources", limits.sources}};
}

Json ToJson(const tpu::Generation& generation);

template <typename Rows>
Json ListOf(const Rows& rows) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(ToJson(row));
  return list;
}

Json ToJson(const tpu::Generation& generation) {
  return {{"id", generation.id},
          {"name", generation.name},
          {"label", generation.label},
          {"machine_family", generation.machine_family},
          {"dimensions", generation.dimensions},
          {"documented", generation.documented},
          {"static_slicing", generation.static_slicing},
          {"container_chips", generation.container_chips},
          {"container_chips_note", generation.container_chips_note},
          {"disputed_hosts", ListOf(generation.disputed_hosts)},
          {"hbm_gb_per_chip",
           generation.hbm_gb_per_chip == 0 ? Json(nullptr) : Json(generation.hbm_gb_per_chip)},
          {"tensor_cores_per_chip", generation.tensor_cores_per_chip == 0
                                        ? Json(nullptr)
                                        : Json(generation.tensor_cores_per_chip)},
          {"machines", ListOf(generation.machines)},
          {"topologies", ListOf(generation.placements)},
          {"custom_topologies", generation.custom ? ToJson(*generation.custom) : Json(nullptr)},
          {"zones", ListOf(generation.zones.list)},
          {"zone_limits", ListOf(generation.zones.limits)},
          {"min_gke_version", ToJson(generation.min_gke_version)},
          {"consumption", ToJson(generation.consumption)},
          {"disks", ToJson(generation.disks)},
          {"wraparound", generation.wraparound ? ToJson(*generation.wraparound) : Json(nullptr)},
          {"node_pool_rules", ListOf(generation.node_pool_rules)},
          {"conflicts", generation.conflicts},
          {"sources", generation.sources}};
}

}  // namespace

std::string_view TextOf(tpu::Availability availability) {
  static constexpr std::array<std::string_view, 4> kNames = {"not known", "refused",
                                                             "on an allowlist", "offered"};
  return kNames[static_cast<std::size_t>(availability)];
}

std::array<std::pair<std::string, tpu::Availability>, 5> AsList(const tpu::Consumption& row) {
  return {{{"spot", row.spot},
           {"flex_start", row.flex_start},
           {"queued_provisioning", row.queued_provisioning},
           {"calendar_reservation", row.calendar_reservation},
           {"collections", row.collections}}};
}

Json PlacementAsJson(const tpu::Placement& placement) { return ToJson(placement); }

Json GenerationAsJson(const tpu::Generation& generation) { return ToJson(generation); }

nlohmann::ordered_json CatalogAsJson(const tpu::Catalog& catalog) {
  Json sources = Json::object();
  for (const tpu::Catalog::Source& source : catalog.sources()) sources[source.key] = source.text;
  return {{"version", catalog.version()},
          {"checksum", catalog.checksum()},
          {"node_limits", ToJson(catalog.node_limits())},
          {"advice", ListOf(catalog.advice())},
          {"storage_classes", ListOf(catalog.storage_classes())},
          {"generations", ListOf(catalog.generations())},
          {"sources", std::move(sources)}};
}

}  // namespace tpu_admission::app
