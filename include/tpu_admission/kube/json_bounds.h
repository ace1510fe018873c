// What the API server says becomes a tree only within bounds, for a tree takes a hundred times the
// bytes of brackets.
#pragma once

#include <cstddef>
#include <string_view>

#include "tpu_admission/base/result.h"

namespace tpu_admission::kube {

// Those of a review (k8s::JsonParser): no object that the API server stores has more.
inline constexpr std::size_t kMostJsonDepth = 128;
inline constexpr std::size_t kMostJsonValues = 300'000;  // keys too

// Whether a parser finds no more than that in `text`. It need not be sound JSON: a parser stops at
// the fault.
Status WithinBounds(std::string_view text);

// The tree, of nlohmann's type; its discarded value of what is no JSON, or beyond the bounds.
template <typename Json>
Json ParseJson(std::string_view text) {
  if (!WithinBounds(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace tpu_admission::kube
