// How values are written in the text of a YAML file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tpu_admission/base/yaml.h"

namespace tpu_admission::offline {

// A word that YAML takes for nothing but a string, and nothing must be quoted in.
bool IsPlainString(std::string_view text);
// Quoted if it must be.
std::string WrittenKey(const std::string& key);

// Whether a list or map is written in brackets.
bool IsFlow(std::string_view text, const YamlNode& node);
// A document in braces whose first key is quoted is meant to be JSON, and must stay so.
bool IsJson(std::string_view text, const YamlNode& root);

// By its index; nullptr if there is none, or it could not be read.
const YamlDocument* FindDocument(const YamlStream& stream, std::size_t index);

// One document with its marker, so that it can be read alone: the end of the text, if it is the
// last one, or what lies before the next.
struct DocumentText {
  std::size_t begin = 0;
  std::string_view text;
};
DocumentText DocumentTextOf(std::string_view text, const YamlStream& stream,
                            const YamlDocument& document);

}  // namespace tpu_admission::offline
