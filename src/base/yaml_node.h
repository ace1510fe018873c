// The tree of one YAML document, as written: aliases not expanded, scalars not interpreted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tpu_admission/base/yaml.h"

namespace tpu_admission::yaml {

struct Node {
  enum class Kind : std::uint8_t { kScalar, kSequence, kMapping, kAlias };

  Kind kind = Kind::kScalar;
  bool plain = false;            // a scalar without quotes and without block style
  bool flow = false;             // a collection in [] or {}
  bool open = false;             // a collection that is being read
  std::string tag;               // empty: none
  std::string text;              // of a scalar
  const Node* target = nullptr;  // of an alias
  YamlMark start;
  YamlMark end;
  std::vector<const Node*> items;  // of a sequence; of a mapping key, value, key, value, ...

  // The node itself, or what its alias stands for.
  const Node& Resolved() const { return kind == Kind::kAlias ? *target : *this; }
};

struct Document {
  std::vector<std::unique_ptr<Node>> nodes;  // owns the tree
  const Node* root = nullptr;
};

// "LINE:COLUMN: message".
inline Error ErrorAt(const YamlMark& mark, const std::string& message) {
  return Error{std::to_string(mark.line) + ":" + std::to_string(mark.column) + ": " + message};
}

}  // namespace tpu_admission::yaml
