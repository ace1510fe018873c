// The text of a document as an editor counts it: lines and, in a line, UTF-16 units or bytes.
//
// A value. A line ends with \n, \r\n or \r, as the protocol says.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tpu_admission::offline {

// What `character` of a position counts in.
enum class PositionEncoding { kUtf16, kUtf8 };

struct TextPosition {
  std::size_t line = 0;       // from 0
  std::size_t character = 0;  // from 0, in units of the encoding
  friend auto operator<=>(const TextPosition&, const TextPosition&) = default;
};

// How many units of the encoding `text` (valid UTF-8) has.
std::size_t Units(std::string_view text, PositionEncoding encoding);

class EditorText {
 public:
  EditorText(std::string text, PositionEncoding encoding);

  const std::string& text() const { return text_; }
  PositionEncoding encoding() const { return encoding_; }
  std::size_t lines() const { return starts_.size(); }  // at least 1

  // The byte that a position stands for. Past the end of its line: that end; past the last line:
  // the end of the text; inside of a character: its beginning.
  std::size_t OffsetOf(const TextPosition& position) const;
  // Linear in the line that `offset` is on.
  TextPosition PositionOf(std::size_t offset) const;
  // Without its line break.
  std::string_view Line(std::size_t line) const;

  // Puts `with` in the place of the bytes [begin, end). Moves what is behind, and reads only
  // `with`.
  void Replace(std::size_t begin, std::size_t end, std::string_view with);

 private:
  void FindLines();

  std::string text_;
  PositionEncoding encoding_;
  std::vector<std::size_t> starts_;  // of each line, in bytes
};

// The positions of many places of one text, in one pass over it.
std::vector<TextPosition> PositionsOf(std::string_view text, PositionEncoding encoding,
                                      const std::vector<std::size_t>& offsets);

}  // namespace tpu_admission::offline
