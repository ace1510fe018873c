// Values, as a parser meets them -> trees in the memory of a YamlStream. Follows aliases and merge
// keys, refuses duplicate keys, and keeps the limits.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/yaml_scalar.h"
#include "tpu_admission/base/yaml.h"

namespace tpu_admission::yaml {

// A scalar as the parser gives it.
struct RawScalar {
  std::string_view text;
  std::string_view tag;  // as libyaml gives it; empty: none
  bool plain = false;    // without quotes
};

// Whatever returns false has noted why in the stream's errors: then the document is at fault, and
// Drop() comes next. Collections that are being read stand on a stack, so the depth of the text
// costs no depth of calls.
class Builder {
 public:
  Builder(YamlStream& stream, const YamlLimits& limits) : stream_(stream), limits_(limits) {}

  bool Scalar(const RawScalar& scalar, std::string_view anchor, YamlMark start, YamlMark end);
  bool Alias(std::string_view anchor, YamlMark start, YamlMark end);
  bool Open(YamlNode::Kind kind, std::string_view tag, std::string_view anchor, YamlMark start);
  // `by_last`: the collection ends where its last item ends, if it has one.
  bool Close(YamlMark end, bool by_last = false);
  void Finish();  // the document is complete
  void Drop();    // forgets the document
  bool Fail(YamlMark mark, std::string message);
  // Whether documents before it left a document too few values, and so will those behind it.
  bool is_full() const { return is_full_; }

 private:
  struct Child {
    const YamlNode* node;
    YamlMark start;  // where it is named, not where its anchor is
    YamlMark end;
    bool merge = false;  // a merge key
  };
  struct Frame {
    YamlNode* node;
    std::size_t first;  // of its children in children_
  };

  class MapDraft;

  YamlNode* NewNode(YamlNode::Kind kind, YamlMark start, YamlMark end);
  bool Attach(const Child& child);
  bool Repeat(const YamlNode& value, YamlMark mark);
  bool IsKeyNext() const;
  bool CloseMap(YamlNode& map, std::span<const Child> children);
  bool Merge(const Child& value, MapDraft& draft);
  bool MergeMap(const YamlNode& map, YamlMark mark, MapDraft& draft);
  bool KeyText(const Child& key, std::string_view& text);
  std::string_view Keep(std::string_view text);
  template <typename T>
  std::span<const T> Keep(const std::vector<T>& values);

  YamlStream& stream_;
  const YamlLimits& limits_;
  std::vector<Frame> frames_;
  std::vector<Child> children_;  // of all open collections, and the root
  std::unordered_map<std::string, const YamlNode*> anchors_;
  std::size_t values_ = 0;         // that the text has, so far
  std::size_t values_before_ = 0;  // in the documents that are complete
  bool is_full_ = false;
  std::size_t repeated_ = 0;         // values that aliases and merges made, so far
  std::size_t repeated_before_ = 0;  // in the documents that are complete
};

}  // namespace tpu_admission::yaml
