// Completion from the catalog: accelerator -> topology -> chips -> hosts. It reads lines, not YAML:
// what is being typed is seldom whole.
#include <algorithm>
#include <array>
#include <set>

#include "offline/lsp_answers.h"
#include "offline/lsp_line.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::offline {
namespace {

struct Proposal {
  std::string text;
  std::string detail;
};

// Keys whose value is how many pods a slice has.
constexpr std::array<std::string_view, 4> kHostKeys = {"parallelism", "completions", "numOfHosts",
                                                       "size"};

std::vector<Proposal> Accelerators(const tpu::Catalog& catalog) {
  std::vector<Proposal> proposals;
  for (const tpu::Generation& generation : catalog.generations()) {
    proposals.push_back({generation.label, generation.name});
  }
  return proposals;
}

std::string DetailOf(const tpu::Generation& generation, const tpu::Topology& topology) {
  std::string detail = Counted(topology.chips(), "chip");
  const char* separator = ": ";
  for (const tpu::Placement& way : generation.PlacementsOf(topology)) {
    detail += separator + Counted(way.hosts, "host") + " of " + way.machine->name;
    separator = " or ";
  }
  return detail;
}

std::vector<Proposal> Topologies(const tpu::Generation& generation) {
  std::vector<Proposal> proposals;
  for (const tpu::Topology& topology : generation.ListedTopologies()) {
    proposals.push_back({topology.Text(), DetailOf(generation, topology)});
  }
  return proposals;
}

// Of the shape that the text around names: chips of a host, or hosts.
std::vector<Proposal> Counts(const tpu::Generation& generation, std::string_view topology_text,
                             bool hosts) {
  std::vector<Proposal> proposals;
  const auto topology = tpu::Topology::Parse(topology_text);
  if (!topology) return proposals;
  std::set<std::int64_t> told;
  for (const tpu::Placement& way : generation.PlacementsOf(*topology)) {
    const std::int64_t number = hosts ? way.hosts : way.chips_per_host();
    if (!told.insert(number).second) continue;
    proposals.push_back(
        {std::to_string(number), hosts ? "hosts of " + generation.label + " " + topology->Text()
                                       : "chips of a host, " + way.machine->name + ", of " +
                                             generation.label + " " + topology->Text()});
  }
  return proposals;
}

std::vector<Proposal> ValuesOf(std::string_view key, std::string_view text, std::size_t at,
                               const tpu::Catalog& catalog) {
  if (key == workload::kGkeTpuAccelerator) return Accelerators(catalog);
  const bool topologies = key == workload::kGkeTpuTopology;
  const bool chips = key == workload::kTpuResource;
  const bool hosts = std::find(kHostKeys.begin(), kHostKeys.end(), key) != kHostKeys.end();
  if (!topologies && !chips && !hosts) return {};
  const tpu::Generation* generation =
      catalog.FindByLabel(NearestValue(text, at, workload::kGkeTpuAccelerator));
  if (generation == nullptr) return {};
  if (topologies) return Topologies(*generation);
  return Counts(*generation, NearestValue(text, at, workload::kGkeTpuTopology), hosts);
}

// The keys that begin as the word does.
std::vector<Proposal> Keys(std::string_view word) {
  std::vector<Proposal> proposals;
  const auto add = [&](std::string_view key, const char* detail) {
    const bool fits = key.starts_with(word) || key.substr(key.find('/') + 1).starts_with(word);
    if (fits) proposals.push_back({std::string(key) + ": ", detail});
  };
  if (word.size() < 2) return proposals;
  add(workload::kGkeTpuAccelerator, "node label: the TPU generation");
  add(workload::kGkeTpuTopology, "node label: the shape of a slice");
  add(workload::kTpuResource, "chips of a container");
  return proposals;
}

LspJson ItemsOf(const std::vector<Proposal>& proposals, const LspJson& range, int kind,
                const std::string& before = "") {
  LspJson items = LspJson::array();
  for (const Proposal& proposal : proposals) {
    std::string order = std::to_string(items.size());
    order.insert(0, 4 - std::min<std::size_t>(order.size(), 4), '0');
    items.push_back({{"label", proposal.text},
                     {"kind", kind},
                     {"detail", proposal.detail},
                     {"sortText", order},
                     {"filterText", proposal.text},
                     {"textEdit", {{"range", range}, {"newText", before + proposal.text}}}});
  }
  return items;
}

}  // namespace

LspJson CompletionsAt(const NamedDocument& named, const TextPosition& place,
                      const tpu::Catalog& catalog) {
  constexpr int kValue = 12;  // CompletionItemKind
  constexpr int kProperty = 10;
  const EditorText& all = named.document.text();
  const EditorDocument::PlacedPiece* placed = named.document.PieceAt(place.line);
  if (placed == nullptr) return LspJson::array();
  const std::string_view line = all.Line(place.line);
  const std::size_t begin = all.OffsetOf({place.line, 0});
  const std::size_t at = all.OffsetOf(place) - begin;
  const auto range = [&](std::size_t from, std::size_t to) {
    return RangeJson({all.PositionOf(begin + from), all.PositionOf(begin + to)});
  };
  if (const std::optional<KeyAndValue> found = KeyAndValueAt(line, at)) {
    const std::size_t from = std::min(found->value_begin, at);
    const std::size_t to = std::max(found->value_begin + found->value.size(), at);
    return ItemsOf(
        ValuesOf(found->key, placed->piece->report.text, begin - placed->offset, catalog),
        range(from, to), kValue, found->lacks_blank ? " " : "");
  }
  const std::string_view word = WordBefore(line, at);
  return ItemsOf(Keys(word), range(at - word.size(), at), kProperty);
}

}  // namespace tpu_admission::offline
