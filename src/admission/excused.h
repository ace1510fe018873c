// What is wrong with an object and shall stay so: what the policy turns off, an exemption takes
// out, or somebody else excuses. No repair mends it, or changes what it is about.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/admission/repairs.h"

namespace tpu_admission::admission {

class Excused {
 public:
  // Asks the rules once more, for a judgement has left out what is off and what is too much to
  // tell.
  Excused(const Settings& settings, const Submission& submission, const Judgement& judgement,
          const IsExcused& is_excused);

  // The same fault at the same place.
  bool Has(const rules::Finding& finding) const {
    return findings_.contains({finding.rule, finding.pointer});
  }
  // Whether `edited` has what `object` has wherever an excused finding is, or would change
  // something.
  bool AreKept(k8s::JsonView object, k8s::JsonView edited) const;

 private:
  void Keep(k8s::JsonView object, const rules::Finding& finding);

  std::set<std::pair<const rules::Rule*, std::string>> findings_;
  std::vector<std::string> places_;  // JSON pointers
};

}  // namespace tpu_admission::admission
