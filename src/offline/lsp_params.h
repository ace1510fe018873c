// What a client says in the parameters of its messages, and what the server says of itself. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "offline/lsp_answers.h"
#include "offline/lsp_document.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::offline {

// Nothing where they are not as the protocol has them.
std::optional<TextPosition> PositionIn(k8s::JsonView value);
std::optional<TextRange> RangeIn(k8s::JsonView value);
std::optional<std::int64_t> VersionIn(k8s::JsonView document);

// UTF-16 unless the client likes UTF-8 better.
PositionEncoding EncodingFor(k8s::JsonView capabilities);
ClientAbilities AbilitiesIn(k8s::JsonView capabilities);

// ServerCapabilities.
LspJson Capabilities(PositionEncoding encoding);

}  // namespace tpu_admission::offline
