// What an editor shows beside the mouse: the fault with the README of its rule, or what the catalog
// knows of an accelerator or a topology.
#include <algorithm>

#include "offline/lsp_answers.h"
#include "offline/lsp_line.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/rules/readme.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::offline {
namespace {

using PlacedPiece = EditorDocument::PlacedPiece;

// Without the marks of Markdown.
std::string Plain(std::string_view text) {
  std::string plain;
  bool in_code = false;
  while (!text.empty()) {
    std::string_view line = TakeUntil(text, '\n');
    if (line.starts_with("```")) {
      in_code = !in_code;
      continue;
    }
    if (!in_code && line.starts_with('#')) {
      line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool bold = line.substr(i, 2) == "**";
      if (in_code || (!bold && line[i] != '`')) plain += line[i];
      if (!in_code && bold) ++i;
    }
    plain += '\n';
  }
  return plain;
}

LspJson Hover(std::string text, const TextRange& range, const ClientAbilities& client) {
  if (!client.markdown) text = Plain(text);
  return {{"contents",
           {{"kind", client.markdown ? "markdown" : "plaintext"}, {"value", std::move(text)}}},
          {"range", RangeJson(range)}};
}

std::string Explained(const ReportedFinding& finding) {
  std::string text = "**" + std::string(finding.rule->id) + " " + std::string(finding.rule->name) +
                     "** `" + finding.field + "` " + finding.problem + "\n";
  if (!finding.change.empty()) text += "\n**Change:** " + finding.change + "\n";
  return text;
}

std::string OfGeneration(const tpu::Generation& generation) {
  std::string text = "**" + generation.name + "** (`" + generation.label + "`)\n\nTopologies:";
  for (const tpu::Topology& topology : generation.ListedTopologies()) {
    text += " `" + topology.Text() + "`";
  }
  text += "\n\nMachines:";
  for (const tpu::MachineType& machine : generation.machines) {
    text += " `" + machine.name + "`";
  }
  return text + "\n";
}

std::string OfTopology(const tpu::Generation& generation, const tpu::Topology& topology) {
  std::string text = "**" + topology.Text() + "** of `" + generation.label +
                     "`: " + std::to_string(topology.chips()) + " chips\n\n";
  for (const tpu::Placement& way : generation.PlacementsOf(topology)) {
    text += "- " + Counted(way.hosts, "host") + " of `" + way.machine->name +
            "`, `google.com/tpu: " + std::to_string(way.chips_per_host()) + "` each\n";
  }
  return text;
}

std::string FromCatalog(const tpu::Catalog& catalog, const PlacedPiece& placed, std::size_t offset,
                        const KeyAndValue& at) {
  if (at.key == workload::kGkeTpuAccelerator) {
    const tpu::Generation* generation = catalog.FindByLabel(at.value);
    return generation == nullptr ? "" : OfGeneration(*generation);
  }
  if (at.key != workload::kGkeTpuTopology) return "";
  const std::string_view label =
      NearestValue(placed.piece->report.text, offset - placed.offset, workload::kGkeTpuAccelerator);
  const tpu::Generation* generation = catalog.FindByLabel(label);
  const auto topology = tpu::Topology::Parse(at.value);
  if (generation == nullptr || !topology) return "";
  return generation->Has(*topology) ? OfTopology(*generation, *topology) : "";
}

}  // namespace

LspJson HoverAt(const NamedDocument& named, const TextPosition& place, const tpu::Catalog& catalog,
                const ClientAbilities& client) {
  const PlacedPiece* placed = named.document.PieceAt(place.line);
  if (placed == nullptr) return nullptr;
  std::string text;
  std::string readmes;
  TextRange range;
  for (const Remark& remark : placed->piece->remarks) {
    const TextRange here = placed->Placed(remark.range);
    if (remark.finding == nullptr || !here.Meets({place, place})) continue;
    const std::string readme(rules::ReadmeOf(*remark.finding->rule));
    if (text.empty()) range = here;
    text += (text.empty() ? "" : "\n") + Explained(*remark.finding);
    if (readmes.find(readme) == readmes.npos) readmes += "\n---\n\n" + readme;
  }
  if (!text.empty()) return Hover(text + readmes, range, client);
  const EditorText& all = named.document.text();
  const std::string_view line = all.Line(place.line);
  const std::size_t begin = all.OffsetOf({place.line, 0});
  const std::optional<KeyAndValue> at = KeyAndValueAt(line, all.OffsetOf(place) - begin);
  if (!at) return nullptr;
  text = FromCatalog(catalog, *placed, begin, *at);
  if (text.empty()) return nullptr;
  const std::size_t value = begin + at->value_begin;
  return Hover(std::move(text), {all.PositionOf(value), all.PositionOf(value + at->value.size())},
               client);
}

}  // namespace tpu_admission::offline
