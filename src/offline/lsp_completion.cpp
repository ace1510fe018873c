// Completion from the catalog: accelerator -> topology -> chips -> hosts. It reads lines, not YAML:
// what is being typed is seldom whole. Where it is, the rules say which values come first.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "offline/lsp_answers.h"
#include "offline/lsp_line.h"
#include "offline/tried_values.h"
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

// Whether its values are numbers.
bool IsCount(std::string_view key) {
  return key == workload::kTpuResource ||
         std::find(kHostKeys.begin(), kHostKeys.end(), key) != kHostKeys.end();
}

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
  if (!topologies && !IsCount(key)) return {};
  const tpu::Generation* generation =
      catalog.FindByLabel(NearestValue(text, at, workload::kGkeTpuAccelerator));
  if (generation == nullptr) return {};
  if (topologies) return Topologies(*generation);
  return Counts(*generation, NearestValue(text, at, workload::kGkeTpuTopology),
                key != workload::kTpuResource);
}

// The keys that begin as the word does.
std::vector<Proposal> Keys(std::string_view word) {
  std::vector<Proposal> proposals;
  const auto add = [&](std::string_view key, const char* detail) {
    const bool fits = key.starts_with(word) || key.substr(key.find('/') + 1).starts_with(word);
    if (fits) proposals.push_back({std::string(key), detail});
  };
  if (word.size() < 2) return proposals;
  add(workload::kGkeTpuAccelerator, "node label: the TPU generation");
  add(workload::kGkeTpuTopology, "node label: the shape of a slice");
  add(workload::kTpuResource, "chips of a container");
  return proposals;
}

// A line of a document, and a place of it in bytes.
struct PlaceInLine {
  std::string_view line;
  std::size_t begin = 0;  // of the line, in the document
  std::size_t at = 0;     // in the line
};

PlaceInLine PlaceIn(const EditorText& text, const TextPosition& place) {
  const std::size_t begin = text.OffsetOf({place.line, 0});
  return {text.Line(place.line), begin, text.OffsetOf(place) - begin};
}

// Editors hold what is typed so far against filterText: what the edit begins with.
LspJson ItemOf(const Proposal& proposal, const LineEdit& edit, const PlaceInLine& place,
               const EditorText& text, int kind) {
  const LspJson range = RangeJson(
      {text.PositionOf(place.begin + edit.begin), text.PositionOf(place.begin + edit.end)});
  const std::string_view typed = place.line.substr(edit.begin, place.at - edit.begin);
  const std::size_t kept = std::min(typed.find_first_not_of(" \t\"'"), typed.size());
  return {{"label", proposal.text},
          {"kind", kind},
          {"detail", proposal.detail},
          {"filterText", std::string(typed.substr(0, kept)) + proposal.text},
          {"textEdit", {{"range", range}, {"newText", edit.before + proposal.text + edit.after}}}};
}

// They are shown in this order.
void Add(LspJson item, LspJson& items) {
  std::string order = std::to_string(items.size());
  order.insert(0, 4 - std::min<std::size_t>(order.size(), 4), '0');
  item["sortText"] = order;
  items.push_back(std::move(item));
}

LspJson KeysAt(const EditorText& text, const PlaceInLine& place) {
  constexpr int kProperty = 10;  // CompletionItemKind
  LspJson items = LspJson::array();
  const LineEdit edit = EditOfKey(place.line, place.at);
  for (const Proposal& proposal : Keys(WordBefore(place.line, place.at))) {
    Add(ItemOf(proposal, edit, place, text, kProperty), items);
  }
  return items;
}

std::string NameOf(const rules::Rule& rule) {
  return std::string(rule.id) + " (" + std::string(rule.name) + ")";
}

// With the first rule that denies it and not the best.
Proposal ProposalOf(const TriedValue& tried, const TriedValue& best,
                    const std::vector<Proposal>& proposals) {
  const auto known = std::find_if(proposals.begin(), proposals.end(),
                                  [&](const auto& each) { return each.text == tried.value; });
  Proposal proposal = known != proposals.end()
                          ? *known
                          : Proposal{tried.value, "what " + NameOf(*tried.asked_by) + " asks for"};
  if (tried.denied_by.size() == best.denied_by.size()) return proposal;
  const auto denies =
      std::find_if(tried.denied_by.begin(), tried.denied_by.end(), [&](const rules::Rule* rule) {
        return std::find(best.denied_by.begin(), best.denied_by.end(), rule) ==
               best.denied_by.end();
      });
  if (denies != tried.denied_by.end()) proposal.detail += "; denied by " + NameOf(**denies);
  return proposal;
}

// As the rules like them. `begin`: of the line in `text`, where `edit` puts them.
std::vector<Proposal> Tried(const std::vector<Proposal>& proposals, std::string text,
                            std::size_t begin, const LineEdit& edit,
                            const workload::Companions& companions,
                            const admission::Settings& settings, const CheckWish& wish) {
  if (proposals.empty()) return {};
  text.replace(begin + edit.begin, edit.end - edit.begin,
               edit.before + proposals.front().text + edit.after);
  std::vector<std::string> values;
  for (const Proposal& proposal : proposals) values.push_back(proposal.text);
  const std::vector<TriedValue> tried = TryValues(
      settings, wish, {text, begin + edit.begin + edit.before.size(), companions}, values);
  std::vector<Proposal> ordered;
  for (const TriedValue& each : tried) {
    ordered.push_back(ProposalOf(each, tried.front(), proposals));
  }
  return ordered;
}

}  // namespace

LspJson CompletionsAt(const NamedDocument& named, const TextPosition& position,
                      const admission::Settings& settings, const CheckWish& wish) {
  constexpr int kValue = 12;
  const EditorText& all = named.document.text();
  LspJson items = LspJson::array();
  const EditorDocument::PlacedPiece* placed = named.document.PieceAt(position.line);
  if (placed == nullptr) return items;
  const PlaceInLine place = PlaceIn(all, position);
  const std::optional<KeyAndValue> found = KeyAndValueAt(place.line, place.at);
  if (!found) return MayBeKey(place.line, place.at) ? KeysAt(all, place) : items;
  const auto edit = EditOfValue(place.line, place.at, *found, !IsCount(found->key));
  if (!edit) return items;
  const std::string& text = placed->piece->report.text;
  const std::size_t begin = place.begin - placed->offset;
  const std::vector<Proposal> proposals =
      ValuesOf(found->key, text, begin, settings.engine.catalog());
  for (const Proposal& proposal :
       Tried(proposals, text, begin, *edit, named.document.companions(), settings, wish)) {
    Add(ItemOf(proposal, *edit, place, all, kValue), items);
  }
  return items;
}

}  // namespace tpu_admission::offline
