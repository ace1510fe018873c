// Keys and values of single lines, for text that is half typed and so no YAML yet.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tpu_admission::offline {

// `key: value` around a place of a line, without quotes; also inside of {}.
struct KeyAndValue {
  std::string_view key;
  std::string_view value;       // up to a blank, quote, comma, brace or comment; may be empty
  std::size_t value_begin = 0;  // bytes in the line
  std::size_t colon = 0;        // the same of the colon
  char key_quote = 0;           // around the key; 0: none
  char quote = 0;               // before the value; 0: none
};

// Of the last key before `at`; nothing if `at` is not in, before or just behind its value, or in a
// comment or a quoted text that is no value. What is quoted on the lines before is not known.
std::optional<KeyAndValue> KeyAndValueAt(std::string_view line, std::size_t at);

// Bytes [begin, end) of a line that become `before` + a text + `after`.
struct LineEdit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string before = {};
  std::string after = {};
};

// What puts another value where `found` is, from KeyAndValueAt(line, at), so that comments, blanks
// and quotes stay, and JSON stays JSON. `at` is in what is replaced, as editors want it. `is_text`:
// the value is no number. Nothing where there is neither a word nor a place for one: before an
// alias, a template, a list.
std::optional<LineEdit> EditOfValue(std::string_view line, std::size_t at, const KeyAndValue& found,
                                    bool is_text);
// Whether the word around `at` may be, or become, a key: it stands where one begins, and is no part
// of a comment, a longer text or a list in [].
bool MayBeKey(std::string_view line, std::size_t at);
// What puts another key in the place of that word, with a colon unless it has one.
LineEdit EditOfKey(std::string_view line, std::size_t at);

// The word that ends at `at`, of what keys are made of.
std::string_view WordBefore(std::string_view line, std::size_t at);

// The value of `key` in the line of `text` that has one and is nearest to `at`; empty if none has.
std::string_view NearestValue(std::string_view text, std::size_t at, std::string_view key);

}  // namespace tpu_admission::offline
