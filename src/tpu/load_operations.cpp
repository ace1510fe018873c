// Where and how a generation is to be had: zones, versions, disks, consumption, slices.
#include <algorithm>
#include <array>
#include <utility>

#include "tpu/catalog_loader.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::tpu {
namespace {

// A row of zones that share everything but the name.
void ReadZoneRow(ConfigNode row, const SourceTable& sources, std::vector<Zone>& zones) {
  constexpr std::array<std::string_view, 3> kConfidence = {"high", "medium", "low"};
  Zone zone;
  zone.confidence = static_cast<Confidence>(row.OneOf("confidence", kConfidence));
  zone.single_tenant = row.BoolOr("single_tenant", false);
  zone.note = row.StringOr("note", "");
  zone.sources = sources.Of(row);
  for (const std::string& name : row.Strings("in")) {
    const bool duplicate = std::any_of(zones.begin(), zones.end(),
                                       [&](const Zone& other) { return other.name == name; });
    if (duplicate) row.Fail("in", "duplicate zone " + Quoted(name));
    if (std::count(name.begin(), name.end(), '-') < 2) {
      row.Fail("in", "found " + Quoted(name) + ", wanted a zone such as us-central1-a");
    }
    zone.name = name;
    zones.push_back(zone);
  }
}

Availability ReadAvailability(ConfigNode node, std::string_view key) {
  constexpr std::array<std::string_view, 4> kNames = {"unknown", "refused", "allowlist", "offered"};
  return static_cast<Availability>(node.OneOfOr(key, kNames, 0));
}

ZoneLimit ReadZoneLimit(ConfigNode row, const SourceTable& sources, const Generation& generation) {
  ZoneLimit limit;
  limit.in = row.Strings("in");
  limit.machine = row.StringOr("machine", "");
  limit.single_host = row.BoolOr("single_host", true);
  if (row.Has("min_topology")) {
    limit.min_topology = ReadTopology(row, "min_topology", generation.dimensions);
  }
  limit.instead = row.StringOr("instead", "");
  limit.note = row.StringOr("note", "");
  limit.sources = sources.Of(row);
  if (!limit.machine.empty() && generation.FindMachine(limit.machine) == nullptr) {
    row.Fail("machine", "found " + Quoted(limit.machine) + ", wanted a machine of this generation");
  }
  return limit;
}

}  // namespace

std::string ReadVersion(ConfigNode node, std::string_view key) {
  std::string version = node.StringOr(key, "");
  const auto number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
  };
  const std::size_t mark = version.find("-gke.");
  const bool valid = mark != version.npos && number(std::string_view(version).substr(0, mark)) &&
                     number(std::string_view(version).substr(mark + 5));
  if (node.Has(key) && !valid) {
    node.Fail(key, "found " + Quoted(version) + ", wanted a version such as 1.31.1-gke.1846000");
  }
  return version;
}

Zones ReadZones(ConfigNode node, const SourceTable& sources, const Generation& generation) {
  Zones zones;
  std::optional<ConfigNode> block = node.MapOrNone("zones");
  if (!block) return zones;
  zones.complete = block->BoolOr("complete", false);
  zones.note = block->StringOr("note", "");
  for (const ConfigNode& row : block->List("list")) ReadZoneRow(row, sources, zones.list);
  for (const ConfigNode& row : block->ListOrNone("limits")) {
    zones.limits.push_back(ReadZoneLimit(row, sources, generation));
  }
  return zones;
}

GkeVersions ReadVersions(ConfigNode generation, const SourceTable& sources) {
  GkeVersions versions;
  std::optional<ConfigNode> block = generation.MapOrNone("min_gke_version");
  if (!block) return versions;
  versions.standard = ReadVersion(*block, "standard");
  versions.autopilot = ReadVersion(*block, "autopilot");
  versions.autoscaling = ReadVersion(*block, "autoscaling");
  versions.note = block->StringOr("note", "");
  versions.sources = sources.Of(*block);
  return versions;
}

Disks ReadDisks(ConfigNode generation, const SourceTable& sources) {
  Disks disks;
  std::optional<ConfigNode> block = generation.MapOrNone("disks");
  if (!block) return disks;
  disks.boot = block->Strings("boot");
  disks.attach = block->Strings("attach");
  disks.attach_confidential = block->StringsOrNone("attach_confidential");
  disks.disputed = block->StringsOrNone("disputed");
  disks.default_boot = block->StringOr("default_boot", "");
  disks.note = block->StringOr("note", "");
  disks.sources = sources.Of(*block);
  const auto is_one_of = [](const std::vector<std::string>& some, const std::string& disk) {
    return std::find(some.begin(), some.end(), disk) != some.end();
  };
  for (const std::string& disk : disks.disputed) {
    if (!is_one_of(disks.attach, disk)) {
      block->Fail("disputed", "found " + Quoted(disk) + ", wanted some of `attach`");
    }
  }
  if (!disks.default_boot.empty() && !is_one_of(disks.boot, disks.default_boot)) {
    block->Fail("default_boot", "found " + Quoted(disks.default_boot) + ", wanted one of `boot`");
  }
  return disks;
}

Consumption ReadConsumption(ConfigNode generation, const SourceTable& sources) {
  Consumption consumption;
  std::optional<ConfigNode> block = generation.MapOrNone("consumption");
  if (!block) return consumption;
  consumption.spot = ReadAvailability(*block, "spot");
  consumption.flex_start = ReadAvailability(*block, "flex_start");
  consumption.queued_provisioning = ReadAvailability(*block, "queued_provisioning");
  consumption.calendar_reservation = ReadAvailability(*block, "calendar_reservation");
  consumption.collections = ReadAvailability(*block, "collections");
  consumption.sources = sources.Of(*block);
  return consumption;
}

std::optional<Wraparound> ReadWraparound(ConfigNode generation, const SourceTable& sources,
                                         int dimensions) {
  constexpr std::array<std::string_view, 2> kRules = {"per-axis", "all-axes"};
  std::optional<ConfigNode> block = generation.MapOrNone("wraparound");
  if (!block) return std::nullopt;
  Wraparound wraparound;
  wraparound.rule = static_cast<Wraparound::Rule>(block->OneOf("rule", kRules));
  wraparound.size = static_cast<int>(block->Int("size", {1, 1024}));
  wraparound.twisted = ReadTopologies(*block, "twisted", dimensions);
  wraparound.note = block->StringOr("note", "");
  wraparound.sources = sources.Of(*block);
  return wraparound;
}

std::optional<DynamicSlicing> ReadDynamicSlicing(ConfigNode generation, const SourceTable& sources,
                                                 int dimensions) {
  std::optional<ConfigNode> block = generation.MapOrNone("dynamic_slicing");
  if (!block) return std::nullopt;
  const std::optional<Topology> unit = ReadTopology(*block, "block", dimensions);
  DynamicSlicing slicing;
  slicing.sub_slices = ReadTopologies(*block, "sub_slices", dimensions);
  if (unit) slicing.block = *unit;
  slicing.max_blocks = block->Int("max_blocks", {.min = 1});
  slicing.order = ReadOrder(*block);
  slicing.note = block->StringOr("note", "");
  slicing.sources = sources.Of(*block);
  return slicing;
}

}  // namespace tpu_admission::tpu
