#include "offline/yaml_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/json_string.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/base/yaml_chunk.h"

namespace tpu_admission::offline {
namespace {

bool IsPlainKey(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '/' || c == '_' || c == '-';
  });
}

// Whether a line begins there that begins or ends a document.
bool IsMarkerAt(std::string_view text, std::size_t at) {
  const std::string_view line = text.substr(at);
  return at > 0 && text[at - 1] == '\n' && (line.starts_with("...") || line.starts_with("---"));
}

}  // namespace

// A letter first, or digits with an x in between.
bool IsPlainString(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kWords = {"y",   "n",    "yes",   "no",  "on",
                                                             "off", "true", "false", "null"};
  if (!IsPlainKey(text)) return false;
  if (std::find(kWords.begin(), kWords.end(), LowerCase(text)) != kWords.end()) return false;
  const bool letter = std::isalpha(static_cast<unsigned char>(text.front())) != 0;
  const std::size_t x = text.find('x');
  const bool topology = x != text.npos && x > 0 && text.front() != '0';
  const bool unit = std::isalpha(static_cast<unsigned char>(text.back())) != 0 &&
                    text.find('e') == text.npos;  // 563220Mi
  return letter || topology || unit;
}

std::string WrittenKey(const std::string& key, bool json) {
  if (!json && IsPlainKey(key)) return key;
  std::string quoted;
  AppendJsonString(quoted, key);
  return quoted;
}

std::string Written(const k8s::JsonScalar& value, char quote, bool json) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return quote == 0 ? std::to_string(*number) : quote + std::to_string(*number) + quote;
  }
  const std::string& text = std::get<std::string>(value);
  if (quote == '\'' && text.find('\'') == text.npos) return quote + text + quote;
  return quote == 0 && !json && IsPlainString(text) ? text : k8s::AsJson(value);
}

void AppendByHand(std::string& told, std::string_view pointer,
                  const std::optional<std::string>& value) {
  constexpr std::size_t kMost = 1000;
  if (told.size() >= kMost) return;
  const bool is_item = pointer.ends_with("/-");
  if (is_item) pointer.remove_suffix(2);
  told += told.empty() ? "" : ", ";
  told += value ? FieldPath(pointer) + (is_item ? ": - " : ": ") + Printable(*value, kMost)
                : "no " + FieldPath(pointer);
  told = Cut(told, kMost);
}

std::string LineEndAt(std::string_view text, std::size_t offset) {
  std::size_t end = text.find('\n', offset);
  if (end == text.npos) end = text.rfind('\n');
  const bool windows = end != text.npos && end > 0 && text[end - 1] == '\r';
  return windows ? "\r\n" : "\n";
}

std::size_t ValueBegin(std::string_view text, const YamlNode& node) {
  const std::size_t start = node.start.offset;
  if (start >= text.size() || text[start] != '&') return start;
  const std::size_t behind = text.find_first_not_of(kSpace, text.find_first_of(kSpace, start));
  return behind < node.end.offset ? behind : start;
}

std::size_t ValueEnd(std::string_view text, const YamlNode& node) {
  const std::size_t last = text.substr(0, node.end.offset).find_last_not_of(kSpace);
  return std::max(node.start.offset, last + 1);  // npos + 1 is 0
}

bool IsFlow(std::string_view text, const YamlNode& node) {
  const std::size_t at = node.start.offset;
  return at < text.size() && (text[at] == '{' || text[at] == '[');
}

bool IsJson(std::string_view text, const YamlNode& root) {
  if (!IsFlow(text, root)) return false;
  const YamlNode* first = &root;
  while (!first->items.empty()) first = first->items.front();
  return first->members.empty() || text[first->members.front().mark.offset] == '"';
}

DocumentText DocumentTextOf(std::string_view text, const YamlStream& stream,
                            const YamlDocument& document) {
  const std::size_t start = document.root->start.offset;
  const auto& all = stream.documents;  // in the order of the text
  const auto here = std::lower_bound(
      all.begin(), all.end(), start,
      [](const YamlDocument& each, std::size_t at) { return each.root->start.offset < at; });
  std::size_t begin = here == all.begin() ? 0 : std::min(std::prev(here)->root->end.offset, start);
  std::size_t end = begin;
  do {
    begin = end;
    end += YamlChunkBytes(text.substr(begin));
  } while (end <= start && end < text.size());
  if (here != all.end() && std::next(here) != all.end()) {  // JSON may follow JSON in one chunk
    end = std::clamp(std::next(here)->root->start.offset, start, end);
  }
  return {begin, text.substr(begin, end - begin)};
}

std::optional<std::string> DocumentText::With(std::vector<TextChange> changes) const {
  for (TextChange& change : changes) {
    if (change.begin < begin || change.end > begin + text.size()) return std::nullopt;
    change.begin -= begin;
    change.end -= begin;
    const bool joins = !change.text.empty() && change.text.back() != '\n';
    if (joins && IsMarkerAt(text, change.end)) return std::nullopt;
  }
  std::string changed = Changed(text, changes);
  if (text.ends_with('\n') && !changed.ends_with('\n')) return std::nullopt;
  return changed;
}

const YamlDocument* FindDocument(const YamlStream& stream, std::size_t index) {
  const auto found = std::lower_bound(
      stream.documents.begin(), stream.documents.end(), index,
      [](const YamlDocument& document, std::size_t wanted) { return document.index < wanted; });
  return found == stream.documents.end() || found->index != index ? nullptr : &*found;
}

}  // namespace tpu_admission::offline
