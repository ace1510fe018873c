#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/config_state.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission {
namespace {

using Kind = YamlNode::Kind;

// YAML 1.1, and Go's reader with it, takes 010 for 8; whoever writes it means 10.
bool LooksOctal(std::string_view written) {
  if (written.starts_with('-') || written.starts_with('+')) written.remove_prefix(1);
  return written.size() > 1 && written[0] == '0' && written[1] >= '0' && written[1] <= '9';
}

// What was found, for a message: `7`, `a list`.
std::string Describe(const YamlNode& value) {
  if (value.kind == Kind::kNull) return "nothing";
  if (value.kind == Kind::kString) return Quoted(value.text);
  if (value.kind == Kind::kMap) return "a mapping";
  if (value.kind == Kind::kList) return "a list";
  if (value.kind == Kind::kInt && LooksOctal(value.text)) {
    return Printable(value.text) + ", which is octal to some and decimal to others";
  }
  return Printable(value.json);
}

std::optional<std::int64_t> IntOf(const YamlNode& value) {
  if (value.kind != Kind::kInt || LooksOctal(value.text)) return std::nullopt;
  return WholeNumber(value.json);
}

// What a getter that failed returns: a reader that divides by it must not fall over.
std::int64_t Harmless(IntRange range) {
  return std::max(range.min, std::min<std::int64_t>(0, range.max));
}

std::string Describe(IntRange range) {
  const bool low = range.min != IntRange{}.min;
  const bool high = range.max != IntRange{}.max;
  if (range.min == range.max) return "the number " + std::to_string(range.min);
  if (low && high) {
    return "a whole number from " + std::to_string(range.min) + " to " + std::to_string(range.max);
  }
  if (low) return "a whole number of at least " + std::to_string(range.min);
  if (high) return "a whole number of at most " + std::to_string(range.max);
  return "a whole number";
}

}  // namespace

// Whether members can be asked for; that they cannot is reported once.
bool ConfigNode::IsMap() {
  if (value_ == nullptr) return false;
  if (value_->kind == Kind::kMap) return true;
  if (state_->asked.try_emplace(value_).second) FailWanted("a mapping");
  return false;
}

// The member's value, nullptr if it is missing. Either way the key is known from now on.
const YamlNode* ConfigNode::Find(std::string_view key) {
  if (!IsMap()) return nullptr;
  state_->asked[value_].keys.emplace(key);
  const YamlMember* const member = value_->Find(key);
  return member == nullptr ? nullptr : member->value;
}

bool ConfigNode::Has(std::string_view key) {
  Find(key);
  return IsMap() && value_->Find(key) != nullptr;
}

bool ConfigNode::HasList(std::string_view key) {
  const YamlNode* const value = Find(key);
  return value != nullptr && value->kind == Kind::kList;
}

void ConfigNode::Fail(std::string_view message) {
  if (value_ != nullptr) state_->Report(value_->start, pointer_, message);
}

void ConfigNode::Fail(std::string_view key, std::string_view message) {
  if (value_ == nullptr) return;
  const YamlMember* const member = value_->Find(key);
  const YamlNode& place = member == nullptr ? *value_ : *member->value;
  state_->Report(place.start, PointerBelow(pointer_, key), message);
}

void ConfigNode::FailKey(std::string_view key, std::string_view message) {
  const YamlMember* const member = value_ == nullptr ? nullptr : value_->Find(key);
  if (member == nullptr) return;
  state_->wrong.insert(member->value);  // nor is what is in it of any use
  state_->Report(member->mark, PointerBelow(pointer_, key), message);
}

void ConfigNode::FailWanted(std::string_view wanted) {
  state_->wrong.insert(value_);
  Fail("found " + Describe(*value_) + ", wanted " + std::string(wanted));
}

std::optional<ConfigNode> ConfigNode::Member(std::string_view key) {
  const YamlNode* const value = Find(key);
  if (value == nullptr) return std::nullopt;
  return ConfigNode(*state_, value, PointerBelow(pointer_, key));
}

std::optional<ConfigNode> ConfigNode::Required(std::string_view key, std::string_view wanted) {
  std::optional<ConfigNode> member = Member(key);
  if (!member && IsMap()) Fail(key, "missing, wanted " + std::string(wanted));
  return member;
}

// The value as a word, or an empty one. YAML 1.1 takes `off` and `no` for booleans, but whoever
// writes them where a word is wanted means the word.
std::string_view ConfigNode::Word() const {
  constexpr std::array<std::string_view, 6> kWords = {"yes", "no", "on", "off", "y", "n"};
  if (value_->kind == Kind::kString) return value_->text;
  const bool word = value_->kind == Kind::kBool &&
                    std::find(kWords.begin(), kWords.end(), value_->text) != kWords.end();
  return word ? value_->text : std::string_view();
}

std::string ConfigNode::AsString() {
  if (value_ == nullptr) return {};
  const std::string_view word = Word();
  const bool is_string = value_->kind == Kind::kString;
  if (word.empty()) FailWanted(is_string ? "a string that is not empty" : "a string");
  return std::string(word);
}

std::string ConfigNode::AsFlag() {
  if (value_ == nullptr) return {};
  switch (value_->kind) {
    case Kind::kBool:
    case Kind::kInt:
      return std::string(value_->json);
    case Kind::kFloat:
    case Kind::kString:
      return std::string(value_->text);
    default:
      FailWanted("a word, a number or true or false");
      return {};
  }
}

std::int64_t ConfigNode::AsInt(IntRange range) {
  if (value_ == nullptr) return Harmless(range);
  const std::optional<std::int64_t> number = IntOf(*value_);
  if (number && *number >= range.min && *number <= range.max) return *number;
  FailWanted(Describe(range));
  return Harmless(range);
}

bool ConfigNode::AsBool() {
  if (value_ == nullptr) return false;
  if (value_->kind != Kind::kBool) FailWanted("true or false");
  return value_->json == "true";
}

std::size_t ConfigNode::AsOneOf(std::span<const std::string_view> names) {
  if (value_ == nullptr) return 0;
  const auto found = std::find(names.begin(), names.end(), Word());
  if (found != names.end() && !found->empty()) {
    return static_cast<std::size_t>(found - names.begin());
  }
  FailWanted(JoinOr(std::vector<std::string>(names.begin(), names.end())));
  return 0;
}

std::vector<ConfigNode> ConfigNode::AsList() {
  std::vector<ConfigNode> items;
  if (value_ == nullptr) return items;
  if (value_->kind != Kind::kList) FailWanted("a list");
  for (const YamlNode* const item : value_->items) {
    items.push_back(ConfigNode(*state_, item, PointerBelow(pointer_, items.size())));
  }
  return items;
}

std::vector<std::string> ConfigNode::AsStrings() {
  if (value_ != nullptr && value_->kind == Kind::kString) return {AsString()};
  std::vector<std::string> strings;
  for (ConfigNode item : AsList()) strings.push_back(item.AsString());
  return strings;
}

std::vector<std::int64_t> ConfigNode::AsInts(IntRange range) {
  std::vector<std::int64_t> numbers;
  for (ConfigNode item : AsList()) numbers.push_back(item.AsInt(range));
  return numbers;
}

std::string ConfigNode::String(std::string_view key) {
  auto member = Required(key, "a string");
  return member ? member->AsString() : std::string();
}

std::int64_t ConfigNode::Int(std::string_view key, IntRange range) {
  auto member = Required(key, Describe(range));
  return member ? member->AsInt(range) : Harmless(range);
}

bool ConfigNode::Bool(std::string_view key) {
  auto member = Required(key, "true or false");
  return member && member->AsBool();
}

std::vector<std::string> ConfigNode::Strings(std::string_view key) {
  auto member = Required(key, "a list of strings");
  return member ? member->AsStrings() : std::vector<std::string>();
}

std::vector<std::int64_t> ConfigNode::Ints(std::string_view key, IntRange range) {
  auto member = Required(key, "a list of whole numbers");
  return member ? member->AsInts(range) : std::vector<std::int64_t>();
}

ConfigNode ConfigNode::Map(std::string_view key) {
  auto member = Required(key, "a mapping");
  if (member && member->IsMap()) return *member;
  return ConfigNode(*state_, nullptr, PointerBelow(pointer_, key));
}

std::vector<ConfigNode> ConfigNode::List(std::string_view key) {
  auto member = Required(key, "a list");
  return member ? member->AsList() : std::vector<ConfigNode>();
}

std::size_t ConfigNode::OneOf(std::string_view key, std::span<const std::string_view> names) {
  auto member = Required(key, JoinOr(std::vector<std::string>(names.begin(), names.end())));
  return member ? member->AsOneOf(names) : 0;
}

std::string ConfigNode::StringOr(std::string_view key, std::string_view fallback) {
  auto member = Member(key);
  return member ? member->AsString() : std::string(fallback);
}

std::int64_t ConfigNode::IntOr(std::string_view key, std::int64_t fallback, IntRange range) {
  auto member = Member(key);
  return member ? member->AsInt(range) : fallback;
}

bool ConfigNode::BoolOr(std::string_view key, bool fallback) {
  auto member = Member(key);
  return member ? member->AsBool() : fallback;
}

std::vector<std::string> ConfigNode::StringsOrNone(std::string_view key) {
  auto member = Member(key);
  return member ? member->AsStrings() : std::vector<std::string>();
}

std::optional<ConfigNode> ConfigNode::MapOrNone(std::string_view key) {
  auto member = Member(key);
  return member && member->IsMap() ? member : std::nullopt;
}

std::vector<ConfigNode> ConfigNode::ListOrNone(std::string_view key) {
  auto member = Member(key);
  return member ? member->AsList() : std::vector<ConfigNode>();
}

std::size_t ConfigNode::OneOfOr(std::string_view key, std::span<const std::string_view> names,
                                std::size_t fallback) {
  auto member = Member(key);
  return member ? member->AsOneOf(names) : fallback;
}

std::vector<std::pair<std::string, ConfigNode>> ConfigNode::Members() {
  std::vector<std::pair<std::string, ConfigNode>> members;
  if (!IsMap()) return members;
  state_->asked[value_].all = true;
  for (const YamlMember& member : value_->members) {
    members.emplace_back(member.key,
                         ConfigNode(*state_, member.value, PointerBelow(pointer_, member.key)));
  }
  return members;
}

}  // namespace tpu_admission
