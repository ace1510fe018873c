#include <fmt/core.h>
#include <algorithm>

#include "rules/engine/phrases.h"
#include "rules/engine/suggestions.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::rules {
namespace tpu302 {

std::string Shown(const k8s::Amount& amount) {
  if (!amount.text.empty()) return Printable(amount.text, 24);
  return amount.quantity ? amount.quantity->Text() : "not a number";
}

// KServe lays the container of an InferenceService over that of its runtime, which may have the
// limit.
std::optional<Mode> MayBeMerged(const Subject& subject) {
  const bool is_merged = subject.workload.kind->group == "serving.kserve.io";
  return is_merged ? std::optional(Mode::kWarn) : std::nullopt;
}

bool SharesTheHost(const Subject& subject, const k8s::Container& container) {
  const auto& all = subject.pods.pod.spec.containers;
  return std::any_of(all.begin(), all.end(), [&](const k8s::Container& other) {
    return &other != &container && workload::UsesTpu(other);
  });
}

// With no limit there are no chips: the request alone does not count. Where others have chips of
// the host too, or nothing else tells, it is what is meant.
void Suggest(const Subject& subject, const k8s::Container& container, bool has_limit,
             Finding& finding) {
  const auto wanted = container.requests.Find(workload::kTpuResource)->quantity->AsInteger();
  if (!has_limit && wanted && *wanted > 0 && SharesTheHost(subject, container)) {
    return SetChips(subject.pods, container, *wanted, finding.edits);
  }
  if (subject.shape.generation != nullptr) {
    SuggestChips(subject, container, finding);
    const bool can_be = wanted && IsPossible(subject, *wanted);
    if (has_limit || finding.decision.empty() || !can_be) return;
    finding.change.clear();
    finding.decision = {};
    return SetChips(subject.pods, container, *wanted, finding.edits);
  }
  finding.change = has_limit ? "set requests and limits of google.com/tpu to the same number"
                             : "set limits of google.com/tpu to the same number as requests";
  finding.decision = "how many chips are meant";
}

void Check(const Subject& subject, Report& report) {
  for (const k8s::Container& container : subject.pods.pod.spec.containers) {
    if (report.full()) return;
    const k8s::Amount* const request = container.requests.Find(workload::kTpuResource);
    const k8s::Amount* const limit = container.limits.Find(workload::kTpuResource);
    const bool no_request = request == nullptr;  // it then defaults to the limit
    const bool equal = request && limit && request->quantity == limit->quantity;
    const bool unreadable = (request && !request->quantity) || (limit && !limit->quantity);
    if (no_request || equal || unreadable) continue;
    Finding finding = {
        .pointer = subject.At(container, "/resources"),
        .summary =
            fmt::format("{} requests {} google.com/tpu, {}", Title(container), Shown(*request),
                        limit ? fmt::format("its limit is {}", Shown(*limit)) : "it has no limit"),
        .problem = fmt::format(
            "has request {} and {} of google.com/tpu. Kubernetes wants both equal for "
            "chips, which cannot be overcommitted, and the API server refuses such a pod.",
            Shown(*request),
            limit ? fmt::format("limit {}", Shown(*limit)) : std::string("no limit")),
        .milder = limit ? std::nullopt : MayBeMerged(subject)};
    Suggest(subject, container, limit != nullptr, finding);
    report.Add(container, std::move(finding));
  }
}

}  // namespace tpu302

const Rule kTPU302 = {
    .id = "TPU302",
    .name = "chips-requests-limits",
    .mode = Mode::kDeny,
    .check = tpu302::Check,
};

}  // namespace tpu_admission::rules
