#include "offline/yaml_text.h"

#include <algorithm>
#include <array>
#include <cctype>

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
  std::size_t begin = 0;
  std::size_t end = text.size();
  for (const YamlDocument& other : stream.documents) {
    if (other.root->end.offset <= start) begin = std::max(begin, other.root->end.offset);
    if (other.root->start.offset > start) end = std::min(end, other.root->start.offset);
  }
  const std::size_t marker = text.substr(0, start).rfind("\n---");
  if (marker != text.npos) begin = std::max(begin, marker + 1);
  const std::size_t next = text.find("\n---", start);
  return {begin, text.substr(begin, std::min(end, next == text.npos ? end : next + 1) - begin)};
}

}  // namespace tpu_admission::offline
