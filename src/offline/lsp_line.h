// Keys and values of single lines, for text that is half typed and so no YAML yet.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tpu_admission::offline {

// `key: value` around a place of a line, without quotes; also inside of {}.
struct KeyAndValue {
  std::string_view key;
  std::string_view value;       // up to a blank, quote, comma, brace or comment; may be empty
  std::size_t value_begin = 0;  // bytes in the line
  bool lacks_blank = false;     // behind the colon, which a new value needs
};

// Of the last key before `at`; nothing if `at` is not in, before or just behind its value.
std::optional<KeyAndValue> KeyAndValueAt(std::string_view line, std::size_t at);

// The word that ends at `at`, of what keys are made of.
std::string_view WordBefore(std::string_view line, std::size_t at);

// The value of `key` in the line of `text` that has one and is nearest to `at`; empty if none has.
std::string_view NearestValue(std::string_view text, std::size_t at, std::string_view key);

}  // namespace tpu_admission::offline
