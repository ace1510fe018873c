// Reads typed members of JSON that a stranger wrote, and bounds how much of them is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::k8s {

// A value that is not what it must be, in an object that can be judged all the same.
struct Slip {
  JsonView value;
  std::string problem;  // `nodeSelector "cloud.google.com/gke-spot" is not a string; quote it`
};

// Decodes one object. Whatever is decoded, lists and maps alike, counts against kMaxEntries, so
// what one object costs has a bound. What is past a bound reads as absent, and `exceeded` is set:
// such an object must not be judged.
class Decoder {
 public:
  // No manifest comes near these: the largest of some hundred public ones has 11 members in a map
  // and 11 elements in a list.
  static constexpr std::size_t kMaxEntries = 50'000;   // of one object in all
  static constexpr std::size_t kMost = 1000;           // of one list or map
  static constexpr std::size_t kMaxSlips = 10;         // are kept
  static constexpr std::size_t kLongestName = 253;     // of anything in Kubernetes
  static constexpr std::size_t kBytesOfAnEntry = 256;  // of a text; a shorter one costs nothing

  explicit Decoder(Arena& arena) : arena_(arena) {}

  Arena& arena() { return arena_; }
  // The first member whose JSON type is impossible ("containers is not a list").
  const std::optional<Error>& error() const { return error_; }
  // The first bound that was exceeded ("more than 100 containers"), in the arena; empty: none.
  std::string_view exceeded() const { return exceeded_; }
  const std::vector<Slip>& slips() const { return slips_; }
  std::size_t entries() const { return entries_; }  // decoded so far

  // The member `key`; absent if it is null, of another type, or has more than `most` entries.
  JsonView List(JsonView parent, std::string_view key, std::size_t most = kMost);
  JsonView Object(JsonView parent, std::string_view key, std::size_t most = kMost);
  // `value`, an element of the list `key`, as an object.
  JsonView ObjectElement(JsonView value, std::string_view key);
  // A map whose values are strings: `topology: 0x4` without quotes is a number in YAML. A value
  // that is none is a slip.
  JsonView Strings(JsonView parent, std::string_view key);
  // The same of metadata, whose labels and annotations are read by name: no map is a slip as well.
  JsonView Labels(JsonView metadata, std::string_view key);
  std::string_view String(JsonView parent, std::string_view key);
  // A name, which nothing hangs on: one that is no string is a slip, a longer one is cut.
  std::string_view Name(JsonView parent, std::string_view key = "name");
  // The value of an environment variable; nothing if it has none. One of another type is a slip.
  std::optional<std::string_view> ValueOf(JsonView variable);

  // A count: a whole number from 0 on. One in quotes, which no API server takes for one, and one
  // below 0 are read all the same, and slips, as one with a fraction is. What is no number, a
  // placeholder perhaps, is nothing.
  std::optional<std::int64_t> Integer(JsonView value, std::string_view key);

  // Counts the bytes of a text that rules read again and again as entries.
  std::string_view Weighed(std::string_view text) {
    entries_ += text.size() / kBytesOfAnEntry;
    return text;
  }
  // Counts the entries of `json`, which is called `key`. False if they exceed a bound.
  bool Fits(JsonView json, std::string_view key, std::size_t most = kMost);
  // There are more than `most` of `what`.
  void Exceed(std::size_t most, std::string_view what);

 private:
  JsonView Typed(JsonView parent, std::string_view key, bool (JsonView::*is)() const,
                 const char* wanted, std::size_t most);
  void Fail(std::string_view key, std::string_view what);
  JsonView HoldsStrings(JsonView map, std::string_view key);
  void NoString(JsonView value, std::string_view what);
  void Slipped(JsonView value, std::string problem);

  Arena& arena_;
  std::optional<Error> error_;
  std::string_view exceeded_;
  std::vector<Slip> slips_;
  std::size_t entries_ = 0;
};

}  // namespace tpu_admission::k8s
