// The faults that nobody could see in an object until others of it were mended.
#pragma once

#include <set>
#include <string_view>
#include <utility>

#include "admission/decide.h"
#include "tpu_admission/rules/engine.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::admission {

// While an accelerator is unknown, a topology malformed or a count of chips impossible, nobody can
// say what is wrong with the rest. Who mends that and touches nothing else must not be denied for
// the rest, which was there before. Views what it is made of, but not `now`.
class UncoveredFaults {
 public:
  // `now` is what the rules say of the object that replaces `before`.
  UncoveredFaults(const Before& before, const rules::Evaluation& now);

  // A fault of `now`: a fault for which its pod set could not run is gone, and its own fields are
  // as they were, or among those that were at fault; or one of pod sets that are counted together,
  // of which another had it.
  bool Had(const rules::Finding& finding) const;

 private:
  using Place = std::pair<workload::PodSetId, std::string_view>;

  bool IsMended(const workload::PodSet& pods) const;
  bool HadTogether(const rules::Finding& finding) const;

  const Before& before_;
  std::set<workload::PodSetId> mended_;
  std::set<Place> faulty_;  // the fields that were at fault
};

}  // namespace tpu_admission::admission
