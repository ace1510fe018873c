// Amounts of resources, as containers ask for them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tpu_admission/k8s/decoder.h"
#include "tpu_admission/k8s/json.h"
#include "tpu_admission/k8s/quantity.h"

namespace tpu_admission::k8s {

// One amount: custom resources carry numbers as well as strings, and now and then neither.
struct Amount {
  std::string_view text;             // as the JSON has it ("true"); empty if it was a number
  std::optional<Quantity> quantity;  // empty if it is no quantity
};
// Nothing where `value` is absent or null.
std::optional<Amount> DecodeAmount(JsonView value);

// Resource name -> amount, decoded once. What it points into lives as long as the arena.
class ResourceList {
 public:
  struct Entry {
    std::string_view name;
    std::optional<Amount> amount;  // nothing for a null
  };

  ResourceList() = default;
  explicit ResourceList(std::span<const Entry> entries) : entries_(entries) {}

  // The last one of this name; nullptr if there is none, or if it is null.
  const Amount* Find(std::string_view resource) const;
  bool Has(std::string_view resource) const { return Find(resource) != nullptr; }
  std::size_t size() const { return entries_.size(); }
  std::string_view Name(std::size_t index) const { return entries_[index].name; }
  // The amount if it is there and a quantity, else zero.
  Quantity QuantityOrZero(std::string_view resource) const;

 private:
  std::span<const Entry> entries_;
};

// The member `key` of `parent`. An amount that is too long for a quantity exceeds a bound.
ResourceList DecodeResources(JsonView parent, std::string_view key, Decoder& decoder);

}  // namespace tpu_admission::k8s
