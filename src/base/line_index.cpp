#include "tpu_admission/base/line_index.h"

#include <algorithm>

namespace tpu_admission {
namespace {

constexpr std::size_t kStride = 64;  // bytes between stops

}  // namespace

YamlMark Advanced(YamlMark start, std::string_view text) {
  start.offset += text.size();
  std::size_t line = 0;  // where the last one begins
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!EndsLine(text, at)) continue;
    ++start.line;
    start.column = 1;
    line = at + 1;
  }
  text.remove_prefix(line);
  start.column += static_cast<std::uint32_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
  return start;
}

LineIndex::LineIndex(std::string_view text, const YamlMark& start)
    : text_(text), begin_(start.offset) {
  const std::size_t end = begin_ + text.size();
  YamlMark mark = start;
  if (begin_ == 0 && text.starts_with(kByteOrderMark)) mark.offset = kByteOrderMark.size();
  stops_.push_back(mark);
  for (; mark.offset < end; mark = After(mark)) {
    if (mark.offset - stops_.back().offset >= kStride) stops_.push_back(mark);
  }
}

YamlMark LineIndex::At(std::size_t byte) const {
  const std::size_t offset = begin_ + std::min(byte, text_.size());
  YamlMark mark = *std::prev(
      std::upper_bound(std::next(stops_.begin()), stops_.end(), offset,
                       [](std::size_t at, const YamlMark& each) { return at < each.offset; }));
  while (mark.offset < offset) mark = After(mark);
  mark.offset = offset;  // which may be in the byte order mark
  return mark;
}

// One byte on.
YamlMark LineIndex::After(YamlMark mark) const {
  const std::size_t at = mark.offset++ - begin_;
  if (EndsLine(text_, at)) return {mark.line + 1, 1, mark.offset};
  if (!IsContinuation(text_[at])) ++mark.column;
  return mark;
}

}  // namespace tpu_admission
