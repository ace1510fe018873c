#include <fmt/core.h>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/tpu/guess.h"

namespace tpu_admission::rules {
namespace tpu203 {

using workload::NodeLabel;

// The chips that the user seems to want: those of 2x4 that is written as 4x2, else what the pods
// ask for if that makes a slice, else the size of the topology as written.
std::int64_t WishOf(const Subject& subject) {
  const auto meant = tpu::AsOffered(*subject.shape.generation, *subject.shape.topology);
  if (meant) return meant->chips();
  const std::int64_t wished = WishedChips(subject);
  return wished > 0 ? wished : subject.shape.topology->chips();
}

// The reason may be the list already.
std::string Choice(const tpu::Generation& generation, const tpu::OfferAnswer& answer) {
  const bool is_said = answer.lists || !generation.custom;
  return is_said ? "" : fmt::format(" Its topologies are {}.", Topologies(generation));
}

// tpu-v5-lite-podslice has 4x4, where tpu-v5-lite-device does not: the same chips, in slices.
const tpu::Generation* OtherAccelerator(const Subject& subject) {
  const auto stem = [](std::string_view label) { return label.substr(0, label.rfind('-')); };
  const tpu::Generation& own = *subject.shape.generation;
  for (const tpu::Generation& other : subject.catalog.generations()) {
    if (&other == &own || stem(other.label) != stem(own.label)) continue;
    if (other.OfferOf(*subject.shape.topology).offer == tpu::Offer::kOffered) return &other;
  }
  return nullptr;
}

void Check(const Subject& subject, Report& report) {
  const Shape& shape = subject.shape;
  if (shape.generation == nullptr || !shape.topology) return;
  if (shape.topology->rank() != shape.generation->dimensions) return;
  const tpu::OfferAnswer answer = shape.generation->OfferOf(*shape.topology);
  if (answer.offer == tpu::Offer::kOffered) return;
  const std::string found = shape.topology->Text();
  const bool disputed = answer.offer == tpu::Offer::kDisputed;
  const bool doubtful = disputed || !shape.generation->documented;
  const std::string& label = shape.generation->label;
  const tpu::Generation* const other = OtherAccelerator(subject);
  Finding finding = {
      .pointer = subject.At(NodeLabel::kTopology),
      .summary = doubtful ? fmt::format("topology {} of {} is doubtful: {}", found, label,
                                        disputed ? "sources disagree" : "no source has it")
                          : fmt::format("topology {} is not offered for {}", found, label),
      .problem =
          fmt::format("is {}, which {}{}{}.{}{}", found, label,
                      doubtful ? " may not have: " : " does not have: ", answer.reason,
                      Choice(*shape.generation, answer),
                      other == nullptr ? "" : fmt::format(" {} has {}.", other->label, found)),
      .milder = disputed ? std::optional(Mode::kWarn) : UnlessKnown(shape)};
  if (other == nullptr || shape.guessed || !SuggestAccelerator(subject, *other, finding)) {
    SuggestTopology(subject, WishOf(subject), finding);
  }
  if (doubtful) {  // nothing is changed for a doubt
    finding.change = "keep it if your nodes have it; else " + finding.Change();
    finding.edits.clear();
    finding.decision = "which topology your nodes have";
  }
  report.Add(std::move(finding));
}

}  // namespace tpu203

const Rule kTPU203 = {
    .id = "TPU203",
    .name = "topology-not-offered",
    .mode = Mode::kDeny,
    .check = tpu203::Check,
    .audience = kNodeSelectors | workload::TpuUse::kSelects,
};

}  // namespace tpu_admission::rules
