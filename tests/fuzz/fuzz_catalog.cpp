// Any bytes as a catalog: refused with its place, or whole; what was read can be asked anything.
#include <string>

#include "fuzz/require.h"
#include "tpu_admission/tpu/catalog.h"

namespace {

using tpu_admission::tpu::Catalog;
using tpu_admission::tpu::Generation;
using tpu_admission::tpu::Placement;

void Check(const Catalog& catalog) {
  for (const Generation& generation : catalog.generations()) {
    REQUIRE(!generation.id.empty());
    if (!generation.label.empty()) REQUIRE(catalog.FindByLabel(generation.label) != nullptr);
    for (const Placement& placement : generation.placements) {
      REQUIRE(placement.machine != nullptr && placement.hosts > 0);
      // Its hosts hold its chips, and no host more than there is.
      REQUIRE(placement.topology.chips() <=
              std::int64_t{placement.hosts} * placement.machine->chips);
    }
  }
  REQUIRE(catalog.checksum().size() == 64);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = tpu_admission::fuzz::Text(data, size);
  const auto catalog = Catalog::Load(text, "c.yaml");
  if (!catalog) {
    REQUIRE(catalog.error().message.starts_with("c.yaml:"));
    return 0;
  }
  Check(**catalog);
  // The labels of strangers, too.
  const std::string_view label = text.substr(0, 100);
  (void)(*catalog)->FindByLabel(label);
  (void)(*catalog)->FindByMachine(label);
  (void)(*catalog)->Guess(label);
  (void)(*catalog)->LooksLikeNewGeneration(label);
  return 0;
}
