// The one YAML adapter: text -> trees of values, each with its place in the text.
//
// Built on libyaml, the C original that kubectl's YAML package was ported from: same grammar, same
// errors, exact marks. Scalars are read as kubectl reads them (YAML 1.1: `yes`, `on`, `0o7`, `~`),
// and so is JSON text, of which several values may follow each other. Config, policy and catalog
// are read from these trees (base/config_reader.h); manifests become the tree that reviews become
// (k8s/yaml_tree.h).
//
// Pure functions: no I/O, no state, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"

namespace tpu_admission {

// A place in the text. Lines and columns count from 1, columns in characters; offsets are bytes
// from 0.
struct YamlMark {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::size_t offset = 0;
};

struct YamlNode;

struct YamlMember {
  std::string_view key;
  YamlMark mark;  // of the key
  const YamlNode* value = nullptr;
};

// A value. Aliases and merge keys are followed: what several places name is one node, and its place
// is where it was written. The members of a mapping are its own, in their order, then the merged
// that no later one of its own replaced.
struct YamlNode {
  enum class Kind : std::uint8_t { kNull, kBool, kInt, kFloat, kString, kList, kMap };

  Kind kind = Kind::kNull;
  std::uint32_t height = 0;  // levels below a collection
  std::size_t values = 1;    // this and all below, as often as aliases repeat them
  std::string_view text;     // of a scalar: a string's characters; else as it is written
  std::string_view json;     // null, true, false or a number, as JSON writes them
  std::span<const YamlNode* const> items;  // of a list
  std::span<const YamlMember> members;     // of a mapping; no key twice
  YamlMark start;
  YamlMark end;  // one past the value

  // Linear. nullptr if there is no such member.
  const YamlMember* Find(std::string_view key) const;
  // The member or item that a token of a JSON pointer names, or nullptr.
  const YamlNode* Child(std::string_view token) const;
};

// The place of a value, and of its key if it is a member of a mapping.
struct YamlPlace {
  YamlMark key;
  YamlMark value;
  YamlMark end;
};

struct YamlDocument {
  const YamlNode* root = nullptr;
  std::size_t index = 0;  // in the stream; documents at fault count

  // The place of the JSON pointer, or of its nearest ancestor that the document has.
  YamlPlace PlaceOf(std::string_view pointer) const;
};

struct YamlError {
  YamlMark mark;
  std::string message;

  std::string Text() const;  // "LINE:COLUMN: message"
};

// All documents that could be read, and why others could not, in the order of the text.
struct YamlStream {
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory;  // the trees live as long as this
  std::vector<YamlDocument> documents;
  std::vector<YamlError> errors;
};

struct YamlLimits {
  std::size_t max_depth = 200;               // lists and mappings inside each other
  std::size_t max_values = 2'000'000;        // written in the text
  std::size_t max_aliased_values = 100'000;  // that aliases and merge keys repeat
};

// Reads all of `text`, which may die afterwards. A fault (also a duplicate key, an unknown anchor,
// a limit that is passed) costs its document, and the rest of it up to the next line `---`; text
// that is not UTF-8 costs all.
YamlStream ReadYaml(std::string_view text, const YamlLimits& limits = {});

}  // namespace tpu_admission
