#include "offline/yaml_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "tpu_admission/base/json_string.h"

namespace tpu_admission::offline {
namespace {

bool IsPlainKey(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '/' || c == '_' || c == '-';
  });
}

}  // namespace

// A letter first, or digits with an x in between.
bool IsPlainString(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kWords = {"y",  "n",   "yes",  "no",
                                                             "on", "off", "true", "false"};
  if (!IsPlainKey(text) || text == "null") return false;
  if (std::find(kWords.begin(), kWords.end(), text) != kWords.end()) return false;
  const bool letter = std::isalpha(static_cast<unsigned char>(text.front())) != 0;
  const std::size_t x = text.find('x');
  const bool topology = x != text.npos && x > 0 && text.front() != '0';
  const bool unit = std::isalpha(static_cast<unsigned char>(text.back())) != 0 &&
                    text.find('e') == text.npos;  // 563220Mi
  return letter || topology || unit;
}

std::string WrittenKey(const std::string& key) {
  if (IsPlainKey(key)) return key;
  std::string quoted;
  AppendJsonString(quoted, key);
  return quoted;
}

bool IsFlow(std::string_view text, const YamlNode& node) {
  const std::size_t at = node.start.offset;
  return at < text.size() && (text[at] == '{' || text[at] == '[');
}

bool IsJson(std::string_view text, const YamlNode& root) {
  return IsFlow(text, root) && !root.members.empty() &&
         text[root.members.front().mark.offset] == '"';
}

DocumentText DocumentTextOf(std::string_view text, const YamlStream& stream,
                            const YamlDocument& document) {
  const std::size_t start = document.root->start.offset;
  const auto& all = stream.documents;  // in the order of the text
  const auto here = std::lower_bound(
      all.begin(), all.end(), start,
      [](const YamlDocument& each, std::size_t at) { return each.root->start.offset < at; });
  std::size_t begin = here == all.begin() ? 0 : std::prev(here)->root->end.offset;
  begin = std::min(begin, start);
  const std::size_t marker = text.substr(begin, start - begin).rfind("\n---");
  if (marker != text.npos) begin += marker + 1;
  std::size_t end = text.size();
  if (here != all.end() && std::next(here) != all.end()) end = std::next(here)->root->start.offset;
  const std::size_t next = text.substr(0, std::max(end, start)).find("\n---", start);
  if (next != text.npos) end = next + 1;
  return {begin, text.substr(begin, end - begin)};
}

const YamlDocument* FindDocument(const YamlStream& stream, std::size_t index) {
  const auto found = std::lower_bound(
      stream.documents.begin(), stream.documents.end(), index,
      [](const YamlDocument& document, std::size_t wanted) { return document.index < wanted; });
  return found == stream.documents.end() || found->index != index ? nullptr : &*found;
}

}  // namespace tpu_admission::offline
