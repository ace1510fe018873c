#include "tpu_admission/base/yaml.h"

#include <algorithm>
#include <optional>

#include "base/json_reader.h"
#include "base/yaml_builder.h"
#include "base/yaml_reader.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/line_index.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/base/yaml_chunk.h"

namespace tpu_admission {
namespace {

constexpr std::size_t kMaxErrors = 100;

bool IsMarker(std::string_view line, std::string_view marker) {
  if (!line.starts_with(marker)) return false;
  return line.size() == marker.size() || kSpace.find(line[3]) != line.npos;
}

bool IsBlank(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kSpace);
  return first == line.npos || line[first] == '#';
}

// `{` or `[`, behind a marker and white space.
bool BeginsAsJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  return first != text.npos && (text[first] == '{' || text[first] == '[');
}

void ReadChunk(std::string_view text, YamlMark start, YamlStream& stream, yaml::Builder& builder) {
  const std::size_t marker = IsMarker(FirstLine(text), "---") ? 3 : 0;
  if (BeginsAsJson(text.substr(marker))) {
    const std::size_t documents = stream.documents.size();
    const std::size_t errors = stream.errors.size();
    const YamlMark begin = Advanced(start, text.substr(0, marker));
    const YamlMark rest = yaml::ReadJson(text.substr(marker), begin, builder);
    stream.errors.resize(errors);  // what is no JSON may still be YAML
    if (stream.documents.size() > documents) {
      text.remove_prefix(rest.offset - start.offset);
      start = rest;
    }
    if (text.empty()) return;
  }
  yaml::ReadDocuments(text, start, builder);
}

}  // namespace

std::string YamlError::Text() const {
  return std::to_string(mark.line) + ":" + std::to_string(mark.column) + ": " + message;
}

const YamlMember* YamlNode::Find(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const YamlMember& member) { return member.key == key; });
  return found == members.end() ? nullptr : &*found;
}

const YamlNode* YamlNode::Child(std::string_view token) const {
  if (const YamlMember* const member = Find(token)) return member->value;
  const std::optional<std::size_t> index = PointerIndex(token);
  return index && *index < items.size() ? items[*index] : nullptr;
}

YamlPlace YamlDocument::PlaceOf(std::string_view pointer) const {
  const YamlNode* node = root;
  YamlPlace place{node->start, node->start, node->end};
  while (!pointer.empty()) {
    const std::string token = TakePointerToken(pointer);
    if (const YamlMember* const member = node->Find(token)) {
      node = member->value;
      place = {member->mark, node->start, node->end};
    } else if (const YamlNode* const item = node->Child(token)) {
      node = item;
      place = {node->start, node->start, node->end};
    } else {
      break;
    }
  }
  return place;
}

// Both marks end a document wherever they stand, so what is at fault before them is not at fault
// after them.
std::size_t YamlChunkBytes(std::string_view text) {
  std::size_t size = 0;
  bool directives = false;  // so far nothing but directives, which belong to the document below
  bool blank = true;
  while (size < text.size()) {
    const std::string_view line = FirstLine(text.substr(size));
    if (IsMarker(line, "---") && size > 0 && !directives) break;
    size += line.size();
    if (IsMarker(line, "...")) break;
    directives = (blank || directives) && (line.starts_with('%') || (directives && IsBlank(line)));
    blank = blank && IsBlank(line);
  }
  return size;
}

YamlStream ReadYaml(std::string_view text, const YamlLimits& limits) {
  YamlStream stream{.memory = std::make_unique<std::pmr::monotonic_buffer_resource>(),
                    .documents = {},
                    .errors = {}};
  const std::string_view good = text.substr(0, Utf8PrefixBytes(text));
  if (good.size() < text.size()) {
    stream.errors.push_back({Advanced({}, good), "the text is not UTF-8"});
    return stream;
  }
  yaml::Builder builder(stream, limits);
  YamlMark start;
  if (text.starts_with(kByteOrderMark)) {
    start.offset = kByteOrderMark.size();
    text.remove_prefix(kByteOrderMark.size());
  }
  while (!text.empty() && stream.errors.size() < kMaxErrors && !builder.is_full()) {
    const std::string_view chunk = text.substr(0, YamlChunkBytes(text));
    ReadChunk(chunk, start, stream, builder);
    start = Advanced(start, chunk);
    text.remove_prefix(chunk.size());
  }
  if (!text.empty()) {
    const char* const what = builder.is_full() ? "values" : "errors";
    stream.errors.push_back({start, "too many " + std::string(what) + ": the rest is not read"});
  }
  return stream;
}

}  // namespace tpu_admission
