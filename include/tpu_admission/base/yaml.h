// The one YAML adapter: YAML text -> JSON text plus the place of every value.
//
// Built on libyaml, the C original that kubectl's YAML package was ported from: same grammar, same
// errors, exact marks. Scalars are read as kubectl reads them (YAML 1.1: `yes`, `on`, `0o7`, `~`).
// Config, policy and catalog hand the JSON text to nlohmann; manifests hand it to the decoder that
// reads reviews, so every error and every finding can name file, line and key.
//
// Pure functions: no I/O, no state, safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tpu_admission/base/result.h"

namespace tpu_admission {

// Where a node stands in the text. Lines and columns count from 1, offsets are bytes from 0.
struct YamlMark {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::size_t offset = 0;
};

// The place of a value and, if it is a member of a mapping, of its key. `end` is one past the
// value. For a value that came through an alias or a merge key, the place is the anchor's.
struct YamlPlace {
  YamlMark key;
  YamlMark value;
  YamlMark end;
};

struct YamlDocument {
  std::string json;  // the document as one JSON value; `null` for an empty document
  YamlMark start;    // first byte of the document's root
  std::unordered_map<std::string, YamlPlace> places;  // by JSON pointer; "" is the root

  // The place of `pointer`, or of its nearest ancestor that has one.
  const YamlPlace& PlaceOf(std::string_view pointer) const;
};

struct YamlLimits {
  std::size_t max_depth = 200;               // nested collections
  std::size_t max_aliased_values = 100'000;  // values that aliases and merges made
  std::size_t max_json_bytes = 16 << 20;     // all documents together, aliases expanded
};

// All documents of the stream, in order. An error's message begins with "LINE:COLUMN: ", so that a
// caller makes "file:LINE:COLUMN: ..." of it. Duplicate keys, unknown anchors, a limit that is
// passed, and text that is not UTF-8 are errors.
Result<std::vector<YamlDocument>> ParseYaml(std::string_view text, const YamlLimits& limits = {});

}  // namespace tpu_admission
