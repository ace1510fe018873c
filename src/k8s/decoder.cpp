#include "tpu_admission/k8s/decoder.h"

#include <charconv>
#include <system_error>

#include "tpu_admission/base/text.h"

namespace tpu_admission::k8s {

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
  const JsonView map = Object(parent, key);
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map.Member(i).AsString()) continue;
    Slipped(map.Member(i),
            std::string(key) + " " + Quoted(map.MemberKey(i)) + " is not a string; quote it");
  }
  return map;
}

std::string_view Decoder::String(JsonView parent, std::string_view key) {
  const JsonView value = parent[key];
  const std::optional<std::string_view> text = value.AsString();
  if (!text && value.has_value()) Fail(key, "is not a string");
  return text.value_or("");
}

std::string_view Decoder::Name(JsonView parent) {
  const JsonView value = parent["name"];
  const std::optional<std::string_view> text = value.AsString();
  if (!text && value.has_value()) Slipped(value, "name is not a string; quote it");
  return text.value_or("").substr(0, kLongestName);
}

std::optional<std::string_view> Decoder::ValueOf(JsonView variable) {
  const JsonView value = variable["value"];
  const std::optional<std::string_view> text = value.AsString();
  if (!text && value.has_value()) {
    Slipped(value, "the value of env " + Quoted(variable["name"].StringOr("")) +
                       " is not a string; quote it");
  }
  return text;
}

std::optional<std::int64_t> Decoder::Integer(JsonView value, std::string_view key) {
  const std::optional<std::string_view> text = value.AsString();
  if (!text) return value.AsInteger();
  std::int64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  Slipped(value,
          std::string(key) + " is a string; write " + std::to_string(number) + " without quotes");
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

void Decoder::Slipped(JsonView value, std::string problem) {
  if (slips_.size() < kMaxSlips) slips_.push_back({value, std::move(problem)});
}

}  // namespace tpu_admission::k8s
