// How values are written in the text of a YAML file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/yaml.h"
#include "tpu_admission/k8s/json_edit.h"
#include "tpu_admission/offline/text_edit.h"

namespace tpu_admission::offline {

// A word that YAML takes for nothing but a string, and nothing must be quoted in.
bool IsPlainString(std::string_view text);
// Quoted if it must be.
std::string WrittenKey(const std::string& key, bool json = false);
std::string Written(const k8s::JsonScalar& value, char quote = '\0', bool json = false);

// Why a text is left as it is, before what somebody must write.
inline constexpr std::string_view kInTheWay =
    "an anchor, alias or merge key, or how a value is written stands in the way";
// Appends "field: value" to the others, as long as they are not too many; no value: "no field".
void AppendByHand(std::string& told, std::string_view pointer,
                  const std::optional<std::string>& value);

// How the line at `offset` ends, or the one before it: "\n", or "\r\n" as on Windows.
std::string LineEndAt(std::string_view text, std::size_t offset);

// Where the value begins, behind its anchor if there is one.
std::size_t ValueBegin(std::string_view text, const YamlNode& node);
// Where it ends: of a text written with | or >, behind its last line and not, as libyaml has it,
// where the next line begins, which may be a comment.
std::size_t ValueEnd(std::string_view text, const YamlNode& node);

// Whether a list or map is written in brackets.
bool IsFlow(std::string_view text, const YamlNode& node);
// A document in brackets whose first key, if it has one, is quoted is meant to be JSON, and must
// stay so.
bool IsJson(std::string_view text, const YamlNode& root);

// By its index; nullptr if there is none, or it could not be read.
const YamlDocument* FindDocument(const YamlStream& stream, std::size_t index);

// One document with its marker, so that it can be read alone: the end of the text, if it is the
// last one, or what lies before the next.
struct DocumentText {
  std::size_t begin = 0;
  std::string_view text;

  // It alone with changes of the whole text, in their order; nothing if one of them is not of it,
  // or would join it to the document or the marker behind it.
  std::optional<std::string> With(std::vector<TextChange> changes) const;
};
DocumentText DocumentTextOf(std::string_view text, const YamlStream& stream,
                            const YamlDocument& document);

}  // namespace tpu_admission::offline
