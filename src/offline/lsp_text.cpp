#include "offline/lsp_text.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tpu_admission::offline {
namespace {

// The units of the character that begins with byte `first`; 0 for its other bytes.
std::size_t UnitsOf(char first, PositionEncoding encoding) {
  const auto byte = static_cast<unsigned char>(first);
  if (encoding == PositionEncoding::kUtf8) return 1;
  if ((byte & 0xC0) == 0x80) return 0;
  return byte >= 0xF0 ? 2 : 1;
}

bool EndsLine(std::string_view text, std::size_t at) {
  return text[at] == '\n' || (text[at] == '\r' && (at + 1 == text.size() || text[at + 1] != '\n'));
}

// The first byte of the character that `offset` is inside of.
std::size_t CharacterStart(std::string_view text, std::size_t offset) {
  while (offset > 0 && offset < text.size() &&
         (static_cast<unsigned char>(text[offset]) & 0xC0) == 0x80) {
    --offset;
  }
  return offset;
}

}  // namespace

std::size_t Units(std::string_view text, PositionEncoding encoding) {
  if (encoding == PositionEncoding::kUtf8) return text.size();
  return std::accumulate(text.begin(), text.end(), std::size_t{0},
                         [&](std::size_t sum, char byte) { return sum + UnitsOf(byte, encoding); });
}

EditorText::EditorText(std::string text, PositionEncoding encoding)
    : text_(std::move(text)), encoding_(encoding) {
  FindLines();
}

void EditorText::FindLines() {
  starts_.assign(1, 0);
  for (std::size_t at = text_.find_first_of("\r\n"); at != text_.npos;
       at = text_.find_first_of("\r\n", at + 1)) {
    if (EndsLine(text_, at)) starts_.push_back(at + 1);
  }
}

std::string_view EditorText::Line(std::size_t line) const {
  if (line >= starts_.size()) return {};
  const std::size_t end = line + 1 < starts_.size() ? starts_[line + 1] : text_.size();
  std::string_view whole = std::string_view(text_).substr(starts_[line], end - starts_[line]);
  while (!whole.empty() && (whole.back() == '\n' || whole.back() == '\r')) whole.remove_suffix(1);
  return whole;
}

std::size_t EditorText::OffsetOf(const TextPosition& position) const {
  if (position.line >= starts_.size()) return text_.size();
  const std::string_view line = Line(position.line);
  std::size_t at = 0;
  if (encoding_ == PositionEncoding::kUtf8) {
    at = std::min(position.character, line.size());
  } else {
    std::size_t units = 0;
    while (at < line.size() && units + UnitsOf(line[at], encoding_) <= position.character) {
      units += UnitsOf(line[at++], encoding_);
    }
  }
  return starts_[position.line] + CharacterStart(line, at);
}

TextPosition EditorText::PositionOf(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const std::size_t line = std::size_t(next - starts_.begin()) - 1;
  const std::string_view before =
      std::string_view(text_).substr(starts_[line], offset - starts_[line]);
  return {line, Units(before, encoding_)};
}

// Whether a line ends at a byte depends on that and the next: so what began behind the byte before
// the change, and as far as its end, is looked for again.
void EditorText::Replace(std::size_t begin, std::size_t end, std::string_view with) {
  text_.replace(begin, end - begin, with);
  std::vector<std::size_t> fresh;
  const std::size_t stop = std::min(begin + with.size(), text_.size());
  for (std::size_t at = begin - std::min<std::size_t>(begin, 1); at < stop; ++at) {
    if (EndsLine(text_, at)) fresh.push_back(at + 1);
  }
  const auto first = std::lower_bound(starts_.begin() + 1, starts_.end(), begin);
  const auto last = std::upper_bound(first, starts_.end(), end);
  std::for_each(last, starts_.end(),
                [&](std::size_t& start) { start = start - end + begin + with.size(); });
  starts_.insert(starts_.erase(first, last), fresh.begin(), fresh.end());
}

std::vector<TextPosition> PositionsOf(std::string_view text, PositionEncoding encoding,
                                      const std::vector<std::size_t>& offsets) {
  std::vector<std::size_t> order(offsets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return offsets[a] < offsets[b]; });
  std::vector<TextPosition> positions(offsets.size());
  TextPosition here;
  std::size_t at = 0;
  for (const std::size_t index : order) {
    for (const std::size_t goal = std::min(offsets[index], text.size()); at < goal; ++at) {
      if (EndsLine(text, at)) {
        here = {here.line + 1, 0};
      } else {
        here.character += UnitsOf(text[at], encoding);
      }
    }
    positions[index] = here;
  }
  return positions;
}

}  // namespace tpu_admission::offline
