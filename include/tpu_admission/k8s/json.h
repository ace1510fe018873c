// JSON that a stranger sent, parsed into an arena and read through views.
//
// The parser behind it is src/k8s/json_parser.cpp, held against another one by a test. A
// JsonParser belongs to one thread and is reused from request to request; a view lives until the
// parser's next Parse(), and no longer than the text, which it points into. No view ever throws: a
// missing member, a wrong type or an index past the end is an absent view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tpu_admission/base/result.h"

namespace tpu_admission {
struct YamlNode;
}

namespace tpu_admission::k8s {

class Arena;
struct JsonEdit;

class JsonView {
 public:
  JsonView() = default;  // absent

  bool present() const { return value_ != nullptr; }
  bool is_null() const;  // a literal null
  bool has_value() const { return present() && !is_null(); }
  bool is_object() const;
  bool is_array() const;

  JsonView operator[](std::string_view key) const;  // of an object; the last of duplicate keys
  // Follows "spec/template/spec"; an empty path is the value itself.
  JsonView Follow(std::string_view path) const;

  std::size_t size() const;  // elements of an array, members of an object
  JsonView Element(std::size_t index) const;
  std::string_view MemberKey(std::size_t index) const;
  JsonView Member(std::size_t index) const;
  bool HoldsStringsAlone() const;  // an object whose values are all strings

  std::optional<std::string_view> AsString() const;
  std::string_view StringOr(std::string_view otherwise) const;
  std::optional<std::int64_t> AsInteger() const;  // a JSON number without fraction that fits
  std::optional<double> AsDouble() const;         // any JSON number
  bool IsTrue() const;                            // a literal true
  bool IsFalse() const;                           // a literal false

  // Deep equality, as JSON values; two absent views are equal.
  friend bool Equal(JsonView a, JsonView b);
  // The JSON pointer of `value` below `root`, which it must be a part of. Looks at all of `root`.
  friend std::string PointerTo(JsonView root, JsonView value);

 private:
  friend class JsonParser;
  friend JsonView Edited(JsonView root, std::span<const JsonEdit> edits, Arena& arena);
  friend JsonView TreeOf(const YamlNode& node, Arena& arena);
  explicit JsonView(const void* value) : value_(value) {}

  const void* value_ = nullptr;
};

class JsonParser {
 public:
  static constexpr std::size_t kMaxDepth = 128;
  // Both keep what a review takes beside its body below 16 MiB (hostile_shapes_test). The API
  // server stores no object of more than 1.5 MiB, and shows two at most: they have fewer values,
  // for each takes some ten bytes, and no more text.
  static constexpr std::size_t kMaxValues = 300'000;
  static constexpr std::size_t kMaxUnescaped = 3 << 20;  // bytes of texts that had escapes

  // Of a stranger who sends more than reviews.
  struct Wish {
    std::size_t max_unescaped;
    bool lone_surrogates;  // "\ud83d" without its other half is U+FFFD, not an error
  };

  explicit JsonParser(const Wish& wish = {kMaxUnescaped, false});
  ~JsonParser();
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;

  // Strict RFC 8259: one value, valid UTF-8, no byte order mark, at most kMaxDepth nested,
  // at most kMaxValues values, at most kMaxUnescaped bytes of text that has escapes, but as
  // wished. The content of managedFields is left out: it reads as null. Ends the life of every view
  // of the last call.
  Result<JsonView> Parse(std::string_view text);
  // Ends the same lives, and gives back the memory of a large text.
  void Release();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tpu_admission::k8s
