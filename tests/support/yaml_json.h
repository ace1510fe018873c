// YAML documents as JSON text, for tests that compare or send JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/json_string.h"
#include "tpu_admission/base/yaml.h"

namespace tpu_admission {

inline void AppendJson(std::string& text, const YamlNode& node) {
  using Kind = YamlNode::Kind;
  if (node.kind == Kind::kString) return AppendJsonString(text, node.text);
  if (node.kind != Kind::kList && node.kind != Kind::kMap) {
    text += node.json;
    return;
  }
  text += node.kind == Kind::kList ? '[' : '{';
  std::string_view comma;
  for (const YamlNode* const item : node.items) {
    text += comma;
    comma = ",";
    AppendJson(text, *item);
  }
  for (const YamlMember& member : node.members) {
    text += comma;
    comma = ",";
    AppendJsonString(text, member.key);
    text += ':';
    AppendJson(text, *member.value);
  }
  text += node.kind == Kind::kList ? ']' : '}';
}

struct YamlJson {
  std::string json;
};

// All documents, or the first error ("LINE:COLUMN: why").
inline Result<std::vector<YamlJson>> ParseYaml(std::string_view text,
                                               const YamlLimits& limits = {}) {
  const YamlStream stream = ReadYaml(text, limits);
  if (!stream.errors.empty()) return Error{stream.errors.front().Text()};
  std::vector<YamlJson> documents;
  for (const YamlDocument& document : stream.documents) {
    AppendJson(documents.emplace_back().json, *document.root);
  }
  return documents;
}

}  // namespace tpu_admission
