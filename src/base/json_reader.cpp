#include "base/json_reader.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tpu_admission/base/line_index.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::yaml {
namespace {

using Kind = YamlNode::Kind;

void AppendUtf8(std::string& text, std::uint32_t code) {
  const auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80U | ((code >> shift) & 0x3FU));
  };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0U | (code >> 6U));
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0U | (code >> 12U));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (code >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Every bool is false if the text is no JSON here, or the builder refuses it. The stack of open
// collections is the builder's, whose limit on depth also bounds the calls.
class Reader {
 public:
  Reader(std::string_view text, const YamlMark& start, Builder& builder)
      : rest_(text), mark_(start), builder_(builder) {}

  YamlMark ReadAll() {
    for (;;) {
      Skip(kSpace);
      const YamlMark begin = mark_;
      if (rest_.empty()) return begin;
      if (!Value()) {
        builder_.Drop();
        return begin;
      }
      builder_.Finish();
    }
  }

 private:
  void Take(std::size_t bytes) {
    mark_ = Advanced(mark_, rest_.substr(0, bytes));
    rest_.remove_prefix(bytes);
  }
  void Skip(std::string_view characters) {
    Take(std::min(rest_.find_first_not_of(characters), rest_.size()));
  }
  // White space and then `c`, if it is there.
  bool Accept(char c) {
    Skip(kSpace);
    if (!rest_.starts_with(c)) return false;
    Take(1);
    return true;
  }

  bool Value() {
    Skip(kSpace);
    if (rest_.starts_with('{')) return Collection(Kind::kMap, '}');
    if (rest_.starts_with('[')) return Collection(Kind::kList, ']');
    if (rest_.starts_with('"')) return String();
    return Word();
  }

  bool Collection(Kind kind, char end) {
    if (!builder_.Open(kind, {}, {}, mark_)) return false;
    Take(1);
    for (bool first = true; !Accept(end); first = false) {
      if (!first && !Accept(',')) return false;
      Skip(kSpace);
      if (kind == Kind::kMap && !(rest_.starts_with('"') && String() && Accept(':'))) return false;
      if (!Value()) return false;
    }
    return builder_.Close(mark_);
  }

  // true, false, null or a number, which YAML writes alike.
  bool Word() {
    const std::size_t size = std::min(rest_.find_first_of(" \t\r\n,]}"), rest_.size());
    const std::string_view word = rest_.substr(0, size);
    if (word != "true" && word != "false" && word != "null" && !IsNumber(word)) return false;
    const YamlMark start = mark_;
    Take(size);
    return builder_.Scalar({.text = word, .tag = {}, .plain = true}, {}, start, mark_);
  }

  // -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?
  static bool IsNumber(std::string_view word) {
    const auto digits = [&word] {
      const std::size_t size = std::min(word.find_first_not_of("0123456789"), word.size());
      word.remove_prefix(size);
      return size;
    };
    if (word.starts_with('-')) word.remove_prefix(1);
    const bool zero = word.starts_with('0');
    const std::size_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) return false;
    if (word.starts_with('.')) {
      word.remove_prefix(1);
      if (digits() == 0) return false;
    }
    if (word.empty() || (word.front() | 0x20) != 'e') return word.empty();
    word.remove_prefix(1);
    if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
    return digits() > 0 && word.empty();
  }

  bool String() {
    const YamlMark start = mark_;
    std::string text;
    std::size_t at = 1;
    for (;;) {
      const std::size_t stop = rest_.find_first_of(kStops, at);
      if (stop == rest_.npos || static_cast<unsigned char>(rest_[stop]) < 0x20) return false;
      text += rest_.substr(at, stop - at);
      at = stop + 1;
      if (rest_[stop] == '"') break;
      if (!Escape(at, text)) return false;
    }
    Take(at);
    return builder_.Scalar({.text = text, .tag = {}, .plain = false}, {}, start, mark_);
  }

  // What stands behind a backslash.
  bool Escape(std::size_t& at, std::string& text) const {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (at >= rest_.size()) return false;
    const char letter = rest_[at++];
    const std::size_t index = kLetters.find(letter);
    if (index != kLetters.npos) text += kMeanings[index];
    return index != kLetters.npos || (letter == 'u' && Unicode(at, text));
  }

  bool Unicode(std::size_t& at, std::string& text) const {
    std::optional<std::uint32_t> code = Hex(at);
    if (!code || (*code >= 0xDC00 && *code < 0xE000)) return false;
    if (*code >= 0xD800 && *code < 0xDC00) {  // the first half of a pair
      if (rest_.substr(std::min(at, rest_.size()), 2) != "\\u") return false;
      at += 2;
      const std::optional<std::uint32_t> low = Hex(at);
      if (!low || *low < 0xDC00 || *low >= 0xE000) return false;
      code = 0x10000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00);
    }
    AppendUtf8(text, *code);
    return true;
  }

  std::optional<std::uint32_t> Hex(std::size_t& at) const {
    if (rest_.size() < at + 4) return std::nullopt;
    std::uint32_t code = 0;
    const char* const end = rest_.data() + at + 4;
    if (std::from_chars(rest_.data() + at, end, code, 16).ptr != end) return std::nullopt;
    at += 4;
    return code;
  }

  // What ends a run of plain characters: a quote, a backslash, a control character.
  static constexpr auto kStopCharacters = [] {
    std::array<char, 34> stops{'"', '\\'};
    for (std::size_t i = 0; i < 32; ++i) stops[i + 2] = static_cast<char>(i);
    return stops;
  }();
  static constexpr std::string_view kStops{kStopCharacters.data(), kStopCharacters.size()};

  std::string_view rest_;
  YamlMark mark_;
  Builder& builder_;
};

}  // namespace

YamlMark ReadJson(std::string_view text, const YamlMark& start, Builder& builder) {
  return Reader(text, start, builder).ReadAll();
}

}  // namespace tpu_admission::yaml
