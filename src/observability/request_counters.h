// Reviews by endpoint, kind, operation and outcome. Safe from any thread.
#pragma once

#include <string_view>
#include <vector>

#include "observability/families.h"
#include "tpu_admission/admission/handler.h"

namespace tpu_admission::observability {

std::string_view Name(admission::Endpoint endpoint);  // "mutate", "validate"

// The outcomes of admission; and "would_be_denied" instead of "allowed" and "warned" where only the
// default of the policy let the object in, which is how a rollout is staged.
std::string_view OutcomeLabel(const admission::Record& record);

class RequestCounters {
 public:
  // Makes the series of what can come by our own webhook configurations, and of bodies that are no
  // reviews. Another (a DELETE) is made when it comes: all labels are closed sets.
  explicit RequestCounters(Families& families);

  void Count(admission::Endpoint endpoint, const admission::Record& record);

 private:
  struct Series {
    admission::Endpoint endpoint;
    std::size_t kind;  // in kinds_
    k8s::Operation operation;
    std::size_t outcome;  // of its labels
  };
  std::size_t IndexOf(const Series& series) const;
  prometheus::Counter& Make(const Series& series);
  void Expect(const Series& series);
  void ExpectKind(std::size_t kind, bool has_pods, k8s::Operation operation);

  prometheus::Family<prometheus::Counter>& family_;
  std::vector<std::string_view> kinds_;         // of the table, then "other"
  std::vector<prometheus::Counter*> counters_;  // nullptr: not made at start
};

}  // namespace tpu_admission::observability
