// `tpu-admission plan`: the ways to get a number of chips, and what to write down for one.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/settings_loader.h"
#include "app/streams.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/offline/plan.h"

namespace tpu_admission::app {
namespace {

using Json = nlohmann::ordered_json;
using offline::Way;

constexpr std::size_t kMostTold = 32;  // ways; --way takes the others all the same

std::string_view Name(tpu::Confidence confidence) {
  constexpr std::array<std::string_view, 3> kNames = {"high", "medium", "low"};
  return kNames[static_cast<std::size_t>(confidence)];
}

Json OrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json ToJson(const Way& way) {
  const tpu::Allocatable& node = way.placement.machine->allocatable;
  Json zones = Json::array();
  for (const tpu::Zone* zone : way.zones) {
    zones.push_back({{"zone", zone->name}, {"confidence", Name(zone->confidence)}});
  }
  const tpu::Consumption& capacity = way.generation->consumption;
  const auto text = [](tpu::Availability availability) {
    constexpr std::array<std::string_view, 4> kNames = {"unknown", "no", "allowlist", "yes"};
    return kNames[static_cast<std::size_t>(availability)];
  };
  return {{"accelerator", way.generation->label},
          {"topology", way.placement.topology.Text()},
          {"machine", way.placement.machine->name},
          {"chips", way.chips()},
          {"hosts", way.placement.hosts},
          {"chips_per_host", way.placement.chips_per_host()},
          {"slices", way.slices},
          {"total_chips", way.total_chips()},
          {"hbm_gb", way.generation->hbm_gb_per_chip == 0
                         ? Json(nullptr)
                         : Json(way.generation->hbm_gb_per_chip * way.total_chips())},
          {"zones", std::move(zones)},
          {"gke_version",
           {{"standard", OrNull(way.generation->min_gke_version.standard)},
            {"autopilot", OrNull(way.generation->min_gke_version.autopilot)}}},
          {"capacity",
           {{"spot", text(capacity.spot)},
            {"flex_start", text(capacity.flex_start)},
            {"queued_provisioning", text(capacity.queued_provisioning)},
            {"calendar_reservation", text(capacity.calendar_reservation)}}},
          {"documented", way.placement.documented},
          {"doubt", OrNull(way.doubt())},
          {"allocatable", {{"cpu_millis", node.cpu_millis}, {"memory_mib", node.memory_mib}}}};
}

std::string Zones(const Way& way) {
  constexpr std::size_t kMost = 8;  // JSON has them all
  std::string text;
  for (std::size_t i = 0; i < way.zones.size() && i < kMost; ++i) {
    text += ' ' + way.zones[i]->name;
    if (way.zones[i]->confidence == tpu::Confidence::kLow) text += '?';
  }
  if (way.zones.size() > kMost) text += fmt::format(" and {} more", way.zones.size() - kMost);
  return text.empty() ? " no list is known" : text;
}

std::string Capacity(const tpu::Consumption& row) {
  std::string text;
  const auto add = [&](std::string_view name, tpu::Availability availability) {
    if (availability == tpu::Availability::kUnknown) return;
    constexpr std::array<std::string_view, 4> kWords = {"", "refused", "on an allowlist",
                                                        "offered"};
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        kWords[static_cast<std::size_t>(availability)]);
  };
  add("Spot", row.spot);
  add("flex-start", row.flex_start);
  add("queued", row.queued_provisioning);
  add("calendar reservation", row.calendar_reservation);
  return text.empty() ? "not known" : text;
}

void PrintWay(const Way& way, const offline::Capacity& capacity, std::size_t number,
              std::ostream& out) {
  const tpu::Placement& placement = way.placement;
  const tpu::Generation& generation = *way.generation;
  out << fmt::format(
      "{}) {} {}: {} in {}\n", number, generation.label, placement.topology.Text(),
      Counted(way.total_chips(), "chip"),
      way.slices == 1 ? std::string("one slice") : fmt::format("{} slices", way.slices));
  out << fmt::format("   machine     {}: {} a slice, {} each\n", placement.machine->name,
                     Counted(placement.hosts, "host"), Counted(placement.chips_per_host(), "chip"));
  out << fmt::format("   workload    google.com/tpu: {}", placement.chips_per_host());
  if (placement.multi_host()) out << ", parallelism and completions: " << placement.hosts;
  if (way.slices > 1) out << ", replicas: " << way.slices;
  out << "\n   zones      " << Zones(way) << '\n';
  if (!generation.min_gke_version.standard.empty()) {
    out << fmt::format("   GKE from    {} (Autopilot {})\n", generation.min_gke_version.standard,
                       generation.min_gke_version.autopilot.empty()
                           ? "not known"
                           : generation.min_gke_version.autopilot);
  }
  if (generation.hbm_gb_per_chip > 0) {
    out << fmt::format("   HBM         {} GB in all, {} GB a chip\n",
                       generation.hbm_gb_per_chip * way.total_chips(), generation.hbm_gb_per_chip);
  }
  out << "   capacity    " << Capacity(generation.consumption) << '\n';
  if (const Status had = offline::CanBeHad(way, capacity); !had) {
    out << "   refused     " << had.error().message << '\n';
  }
  out << fmt::format("   for pods    about {}m CPU and {}Mi memory a host\n",
                     placement.machine->allocatable.cpu_millis,
                     placement.machine->allocatable.memory_mib);
  if (const std::string doubt = way.doubt(); !doubt.empty()) {
    out << "   doubt       sources disagree: " << doubt << '\n';
  }
  if (!placement.documented) out << "   note        no public Google page has this shape\n";
  out << '\n';
}

std::size_t Told(const std::vector<Way>& ways) { return std::min(ways.size(), kMostTold); }

void PrintText(const std::vector<Way>& ways, const offline::Capacity& capacity,
               const tpu::Catalog& catalog) {
  std::ostringstream out;  // the words of a catalog may be strangers'
  for (std::size_t i = 0; i < Told(ways); ++i) PrintWay(ways[i], capacity, i + 1, out);
  if (const std::size_t more = ways.size() - Told(ways); more > 0) {
    out << fmt::format("and {}; say --accelerator, --chips or more to see them\n\n",
                       Counted(more, "more way"));
  }
  out << fmt::format(
      "Facts of {}; a zone with ? stands in few lists, or is for single tenants.\n"
      "Next: --emit jobset (or job, nodepool, ...) writes it down for way 1, --way N for "
      "another.\n",
      catalog.version());
  std::cout << ShownLines(out.str());
}

}  // namespace

int ShowPlan(const PlanOptions& options) {
  if (!options.emit.empty() && options.output == "json") {
    return CannotRun(Error{"--emit writes a manifest or a command; leave out --output json"});
  }
  if (const Status one = offline::IsOneWay(options.capacity); !one) return CannotRun(one.error());
  if (options.wish.autopilot && (options.emit == "nodepool" || options.emit == "terraform")) {
    return CannotRun(Error{
        "GKE Autopilot makes its nodes itself, and takes no node pools; emit a workload (such "
        "as jobset or job), which says what nodes it needs, or leave out --autopilot"});
  }
  EngineOptions engine;
  engine.catalog_file = options.catalog_file;
  const auto settings = SettingsLoader(engine, DiskFiles()).Load();
  if (!settings) return CannotRun(settings.error());
  const tpu::Catalog& catalog = (*settings)->engine.catalog();
  const auto ways = offline::Plan(catalog, options.wish);
  if (!ways) return CannotRun(ways.error());
  if (options.way < 1 || options.way > ways->size()) {
    return CannotRun(
        Error{fmt::format("--way {} does not exist; there are {}", options.way, ways->size())});
  }
  if (!options.emit.empty()) {
    const auto text =
        offline::Emit(options.emit, (*ways)[options.way - 1], options.capacity, options.naming);
    if (!text) return CannotRun(text.error());
    std::cout << *text;
  } else if (options.output == "json") {
    Json list = Json::array();
    const std::size_t told = Told(*ways);
    for (std::size_t i = 0; i < told; ++i) list.push_back(ToJson((*ways)[i]));
    WriteJson({{"version", 1}, {"ways", std::move(list)}, {"more", ways->size() - told}});
  } else {
    PrintText(*ways, options.capacity, catalog);
  }
  return kDone;
}

}  // namespace tpu_admission::app
