#include "offline/lsp_params.h"

#include <string_view>

namespace tpu_admission::offline {

using k8s::JsonView;

std::optional<TextPosition> PositionIn(JsonView value) {
  const auto line = value["line"].AsInteger();
  const auto character = value["character"].AsInteger();
  if (!line || !character || *line < 0 || *character < 0) return std::nullopt;
  return TextPosition{static_cast<std::size_t>(*line), static_cast<std::size_t>(*character)};
}

std::optional<TextRange> RangeIn(JsonView value) {
  const auto begin = PositionIn(value["start"]);
  const auto end = PositionIn(value["end"]);
  if (!begin || !end) return std::nullopt;
  return TextRange{*begin, *end};
}

std::optional<std::int64_t> VersionIn(JsonView document) { return document["version"].AsInteger(); }

PositionEncoding EncodingFor(JsonView capabilities) {
  const JsonView liked = capabilities["general"]["positionEncodings"];
  for (std::size_t i = 0; i < liked.size(); ++i) {
    const std::string_view name = liked.Element(i).StringOr("");
    if (name == "utf-8") return PositionEncoding::kUtf8;
    if (name == "utf-16") break;
  }
  return PositionEncoding::kUtf16;
}

ClientAbilities AbilitiesIn(JsonView capabilities) {
  const JsonView document = capabilities["textDocument"];
  ClientAbilities client;
  client.document_changes = capabilities["workspace"]["workspaceEdit"]["documentChanges"].IsTrue();
  client.disabled_actions = document["codeAction"]["disabledSupport"].IsTrue();
  const JsonView formats = document["hover"]["contentFormat"];
  for (std::size_t i = 0; i < formats.size(); ++i) {
    client.markdown = client.markdown || formats.Element(i).StringOr("") == "markdown";
  }
  return client;
}

LspJson Capabilities(PositionEncoding encoding) {
  constexpr int kIncremental = 2;
  return {
      {"positionEncoding", encoding == PositionEncoding::kUtf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", kIncremental}, {"save", true}}},
      {"hoverProvider", true},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix", "source.fixAll.tpu-admission"}}}},
      {"completionProvider", {{"triggerCharacters", {":", " ", "\"", "x"}}}}};
}

}  // namespace tpu_admission::offline
