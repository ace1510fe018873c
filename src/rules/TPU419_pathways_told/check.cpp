#include <fmt/core.h>
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "rules/engine/phrases.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu419 {

using workload::PathwaysWord;

// Of all replicated jobs with TPUs; nothing where one is paused or its number is not known.
std::optional<std::int64_t> SlicesOf(const workload::Workload& workload) {
  constexpr std::int64_t kMost = 1'000'000;  // of each
  std::int64_t all = 0;
  for (const workload::PodSet& pods : workload.pod_sets) {
    const std::int64_t slices = pods.scale.slices.value.value_or(0);
    if (slices < 1 || slices > kMost) return std::nullopt;
    all += slices;
  }
  return all;
}

void CheckSlices(const Subject& subject, const PathwaysWord& word, Report& report) {
  const std::optional<std::int64_t> told = WholeNumber(word.value);
  const std::optional<std::int64_t> slices = SlicesOf(subject.workload);
  if (!told || !slices || told == slices) return;
  const std::string there = Counted(*slices, "slice");
  const std::string_view consequence =
      *told > *slices ? "It waits for slices that nobody makes, and the program does not begin."
                      : "What it is not told of holds its chips and is not used.";
  report.Add({.pointer = word.pointer,
              .summary = fmt::format("Pathways is told of {}, the workers are {}",
                                     Counted(*told, "slice"), *slices),
              .problem = fmt::format("tells Pathways' resource manager of {}, but the workers are "
                                     "{} (replicas of their replicated job). {}",
                                     Counted(*told, "slice"), there, consequence),
              .edits = {{word.pointer, fmt::format("{}{}", word.flag, *slices)}},
              .change = ", or change the replicas of the workers"});
}

// "tpuv6e:4x4", and behind "_" how the slice is wired. Several types stand side by side.
void CheckType(const Subject& subject, const PathwaysWord& word, Report& report) {
  const std::size_t colon = word.value.find(':');
  if (colon == word.value.npos || word.value.find(',') != word.value.npos) return;
  if (subject.workload.pod_sets.size() != 1 || subject.pods.nodes.choices.size() != 1) return;
  const std::string_view behind = word.value.substr(colon + 1);
  const std::string_view shape = behind.substr(0, behind.find('_'));
  const auto told = tpu::Topology::Parse(shape);
  const std::optional<std::string_view> part = subject.pods.SliceTopology();
  const auto topology = part ? tpu::Topology::Parse(*part) : subject.shape.topology;
  if (!told || !topology || *told == *topology) return;
  std::string right(word.value.substr(0, colon + 1));
  right.append(topology->Text()).append(behind.substr(shape.size()));
  report.Add({.pointer = word.pointer,
              .summary = fmt::format("Pathways is told of slices of {}, the workers are on {}",
                                     told->Text(), topology->Text()),
              .problem = fmt::format("tells Pathways' resource manager of slices of {}, but the "
                                     "workers are on slices of {}. It waits for workers that do "
                                     "not come.",
                                     told->Text(), topology->Text()),
              .edits = {{word.pointer, std::string(word.flag) + right}},
              .change = ", or change the topology of the workers"});
}

void Check(const Subject& subject, Report& report) {
  if (&subject.pods != &subject.workload.pod_sets[0]) return;  // which speaks for all
  for (const PathwaysWord& word : subject.workload.pathways_words) {
    if (workload::IsPlaceholder(word.value)) continue;
    if (word.kind == PathwaysWord::Kind::kSlices) CheckSlices(subject, word, report);
    if (word.kind == PathwaysWord::Kind::kType) CheckType(subject, word, report);
  }
}

}  // namespace tpu419

const Rule kTPU419 = {
    .id = "TPU419",
    .name = "pathways-told",
    .mode = Mode::kWarn,
    .judges_counts = true,
    .check = tpu419::Check,
};

}  // namespace tpu_admission::rules
