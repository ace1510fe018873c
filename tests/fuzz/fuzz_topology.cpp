// Any bytes as two topologies: only GKE's own form is read, it is shown as it was written, and the
// arithmetic is that of counting chip by chip.
#include <regex>
#include <string>
#include <vector>

#include "fuzz/require.h"
#include "tpu_admission/tpu/topology.h"

namespace {

using tpu_admission::tpu::Topology;

std::vector<long> Numbers(std::string text) {
  std::vector<long> numbers;
  for (std::size_t x = 0; x != text.npos;) {
    x = text.find('x');
    numbers.push_back(std::stol(text.substr(0, x)));
    if (x != text.npos) text.erase(0, x + 1);
  }
  return numbers;
}

// What GKE reads (std::regex recurses on its input, so long text is not for it).
bool IsWritten(const std::string& text) {
  static const std::regex form("[1-9][0-9]*x[1-9][0-9]*(x[1-9][0-9]*)?");
  if (text.size() > 40 || !std::regex_match(text, form)) return false;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c == 'x' ? 0 : digits + 1;
    if (digits > 5) return false;
  }
  for (const long number : Numbers(text)) {
    if (number > 65535) return false;
  }
  return true;
}

void Check(const Topology& topology, const std::string& text) {
  const std::vector<long> numbers = Numbers(text);
  REQUIRE(topology.Text() == text);
  REQUIRE(topology.rank() == int(numbers.size()));
  long chips = 1;
  bool sorted = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    REQUIRE(topology.dimensions()[i] == numbers[i]);
    chips *= numbers[i];
    sorted = sorted && (i == 0 || numbers[i - 1] <= numbers[i]);
  }
  REQUIRE(topology.chips() == chips);
  REQUIRE(topology.NonDecreasing() == sorted);
  REQUIRE(Topology::Of(topology.dimensions()) == topology);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(tpu_admission::fuzz::Text(data, size));
  const std::size_t middle = text.find(' ');
  const std::string one = text.substr(0, middle);
  const std::string other = middle == text.npos ? one : text.substr(middle + 1);
  const auto a = Topology::Parse(one);
  const auto b = Topology::Parse(other);
  REQUIRE(a.has_value() == IsWritten(one));
  REQUIRE(b.has_value() == IsWritten(other));
  if (a) Check(*a, one);
  if (!a || !b) return 0;
  bool contains = a->rank() == b->rank();
  for (int i = 0; contains && i < a->rank(); ++i) {
    contains = a->dimensions()[std::size_t(i)] >= b->dimensions()[std::size_t(i)];
  }
  REQUIRE(a->Contains(*b) == contains);
  return 0;
}
