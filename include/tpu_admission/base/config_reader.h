// Strict reading of our own YAML files (catalog, policy, config): every value is asked for by name
// and type, and whatever nobody asked for is refused.
//
// Errors are collected, so the code that reads needs no branches: a getter that fails notes why and
// returns something harmless (nothing, false, the number of the range that is nearest to 0), and
// Finish() at the end says all that was wrong, a line each, in the order of the text:
// "origin:LINE:COLUMN: key.path: what was found, what is wanted".
//
//   TPU_ADMISSION_TRY(ConfigFile file, ConfigFile::Parse(text, "policy.yaml"));
//   for (ConfigNode row : file.root().List("rules")) Add(row.String("id"), row.Bool("on"));
//   TPU_ADMISSION_TRY_STATUS(file.Finish());
//
// Not thread-safe. A ConfigNode is a cheap handle that lives no longer than its ConfigFile; its
// getters are not const, because the file remembers what was asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/base/yaml.h"

namespace tpu_admission {

class ConfigNode;

class ConfigFile {
 public:
  static constexpr std::size_t kMaxErrors = 20;  // that are told; the others are counted

  // At most one YAML document; an empty one reads as an empty mapping.
  static Result<ConfigFile> Parse(std::string_view text, std::string_view origin);
  ~ConfigFile();
  ConfigFile(ConfigFile&&) noexcept;
  ConfigFile& operator=(ConfigFile&&) noexcept;

  ConfigNode root();

  // All errors; an unknown key is one. Call it once, when everything has been asked for.
  Status Finish();

 private:
  friend class ConfigNode;
  struct State;
  explicit ConfigFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct IntRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

class ConfigNode {
 public:
  // True if the mapping has the key, even if its value is null.
  bool Has(std::string_view key);
  // True if the mapping has the key and its value is a list.
  bool HasList(std::string_view key);

  // Required members of a mapping; null is none. Where a string is wanted, `off`, `no`
  // and their like are the words that they are, although YAML 1.1 calls them booleans.
  std::string String(std::string_view key);  // not empty
  std::int64_t Int(std::string_view key, IntRange range = {});
  bool Bool(std::string_view key);
  std::vector<std::string> Strings(std::string_view key);  // a list, or one string
  std::vector<std::int64_t> Ints(std::string_view key, IntRange range = {});
  std::vector<ConfigNode> List(std::string_view key);
  ConfigNode Map(std::string_view key);
  // The index of the value in `names`.
  std::size_t OneOf(std::string_view key, std::span<const std::string_view> names);

  // Optional members: the fallback, or nothing, if the key is missing. One without a value is an
  // error: what stood behind it would be lost without a word.
  std::string StringOr(std::string_view key, std::string_view fallback);
  std::int64_t IntOr(std::string_view key, std::int64_t fallback, IntRange range = {});
  bool BoolOr(std::string_view key, bool fallback);
  std::vector<std::string> StringsOrNone(std::string_view key);
  std::vector<ConfigNode> ListOrNone(std::string_view key);
  std::optional<ConfigNode> MapOrNone(std::string_view key);
  std::size_t OneOfOr(std::string_view key, std::span<const std::string_view> names,
                      std::size_t fallback);

  // All members of a mapping whose keys are free (a table of names), in the order of the text.
  std::vector<std::pair<std::string, ConfigNode>> Members();

  // The node itself, for items of lists and values of tables.
  std::string AsString();  // not empty
  std::int64_t AsInt(IntRange range = {});
  bool AsBool();
  std::vector<std::string> AsStrings();
  std::vector<std::int64_t> AsInts(IntRange range = {});
  std::vector<ConfigNode> AsList();
  std::size_t AsOneOf(std::span<const std::string_view> names);

  // A word, number or boolean as a command line has it: `10250`, `false`, `5s`.
  std::string AsFlag();

  // Where the value begins; 0 if it is missing.
  std::uint32_t line() const { return value_ == nullptr ? 0 : value_->start.line; }

  // Notes an error of the reader's own at this node, or at its member `key`.
  void Fail(std::string_view message);
  void Fail(std::string_view key, std::string_view message);
  // Notes that the member should not be there, at its key.
  void FailKey(std::string_view key, std::string_view message);

 private:
  friend class ConfigFile;
  ConfigNode(ConfigFile::State& state, const YamlNode* value, std::string pointer)
      : state_(&state), value_(value), pointer_(std::move(pointer)) {}
  bool IsMap();
  const YamlNode* Find(std::string_view key);
  std::optional<ConfigNode> Member(std::string_view key);
  std::string_view Word() const;
  std::optional<ConfigNode> Required(std::string_view key, std::string_view wanted);
  void FailWanted(std::string_view wanted);

  ConfigFile::State* state_;
  const YamlNode* value_;  // nullptr: missing, which has been reported
  std::string pointer_;    // the JSON pointer of the value
};

}  // namespace tpu_admission
