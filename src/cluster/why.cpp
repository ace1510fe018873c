#include "tpu_admission/cluster/why.h"

#include <algorithm>

namespace tpu_admission::cluster {
namespace {

constexpr std::size_t kMostEvidence = 12;  // of one cause

// One that is still to run, beyond the wanted number too: a new one, while an old one runs.
bool Waits(const PodFacts* pod) { return !pod->runs() && !pod->done() && !pod->being_deleted; }

bool Runs(const Snapshot& snapshot) {
  const std::size_t running = snapshot.running_workers();
  if (snapshot.object.being_deleted || running == 0) return false;
  const auto workers = snapshot.workers();
  return std::int64_t(running) + snapshot.ended_workers() >= snapshot.wanted_pods() &&
         std::none_of(workers.begin(), workers.end(), Waits);
}

std::string Summary(const Snapshot& snapshot) {
  const auto workers = snapshot.workers();
  const std::size_t running = snapshot.running_workers();
  const std::int64_t wanted = snapshot.wanted_pods();
  const std::size_t there =
      wanted == 0 ? workers.size()
                  : running + std::size_t(std::count_if(workers.begin(), workers.end(), Waits));
  return std::to_string(running) + " of " + std::to_string(std::max(wanted, std::int64_t(there))) +
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
    if (row.when == CauseRow::When::kLast) break;
  }
  return diagnosis;
}

}  // namespace tpu_admission::cluster
