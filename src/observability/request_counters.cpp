#include "observability/request_counters.h"

#include <algorithm>
#include <string>

#include "tpu_admission/workload/kinds.h"

namespace tpu_admission::observability {
namespace {

using admission::Endpoint;
using admission::kOutcomes;
using admission::Outcome;
using k8s::Operation;

constexpr std::size_t kOperations = 5;
constexpr std::size_t kWouldBeDenied = kOutcomes;
constexpr std::size_t kLabels = kOutcomes + 1;

template <typename Enum>
std::size_t Index(Enum value) {
  return static_cast<std::size_t>(value);
}

std::size_t OutcomeOf(const admission::Record& record) {
  const bool let_in = record.outcome == Outcome::kAllowed || record.outcome == Outcome::kWarned;
  const bool would_be_denied =
      let_in && std::any_of(record.findings.begin(), record.findings.end(), admission::WouldDeny);
  return would_be_denied ? kWouldBeDenied : Index(record.outcome);
}

std::string_view LabelOf(std::size_t outcome) {
  return outcome == kWouldBeDenied ? "would_be_denied" : Name(static_cast<Outcome>(outcome));
}

}  // namespace

std::string_view OutcomeLabel(const admission::Record& record) {
  return LabelOf(OutcomeOf(record));
}

std::string_view Name(Endpoint endpoint) {
  return endpoint == Endpoint::kMutate ? "mutate" : "validate";
}

RequestCounters::RequestCounters(Families& families)
    : family_(families.Counters("tpu_admission_requests_total",
                                "Admission reviews by endpoint, kind, operation and outcome.")) {
  for (const workload::Kind& kind : workload::Kinds()) kinds_.push_back(kind.name);
  const std::size_t other = kinds_.size();
  kinds_.push_back("other");  // and the kinds that a policy adds
  counters_.resize(2 * kinds_.size() * kOperations * kLabels);
  for (const Operation operation : {Operation::kCreate, Operation::kUpdate}) {
    for (std::size_t kind = 0; kind < other; ++kind) {
      ExpectKind(kind, !workload::Kinds()[kind].pod_sets.empty(), operation);
    }
    ExpectKind(other, true, operation);
  }
  for (const Endpoint endpoint : {Endpoint::kMutate, Endpoint::kValidate}) {
    Expect({endpoint, other, Operation::kOther, Index(Outcome::kInvalid)});
  }
}

void RequestCounters::ExpectKind(std::size_t kind, bool has_pods, Operation operation) {
  Expect({Endpoint::kValidate, kind, operation, Index(Outcome::kIgnored)});
  if (has_pods) {
    for (const Outcome outcome : {Outcome::kAllowed, Outcome::kWarned, Outcome::kDenied,
                                  Outcome::kNotChecked, Outcome::kInvalid}) {
      Expect({Endpoint::kValidate, kind, operation, Index(outcome)});
    }
    Expect({Endpoint::kValidate, kind, operation, kWouldBeDenied});
  }
  if (kinds_[kind] != "Pod") return;  // nothing else is sent to /mutate
  for (const Outcome outcome :
       {Outcome::kIgnored, Outcome::kAllowed, Outcome::kPatched, Outcome::kInvalid}) {
    Expect({Endpoint::kMutate, kind, operation, Index(outcome)});
  }
}

std::size_t RequestCounters::IndexOf(const Series& series) const {
  return ((Index(series.endpoint) * kinds_.size() + series.kind) * kOperations +
          Index(series.operation)) *
             kLabels +
         series.outcome;
}

prometheus::Counter& RequestCounters::Make(const Series& series) {
  return family_.Add({{"endpoint", std::string(Name(series.endpoint))},
                      {"kind", std::string(kinds_[series.kind])},
                      {"operation", std::string(Name(series.operation))},
                      {"outcome", std::string(LabelOf(series.outcome))}});
}

void RequestCounters::Expect(const Series& series) { counters_[IndexOf(series)] = &Make(series); }

void RequestCounters::Count(Endpoint endpoint, const admission::Record& record) {
  const auto kind = std::find(kinds_.begin(), kinds_.end() - 1, record.kind);
  const Series series{endpoint, std::size_t(kind - kinds_.begin()), record.request.operation,
                      OutcomeOf(record)};
  prometheus::Counter* counter = counters_[IndexOf(series)];
  (counter != nullptr ? *counter : Make(series)).Increment();
}

}  // namespace tpu_admission::observability
