// Any bytes as a quantity: no overflow, and arithmetic keeps its order.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tpu_admission/k8s/quantity.h"

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tpu_admission::k8s::Quantity;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = text.find(' ');
  const auto a = Quantity::Parse(text.substr(0, middle));
  const auto b = middle == text.npos ? a : Quantity::Parse(text.substr(middle + 1));
  if (!a || !b) return 0;
  Require(*a + *b == *b + *a);
  Require((*a <=> *b) == (*a - *b <=> Quantity()));
  Require(!(*a < *b) || a->MillisRoundedDown() <= b->MillisRoundedDown());
  if (const auto whole = a->AsInteger()) Require(Quantity::FromUnits(*whole) == *a);
  // What is shown of a whole number reads as the same number.
  if (a->AsInteger()) Require(Quantity::Parse(a->Text()) == a);
  return 0;
}
