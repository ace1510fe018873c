// What findings would change: whose they are, and how their edits go together.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "repair/candidate.h"
#include "tpu_admission/repair/repair.h"

namespace tpu_admission::repair {

// What changes all that another repair does, and more, is no choice beside it.
bool Includes(std::span<const k8s::JsonEdit> edits, std::span<const k8s::JsonEdit> fewer);

// Of the pod set, or of one that is planned with it.
bool IsOf(const Fault& fault, const Written& written);
bool IsFaulty(const std::vector<Fault>& faults, const Written& written);

// Whether the findings say the edits of the candidate themselves, each of them as a whole, or
// others of the same fields for as many chips. `object`: as it is written.
bool IsAsSaid(const std::vector<Fault>& faults, k8s::JsonView object, const Written& written,
              const Candidate& candidate);

// Whether the candidate changes less than the findings say, which would give up what it keeps: the
// Jobs that have node pools to themselves, or the topology of pods that are each by themselves.
bool KeepsMoreThanSaid(const std::vector<Fault>& faults, const Written& written,
                       const Candidate& candidate);

// Whether they are the edits of `said`, and the bounds of a Ray group that follow its replicas.
bool OnlyMovesBounds(std::span<const k8s::JsonEdit> edits, std::span<const k8s::JsonEdit> said);

// Of a node label that is selected, or of an annotation.
bool IsOfALabel(const k8s::JsonEdit& edit);

// Whether they change no field that the others change too.
bool AreApart(std::span<const k8s::JsonEdit> edits, std::span<const k8s::JsonEdit> others);

// What the findings give back to labels whose keys are misspelt: the values that stand there.
// `object`: as it is written.
workload::Edits RightKeys(const std::vector<Fault>& faults, k8s::JsonView object);

const workload::PodSet* SetAt(const workload::Workload& workload, std::string_view pointer);

// Appends what the findings of a plan (of all: nullptr) would change; false if a person must
// decide about one of them, or if it would change again what is edited already.
bool Append(const std::vector<Fault>& faults, const Written* plan, workload::Edits& edits);

// Appends `more` where it is not said yet; false if what is there says otherwise, but for the first
// `open` edits, which may change.
bool Join(const workload::Edits& more, workload::Edits& edits, std::size_t open = 0);

// Of judging a workload once, by what its pod sets hold, by their number (each is held against the
// others), and by its faults beyond one for each, which are put into words each time. One ordinary
// pod set is the least. The dearest search known is held by tests/bench/budget.tsv.
inline constexpr std::size_t kOrdinaryCost = 100;
std::size_t CostOf(const Proof& written);

}  // namespace tpu_admission::repair
