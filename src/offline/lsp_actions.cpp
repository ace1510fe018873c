// Repairs as quick fixes of an editor.
#include <algorithm>
#include <utility>

#include "offline/lsp_answers.h"
#include "offline/reading_budget.h"
#include "tpu_admission/base/yaml.h"
#include "tpu_admission/offline/text_edit.h"
#include "tpu_admission/offline/text_patch.h"

namespace tpu_admission::offline {
namespace {

using PlacedPiece = EditorDocument::PlacedPiece;

// Changes of a piece as TextEdits.
LspJson EditsOf(const EditorText& text, std::size_t offset,
                const std::vector<TextChange>& changes) {
  LspJson edits = LspJson::array();
  for (const TextChange& change : changes) {
    edits.push_back({{"range", RangeJson({text.PositionOf(offset + change.begin),
                                          text.PositionOf(offset + change.end)})},
                     {"newText", change.text}});
  }
  return edits;
}

LspJson WorkspaceEdit(const NamedDocument& named, LspJson edits, const ClientAbilities& client) {
  if (!client.document_changes) return {{"changes", {{std::string(named.uri), std::move(edits)}}}};
  const LspJson version = named.version ? LspJson(*named.version) : LspJson(nullptr);
  return {{"documentChanges",
           LspJson::array({{{"textDocument", {{"uri", named.uri}, {"version", version}}},
                            {"edits", std::move(edits)}}})}};
}

struct Wanted {
  const PlacedPiece& piece;
  const ObjectReport& object;
  LspJson diagnostics;  // that the action mends, as they were published
};

// nullptr: it cannot be done in the text, and the client takes no reasons.
LspJson ActionOf(const NamedDocument& named, const Wanted& wanted, std::string title,
                 bool preferred, const Result<std::vector<TextChange>>& changes,
                 const ClientAbilities& client) {
  LspJson action = {
      {"title", std::move(title)}, {"kind", "quickfix"}, {"diagnostics", wanted.diagnostics}};
  if (changes) {
    action["isPreferred"] = preferred;
    action["edit"] =
        WorkspaceEdit(named, EditsOf(named.document.text(), wanted.piece.offset, *changes), client);
  } else if (client.disabled_actions) {
    action["disabled"] = {{"reason", changes.error().message}};
  } else {
    return nullptr;
  }
  return action;
}

void AddActions(const NamedDocument& named, const Wanted& wanted, const ClientAbilities& client,
                ReadingBudget& budget, LspJson& actions) {
  const std::string& text = wanted.piece.piece->report.text;
  if (!budget.Take(text)) return;
  const YamlStream stream = ReadYaml(text);
  const auto add = [&](std::string title, bool preferred,
                       const Result<std::vector<TextChange>>& changes) {
    LspJson action = ActionOf(named, wanted, std::move(title), preferred, changes, client);
    if (!action.is_null()) actions.push_back(std::move(action));
  };
  const ObjectReport& object = wanted.object;
  for (const ReportedRepair& each : object.repairs) {
    if (!budget.Take(text)) return;
    add(each.repair.Title() + ": " + each.repair.changes, each.label == 'a',
        ChangesOf(text, stream, object.document, each.repair.edits));
  }
  for (const admission::TemplateFix& fix : object.fixes) {
    const bool is_told =
        std::any_of(wanted.diagnostics.begin(), wanted.diagnostics.end(),
                    [&](const LspJson& diagnostic) { return diagnostic["code"] == fix.rule->id; });
    if (!is_told || !budget.Take(text)) continue;
    add("add what the webhook would (" + std::string(fix.rule->id) + " " +
            std::string(fix.rule->name) + ")",
        object.repairs.empty(), PatchText(text, stream, object.document, fix.pointer, fix.patch));
  }
}

// The diagnostics of `object` that meet the range.
LspJson DiagnosticsOf(const PlacedPiece& placed, const ObjectReport& object,
                      const TextRange& range) {
  LspJson list = LspJson::array();
  for (const Remark& remark : placed.piece->remarks) {
    const TextRange place = placed.Placed(remark.range);
    if (remark.object == &object && remark.finding != nullptr && place.Meets(range)) {
      list.push_back(DiagnosticJson(remark, place, placed.document + object.document));
    }
  }
  return list;
}

}  // namespace

LspJson RangeJson(const TextRange& range) {
  const auto position = [](const TextPosition& place) -> LspJson {
    return {{"line", place.line}, {"character", place.character}};
  };
  return {{"start", position(range.begin)}, {"end", position(range.end)}};
}

LspJson DiagnosticJson(const Remark& remark, const TextRange& range, std::size_t document) {
  LspJson diagnostic = {{"range", RangeJson(range)},
                        {"severity", static_cast<int>(remark.severity)},
                        {"source", "tpu-admission"},
                        {"message", remark.message}};
  if (remark.finding == nullptr) return diagnostic;
  diagnostic["code"] = remark.finding->rule->id;
  diagnostic["data"] = {{"document", document},
                        {"pointer", remark.finding->pointer},
                        {"rule_name", remark.finding->rule->name}};
  return diagnostic;
}

LspJson QuickFixes(const NamedDocument& named, const TextRange& range,
                   const ClientAbilities& client) {
  LspJson actions = LspJson::array();
  ReadingBudget budget;
  // The cursor need not stand on the very value.
  const TextRange lines{{range.begin.line, 0}, {range.end.line, std::string_view::npos}};
  for (const PlacedPiece& placed : named.pieces) {
    const std::size_t last = placed.line + placed.piece->lines;
    if (range.end.line < placed.line || range.begin.line > last) continue;
    for (const ObjectReport& object : placed.piece->report.objects) {
      if (object.repairs.empty() && object.fixes.empty()) continue;
      const Wanted wanted{placed, object, DiagnosticsOf(placed, object, lines)};
      if (!wanted.diagnostics.empty()) AddActions(named, wanted, client, budget, actions);
    }
  }
  return actions;
}

LspJson FixAll(const NamedDocument& named, const Mender& mend, const ClientAbilities& client) {
  LspJson edits = LspJson::array();
  for (const PlacedPiece& placed : named.pieces) {
    const FileReport& report = placed.piece->report;
    if (report.objects.empty()) continue;
    const std::string after = mend(report.text);
    if (after == report.text) continue;
    const std::vector<TextChange> whole = {{0, report.text.size(), after}};
    edits.push_back(EditsOf(named.document.text(), placed.offset, whole).front());
  }
  if (edits.empty()) return LspJson::array();
  return LspJson::array({{{"title", "Apply the first repair of every TPU workload"},
                          {"kind", "source.fixAll.tpu-admission"},
                          {"edit", WorkspaceEdit(named, std::move(edits), client)}}});
}

}  // namespace tpu_admission::offline
