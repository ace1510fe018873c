#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/config_state.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission {
namespace {

using Json = ConfigJson;

const Json& AsJson(const void* value) { return *static_cast<const Json*>(value); }

// What was found, for a message: `the number 7`, `a list`.
std::string Describe(const Json& value) {
  if (value.is_null()) return "nothing";
  if (value.is_string()) return Quoted(value.get_ref<const std::string&>());
  if (value.is_object()) return "a mapping";
  if (value.is_array()) return "a list";
  return Printable(value.dump());
}

bool IsInRange(const Json& value, IntRange range) {
  if (!value.is_number_integer()) return false;
  const bool beyond = value.is_number_unsigned() &&
                      value.get<std::uint64_t>() >
                          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (beyond) return false;
  const auto number = value.get<std::int64_t>();
  return number >= range.min && number <= range.max;
}

// What a getter that failed returns: a reader that divides by it must not fall over.
std::int64_t Harmless(IntRange range) {
  return std::max(range.min, std::min<std::int64_t>(0, range.max));
}

std::string Describe(IntRange range) {
  const bool low = range.min != IntRange{}.min;
  const bool high = range.max != IntRange{}.max;
  if (low && high) {
    return "a whole number from " + std::to_string(range.min) + " to " + std::to_string(range.max);
  }
  if (low) return "a whole number of at least " + std::to_string(range.min);
  if (high) return "a whole number of at most " + std::to_string(range.max);
  return "a whole number";
}

}  // namespace

// Whether members can be asked for; that they cannot is reported once.
bool ConfigNode::IsMap() const {
  if (value_ == nullptr) return false;
  if (AsJson(value_).is_object()) return true;
  if (state_->asked.try_emplace(value_).second) FailWanted("a mapping");
  return false;
}

// The member's value, nullptr if it is missing or null. Either way the key is known from now on.
const void* ConfigNode::Find(std::string_view key) const {
  if (!IsMap()) return nullptr;
  const Json& json = AsJson(value_);
  state_->asked[value_].emplace(key);
  const auto member = json.find(key);
  return member == json.end() || member->is_null() ? nullptr : &*member;
}

bool ConfigNode::Has(std::string_view key) const {
  Find(key);
  return IsMap() && AsJson(value_).contains(key);
}

bool ConfigNode::HasList(std::string_view key) const {
  const void* const value = Find(key);
  return value != nullptr && AsJson(value).is_array();
}

void ConfigNode::Fail(std::string_view message) const { state_->ReportValue(pointer_, message); }

void ConfigNode::Fail(std::string_view key, std::string_view message) const {
  state_->ReportValue(MemberPointer(pointer_, key), message);
}

void ConfigNode::FailWanted(std::string_view wanted) const {
  state_->wrong.insert(value_);
  Fail("found " + Describe(AsJson(value_)) + ", wanted " + std::string(wanted));
}

std::optional<ConfigNode> ConfigNode::Member(std::string_view key) const {
  const void* const value = Find(key);
  if (value == nullptr) return std::nullopt;
  return ConfigNode(state_, value, MemberPointer(pointer_, key));
}

std::optional<ConfigNode> ConfigNode::Required(std::string_view key,
                                               std::string_view wanted) const {
  std::optional<ConfigNode> member = Member(key);
  if (!member && IsMap()) Fail(key, "missing, wanted " + std::string(wanted));
  return member;
}

// The value as a word, or an empty one. YAML 1.1 takes `off` and `no` for booleans, but whoever
// writes them where a word is wanted means the word.
std::string ConfigNode::Word() const {
  const Json& json = AsJson(value_);
  if (json.is_string()) return json;
  const std::string_view written = json.is_boolean() ? state_->Written(pointer_) : "";
  constexpr std::array<std::string_view, 6> kWords = {"yes", "no", "on", "off", "y", "n"};
  const bool word = std::find(kWords.begin(), kWords.end(), written) != kWords.end();
  return std::string(word ? written : "");
}

std::string ConfigNode::AsString() const {
  if (value_ == nullptr) return {};
  std::string word = Word();
  if (word.empty()) FailWanted("a string");
  return word;
}

std::int64_t ConfigNode::AsInt(IntRange range) const {
  if (value_ == nullptr) return Harmless(range);
  const Json& json = AsJson(value_);
  if (IsInRange(json, range)) return json;
  FailWanted(Describe(range));
  return Harmless(range);
}

bool ConfigNode::AsBool() const {
  if (value_ == nullptr) return false;
  const Json& json = AsJson(value_);
  if (json.is_boolean()) return json;
  FailWanted("true or false");
  return false;
}

std::size_t ConfigNode::AsOneOf(std::span<const std::string_view> names) const {
  if (value_ == nullptr) return 0;
  const std::string word = Word();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!word.empty() && word == names[i]) return i;
  }
  FailWanted(JoinOr(std::vector<std::string>(names.begin(), names.end())));
  return 0;
}

std::vector<ConfigNode> ConfigNode::AsList() const {
  std::vector<ConfigNode> items;
  if (value_ == nullptr) return items;
  const Json& json = AsJson(value_);
  if (!json.is_array()) FailWanted("a list");
  for (std::size_t i = 0; json.is_array() && i < json.size(); ++i) {
    items.push_back(ConfigNode(state_, &json[i], MemberPointer(pointer_, std::to_string(i))));
  }
  return items;
}

std::vector<std::string> ConfigNode::AsStrings() const {
  if (value_ != nullptr && AsJson(value_).is_string()) return {AsString()};
  std::vector<std::string> strings;
  for (const ConfigNode& item : AsList()) strings.push_back(item.AsString());
  return strings;
}

std::vector<std::int64_t> ConfigNode::AsInts(IntRange range) const {
  std::vector<std::int64_t> numbers;
  for (const ConfigNode& item : AsList()) numbers.push_back(item.AsInt(range));
  return numbers;
}

std::string ConfigNode::String(std::string_view key) const {
  const auto member = Required(key, "a string");
  return member ? member->AsString() : std::string();
}

std::int64_t ConfigNode::Int(std::string_view key, IntRange range) const {
  const auto member = Required(key, Describe(range));
  return member ? member->AsInt(range) : Harmless(range);
}

bool ConfigNode::Bool(std::string_view key) const {
  const auto member = Required(key, "true or false");
  return member && member->AsBool();
}

std::vector<std::string> ConfigNode::Strings(std::string_view key) const {
  const auto member = Required(key, "a list of strings");
  return member ? member->AsStrings() : std::vector<std::string>();
}

std::vector<std::int64_t> ConfigNode::Ints(std::string_view key, IntRange range) const {
  const auto member = Required(key, "a list of whole numbers");
  return member ? member->AsInts(range) : std::vector<std::int64_t>();
}

ConfigNode ConfigNode::Map(std::string_view key) const {
  const auto member = Required(key, "a mapping");
  if (member && member->IsMap()) return *member;
  return ConfigNode(state_, nullptr, MemberPointer(pointer_, key));
}

std::vector<ConfigNode> ConfigNode::List(std::string_view key) const {
  const auto member = Required(key, "a list");
  return member ? member->AsList() : std::vector<ConfigNode>();
}

std::size_t ConfigNode::OneOf(std::string_view key, std::span<const std::string_view> names) const {
  const auto member = Required(key, JoinOr(std::vector<std::string>(names.begin(), names.end())));
  return member ? member->AsOneOf(names) : 0;
}

std::string ConfigNode::StringOr(std::string_view key, std::string_view fallback) const {
  const auto member = Member(key);
  return member ? member->AsString() : std::string(fallback);
}

std::int64_t ConfigNode::IntOr(std::string_view key, std::int64_t fallback, IntRange range) const {
  const auto member = Member(key);
  return member ? member->AsInt(range) : fallback;
}

bool ConfigNode::BoolOr(std::string_view key, bool fallback) const {
  const auto member = Member(key);
  return member ? member->AsBool() : fallback;
}

std::vector<std::string> ConfigNode::StringsOrNone(std::string_view key) const {
  const auto member = Member(key);
  return member ? member->AsStrings() : std::vector<std::string>();
}

std::vector<std::int64_t> ConfigNode::IntsOrNone(std::string_view key, IntRange range) const {
  const auto member = Member(key);
  return member ? member->AsInts(range) : std::vector<std::int64_t>();
}

std::optional<ConfigNode> ConfigNode::MapOrNone(std::string_view key) const {
  const auto member = Member(key);
  return member && member->IsMap() ? member : std::nullopt;
}

std::vector<ConfigNode> ConfigNode::ListOrNone(std::string_view key) const {
  const auto member = Member(key);
  return member ? member->AsList() : std::vector<ConfigNode>();
}

std::size_t ConfigNode::OneOfOr(std::string_view key, std::span<const std::string_view> names,
                                std::size_t fallback) const {
  const auto member = Member(key);
  return member ? member->AsOneOf(names) : fallback;
}

std::vector<std::pair<std::string, ConfigNode>> ConfigNode::Members() const {
  std::vector<std::pair<std::string, ConfigNode>> members;
  if (!IsMap()) return members;
  for (const auto& [key, value] : AsJson(value_).items()) {
    state_->asked[value_].emplace(key);
    members.emplace_back(key, ConfigNode(state_, &value, MemberPointer(pointer_, key)));
  }
  return members;
}

}  // namespace tpu_admission
