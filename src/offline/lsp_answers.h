// What the language server answers about a place of a document. Pure.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "offline/lsp_document.h"
#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::offline {

using LspJson = nlohmann::ordered_json;

// What the client told of itself, as far as it matters here.
struct ClientAbilities {
  bool document_changes = false;  // edits of a version of a document
  bool disabled_actions = false;  // actions that are shown with the reason why they cannot be taken
  bool markdown = false;          // in hovers
};

// A document as requests name it.
struct NamedDocument {
  std::string_view uri;
  std::optional<std::int64_t> version;
  const EditorDocument& document;                          // Pieces() was called
  const std::vector<EditorDocument::PlacedPiece>& pieces;  // its pieces
};

LspJson RangeJson(const TextRange& range);
// A Diagnostic; `range` is of the document.
LspJson DiagnosticJson(const Remark& remark, const TextRange& range, std::size_t document);

// CodeActions: the repairs of the objects that have something to say on the lines of `range`, and
// what /mutate would add to them.
LspJson QuickFixes(const NamedDocument& named, const TextRange& range,
                   const ClientAbilities& client);
// What `check --fix` makes of a piece of the document.
using Mender = std::function<std::string(const std::string& text)>;
// One CodeAction that mends all of the document; none if there is nothing to mend.
LspJson FixAll(const NamedDocument& named, const Mender& mend, const ClientAbilities& client);
// A Hover, or null.
LspJson HoverAt(const NamedDocument& named, const TextPosition& place, const tpu::Catalog& catalog,
                const ClientAbilities& client);
// CompletionItems. What the catalog has is tried in its place first, within the bounds of
// tried_values.h: what is denied there comes last.
LspJson CompletionsAt(const NamedDocument& named, const TextPosition& position,
                      const admission::Settings& settings, const CheckWish& wish);

}  // namespace tpu_admission::offline
