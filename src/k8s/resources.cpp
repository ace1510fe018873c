#include "tpu_admission/k8s/resources.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "tpu_admission/base/same_text.h"

namespace tpu_admission::k8s {
namespace {

constexpr std::size_t kMaxResources = 100;

// A number of JSON that is no integer, as Kubernetes reads it: by its shortest text.
Amount OfNumber(double number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  return {"", Quantity::Parse({digits.data(), std::size_t(end - digits.data())})};
}

std::string_view NameOfType(JsonView value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "a map";
  return value.IsTrue() ? "true" : "false";
}

}  // namespace

std::optional<Amount> DecodeAmount(JsonView value) {
  if (!value.has_value()) return std::nullopt;
  if (const auto text = value.AsString()) return Amount{*text, Quantity::Parse(*text)};
  if (const auto units = value.AsInteger()) return Amount{"", Quantity::FromUnits(*units)};
  if (const auto number = value.AsDouble()) return OfNumber(*number);
  return Amount{NameOfType(value), std::nullopt};
}

const Amount* ResourceList::Find(std::string_view resource) const {
  for (std::size_t i = entries_.size(); i-- > 0;) {
    const Entry& entry = entries_[i];
    if (SameText(entry.name, resource)) return entry.amount ? &*entry.amount : nullptr;
  }
  return nullptr;
}

Quantity ResourceList::QuantityOrZero(std::string_view resource) const {
  const Amount* const amount = Find(resource);
  return amount != nullptr ? amount->quantity.value_or(Quantity()) : Quantity();
}

ResourceList DecodeResources(JsonView parent, std::string_view key, Decoder& decoder) {
  const JsonView json = decoder.Object(parent, key, kMaxResources);
  const auto entries = decoder.arena().Array<ResourceList::Entry>(json.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = {decoder.Weighed(json.MemberKey(i)), DecodeAmount(json.Member(i))};
    const bool judged = !entries[i].amount || entries[i].amount->text.size() <= Quantity::kLongest;
    if (!judged) decoder.Exceed(Quantity::kLongest, "characters in an amount");
  }
  return ResourceList(entries);
}

}  // namespace tpu_admission::k8s
