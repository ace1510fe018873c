#include "tpu_admission/offline/unified_diff.h"

#include <algorithm>
#include <vector>

#include "tpu_admission/base/line_index.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {
namespace {

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(FirstLine(text));
    text.remove_prefix(lines.back().size());
  }
  return lines;
}

void AppendLine(std::string& diff, char mark, std::string_view line) {
  diff += mark;
  diff += line;
  if (!line.ends_with('\n')) diff += "\n\\ No newline at end of file\n";
}

// As git writes it: a name with a quote, backslash or control character, or that is not UTF-8, in
// quotes (also one that ends in a blank, which `patch` would cut off); a TAB behind one with
// blanks, where `patch` would look for a time.
std::string NameOf(std::string_view side, std::string_view name) {
  constexpr std::string_view kLetters = "\"\\\a\b\t\n\v\f\r";
  constexpr std::string_view kShown = "\"\\abtnvfr";
  const bool is_text = Utf8PrefixBytes(name) == name.size();
  std::string quoted(side);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t at = kLetters.find(c); at != kLetters.npos) {
      quoted += {'\\', kShown[at]};
    } else if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !is_text)) {
      const auto digit = [&](unsigned shift) { return char('0' + ((byte >> shift) & 7U)); };
      quoted += {'\\', digit(6), digit(3), digit(0)};
    } else {
      quoted += c;
    }
  }
  if (quoted.size() > side.size() + name.size() || name.ends_with(' ')) return "\"" + quoted + "\"";
  return quoted + (name.find(' ') == name.npos ? "" : "\t");
}

}  // namespace

// The edits change lines in place or add some, so what is equal is found by looking ahead.
std::string UnifiedDiff(std::string_view name, std::string_view before, std::string_view after) {
  if (before == after) return "";
  constexpr std::size_t kContext = 3;
  const std::vector<std::string_view> a = Lines(before);
  const std::vector<std::string_view> b = Lines(after);
  // Between pairs of equal lines, of which the nearest is taken.
  struct Block {
    std::size_t a, a_end, b, b_end;
  };
  std::vector<Block> blocks;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i;
      ++j;
      continue;
    }
    Block block{i, a.size(), j, b.size()};
    for (std::size_t ahead = 1; ahead < 200 && block.a_end == a.size() && block.b_end == b.size();
         ++ahead) {
      for (std::size_t k = 0; k <= ahead; ++k) {
        const std::size_t x = i + k;
        const std::size_t y = j + ahead - k;
        if (x < a.size() && y < b.size() && a[x] == b[y]) {
          block.a_end = x;
          block.b_end = y;
          break;
        }
      }
    }
    blocks.push_back(block);
    i = block.a_end;
    j = block.b_end;
  }
  std::string diff = "--- " + NameOf("a/", name) + "\n+++ " + NameOf("b/", name) + "\n";
  for (std::size_t first = 0; first < blocks.size();) {
    std::size_t last = first;
    while (last + 1 < blocks.size() && blocks[last + 1].a - blocks[last].a_end <= 2 * kContext) {
      ++last;
    }
    const std::size_t lead = std::min(kContext, blocks[first].a);
    const std::size_t tail = std::min(kContext, a.size() - blocks[last].a_end);
    const std::size_t from = blocks[first].a - lead;
    const std::size_t to = blocks[last].a_end + tail;
    const std::size_t new_from = blocks[first].b - lead;
    const std::size_t new_to = blocks[last].b_end + tail;
    diff += "@@ -" + std::to_string(from + 1) + "," + std::to_string(to - from) + " +" +
            std::to_string(new_from + 1) + "," + std::to_string(new_to - new_from) + " @@\n";
    std::size_t line = from;
    for (std::size_t block = first; block <= last; ++block) {
      for (; line < blocks[block].a; ++line) AppendLine(diff, ' ', a[line]);
      for (; line < blocks[block].a_end; ++line) AppendLine(diff, '-', a[line]);
      for (std::size_t k = blocks[block].b; k < blocks[block].b_end; ++k) {
        AppendLine(diff, '+', b[k]);
      }
    }
    for (; line < to; ++line) AppendLine(diff, ' ', a[line]);
    first = last + 1;
  }
  return diff;
}

std::string ShownDiff(std::string_view diff) {
  std::string plain;
  for (const std::string_view line : Lines(diff)) {
    const std::size_t end = line.ends_with("\r\n") ? line.size() - 2 : line.size();
    plain.append(line.substr(0, end)).append(end < line.size() ? "\n" : "");
  }
  std::replace(plain.begin(), plain.end(), '\t', ' ');
  return ShownLines(plain);
}

// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
std::string WithCommandsOff(std::string diff, std::string_view token) {
  if (!HasWorkflowCommand(diff)) return diff;
  const std::string word(token);
  return "::stop-commands::" + word + "\n" + diff + "::" + word + "::\n";
}

}  // namespace tpu_admission::offline
