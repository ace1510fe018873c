#include "tpu_admission/cluster/why.h"

#include <algorithm>

namespace tpu_admission::cluster {
namespace {

constexpr std::size_t kMostEvidence = 12;  // of one cause

bool Runs(const Snapshot& snapshot) {
  if (snapshot.object.being_deleted) return false;
  std::int64_t running = 0;
  std::int64_t others = 0;
  for (const PodFacts& pod : snapshot.pods) {
    if (pod.runs() || pod.phase == "Succeeded") ++running;
    if (!pod.runs() && !pod.done() && !pod.being_deleted) ++others;
  }
  const std::int64_t wanted = snapshot.wanted_pods();
  const bool any = std::any_of(snapshot.pods.begin(), snapshot.pods.end(),
                               [](const PodFacts& pod) { return pod.runs(); });
  return any && (wanted > 0 ? running >= wanted : others == 0);
}

std::string Summary(const Snapshot& snapshot) {
  const auto running = std::count_if(snapshot.pods.begin(), snapshot.pods.end(),
                                     [](const PodFacts& pod) { return pod.runs(); });
  const std::int64_t wanted = snapshot.wanted_pods();
  const std::int64_t of = wanted > 0 ? wanted : std::int64_t(snapshot.pods.size());
  return std::to_string(running) + " of " + std::to_string(std::max<std::int64_t>(of, running)) +
         " pods run";
}

// By an earlier cause, from the same evidence; one without evidence adds nothing to any.
bool IsTold(const Diagnosis& diagnosis, const Found& found) {
  return std::any_of(diagnosis.causes.begin(), diagnosis.causes.end(), [&](const Cause& cause) {
    return found.evidence.empty() ||
           (!cause.evidence.empty() && cause.evidence.front() == found.evidence.front());
  });
}

}  // namespace

Diagnosis Diagnose(const Snapshot& snapshot) {
  Diagnosis diagnosis{Runs(snapshot), Summary(snapshot), {}};
  for (const CauseRow& row : CauseTable()) {
    if (diagnosis.running && row.when != CauseRow::When::kAlways) continue;
    std::optional<Found> found = row.find(snapshot);
    if (!found || (row.when == CauseRow::When::kFallback && IsTold(diagnosis, *found))) continue;
    if (found->evidence.size() > kMostEvidence) found->evidence.resize(kMostEvidence);
    diagnosis.causes.push_back(
        {row.word, std::move(found->text),
         found->change.empty() ? std::string(row.change) : std::move(found->change),
         std::move(found->evidence)});
  }
  return diagnosis;
}

}  // namespace tpu_admission::cluster
