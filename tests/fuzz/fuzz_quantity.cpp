// Any bytes as a quantity: no overflow, and arithmetic keeps its order.
#include "fuzz/require.h"
#include "tpu_admission/k8s/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tpu_admission::k8s::Quantity;
  const std::string_view text = tpu_admission::fuzz::Text(data, size);
  const std::size_t middle = text.find(' ');
  const auto a = Quantity::Parse(text.substr(0, middle));
  const auto b = middle == text.npos ? a : Quantity::Parse(text.substr(middle + 1));
  if (!a || !b) return 0;
  REQUIRE(*a + *b == *b + *a);
  REQUIRE((*a <=> *b) == (*a - *b <=> Quantity()));
  REQUIRE(!(*a < *b) || a->MillisRoundedDown() <= b->MillisRoundedDown());
  REQUIRE(!(*a < *b) || a->MebibytesRoundedDown() <= b->MebibytesRoundedDown());
  REQUIRE(Max(*a, *b) == (*a < *b ? *b : *a));
  if (const auto whole = a->AsInteger()) REQUIRE(Quantity::FromUnits(*whole) == *a);
  REQUIRE(Quantity::Parse(a->Text()) == a);  // what is shown reads as the same number
  return 0;
}
