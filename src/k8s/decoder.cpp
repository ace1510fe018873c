#include "tpu_admission/k8s/decoder.h"

#include "tpu_admission/base/text.h"

namespace tpu_admission::k8s {
namespace {

constexpr std::size_t kShownBytes = 48;  // of a key, so that what to do about it has room beside it

}  // namespace

JsonView Decoder::List(JsonView parent, std::string_view key, std::size_t most) {
  return Typed(parent, key, &JsonView::is_array, "is not a list", most);
}

JsonView Decoder::Object(JsonView parent, std::string_view key, std::size_t most) {
  return Typed(parent, key, &JsonView::is_object, "is not a map", most);
}

JsonView Decoder::ObjectElement(JsonView value, std::string_view key) {
  if (value.is_object()) return Fits(value, key) ? value : JsonView();
  Fail(key, "has an element that is not a map");
  return {};
}

JsonView Decoder::Strings(JsonView parent, std::string_view key) {
  return HoldsStrings(Object(parent, key), key);
}

JsonView Decoder::Labels(JsonView metadata, std::string_view key) {
  const JsonView map = metadata[key];
  if (!Fits(map, key)) return {};
  if (map.is_object()) return HoldsStrings(map, key);
  if (map.has_value()) Slipped(map, std::string(key) + " is not a map");
  return {};
}

std::string_view Decoder::String(JsonView parent, std::string_view key) {
  const JsonView value = parent[key];
  const std::optional<std::string_view> text = value.AsString();
  if (!text && value.has_value()) Fail(key, "is not a string");
  return Weighed(text.value_or(""));
}

std::string_view Decoder::Name(JsonView parent, std::string_view key) {
  const JsonView value = parent[key];
  const std::optional<std::string_view> text = value.AsString();
  if (!text && value.has_value()) NoString(value, key);
  return text.value_or("").substr(0, kLongestName);
}

std::optional<std::string_view> Decoder::ValueOf(JsonView variable) {
  const JsonView value = variable["value"];
  const std::optional<std::string_view> text = value.AsString();
  if (!text && value.has_value()) {
    NoString(value, "the value of env " + Quoted(variable["name"].StringOr(""), kShownBytes));
  }
  Weighed(text.value_or(""));
  return text;
}

std::optional<std::int64_t> Decoder::Integer(JsonView value, std::string_view key) {
  const std::optional<std::string_view> text = value.AsString();
  const auto number = text ? WholeNumber(*text) : value.AsInteger();
  if (number && *number >= 0 && !text) return number;  // nearly always
  const std::string name(key);
  if (number && *number < 0) {
    Slipped(value, name + " is " + std::to_string(*number) + "; it may not be below 0");
  } else if (number && text) {
    Slipped(value, name + " is a string; write " + std::to_string(*number) + " without quotes");
  } else if (const auto fraction = value.AsDouble(); fraction && !number) {
    Slipped(value, name + " is not a whole number");
  }
  return number;
}

bool Decoder::Fits(JsonView json, std::string_view key, std::size_t most) {
  const std::size_t size = json.size();
  entries_ += size;
  if (size > most) Exceed(most, std::string("entries in ").append(key));
  if (entries_ > kMaxEntries) Exceed(kMaxEntries, "entries in all lists and maps");
  return exceeded_.empty();
}

void Decoder::Exceed(std::size_t most, std::string_view what) {
  if (!exceeded_.empty()) return;
  exceeded_ = arena_.Text("more than " + std::to_string(most) + " " + std::string(what));
}

JsonView Decoder::Typed(JsonView parent, std::string_view key, bool (JsonView::*is)() const,
                        const char* wanted, std::size_t most) {
  const JsonView value = parent[key];
  if (!value.has_value()) return {};
  if ((value.*is)()) return Fits(value, key, most) ? value : JsonView();
  Fail(key, wanted);
  return {};
}

void Decoder::Fail(std::string_view key, std::string_view what) {
  if (!error_) error_ = Error{std::string(key).append(" ").append(what)};
}

JsonView Decoder::HoldsStrings(JsonView map, std::string_view key) {
  if (map.HoldsStringsAlone()) return map;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const JsonView value = map.Member(i);
    if (!value.AsString())
      NoString(value, std::string(key) + " " + Quoted(map.MemberKey(i), kShownBytes));
  }
  return map;
}

void Decoder::NoString(JsonView value, std::string_view what) {
  Slipped(value,
          std::string(what) + (value.is_null() ? " is null; remove the key or give it a value"
                                               : " is not a string; quote it"));
}

void Decoder::Slipped(JsonView value, std::string problem) {
  if (slips_.size() < kMaxSlips) slips_.push_back({value, std::move(problem)});
}

}  // namespace tpu_admission::k8s
