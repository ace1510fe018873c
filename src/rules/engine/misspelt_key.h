// Keys of the pods' node selection that were meant to be labels of GKE's nodes, and are none.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rules/engine/subject.h"

namespace tpu_admission::rules {

struct MisspeltKey {
  workload::RequiredLabel place;  // as written; no value if an affinity names none or several
  std::string_view right;
  std::optional<workload::NodeLabel> label;  // which `right` is; nothing: another one
};

// In nodeSelector and in what the required affinity asks for by In or Exists. Costs a look at every
// key.
std::vector<MisspeltKey> MisspeltKeys(const Subject& subject);
// A label of somebody's own may have a name like that, but not in the domain of GKE's.
bool IsOfGke(std::string_view key);
// The right key in the place of the wrong one; if it is there already, only without the wrong one.
// None where the two disagree.
workload::Edits Respelt(const Subject& subject, const MisspeltKey& misspelt);
// What gives the pods this label, which they miss, where its key is only misspelt; none if it is
// not.
workload::Edits RespeltTo(const Subject& subject, workload::NodeLabel label);

}  // namespace tpu_admission::rules
