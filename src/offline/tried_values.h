// What the rules say of values that may stand at one place of a text: for completion. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/offline/check.h"

namespace tpu_admission::offline {

// Bounds of the work: one reading of the text, and a judgement of the object for each value and for
// each that a finding names. Beyond them nothing is tried.
inline constexpr std::size_t kMostTriedBytes = 1 << 20;  // of the text
inline constexpr std::size_t kMostTriedValues = 128;     // at the place
inline constexpr std::size_t kMostTriedNodes = 200'000;  // of the document, times values
inline constexpr std::size_t kMostTriedSuggestions = 8;  // of those that findings name

struct TriedValue {
  std::string value;
  std::vector<const rules::Rule*> denied_by;  // for each denial of the object that has it
  const rules::Rule* asked_by = nullptr;      // whose finding names it, if it was not asked about
};

// A text with a value at the byte `at`; a quote may stand before it.
struct TextWithValue {
  const std::string& text;
  std::size_t at = 0;
  const workload::Companions& companions;
};

// The values, those with the fewest denials first, else in their order. Where all are denied, also
// what the findings name for the very place, if that is denied less once all is changed that the
// finding would change. As they are where nothing can be tried: what is half typed may not be read.
std::vector<TriedValue> TryValues(const admission::Settings& settings, const CheckWish& wish,
                                  const TextWithValue& place,
                                  const std::vector<std::string>& values);

}  // namespace tpu_admission::offline
