// Containers that ask for chips at a place where their kind has none: `spec.containers` of a Job,
// or a JobSet's without the template of the pods. The API server drops them, or refuses the object,
// and no rule sees them. Pure.
#pragma once

#include <vector>

#include "tpu_admission/offline/check.h"
#include "tpu_admission/offline/manifest.h"
#include "tpu_admission/workload/kinds.h"

namespace tpu_admission::offline {

// Tells of them, and first of misspelt keys (misspelt_keys.h), below which nothing more is told.
// No containers are misplaced in a kind that is not wholly known: one of the policy's, one that
// gives or takes templates for others, one with places of other forms than a pod's, or of a version
// that is not read.
void TellUnreadPlaces(const workload::Kind& kind, const ManifestObject& object, bool also_near,
                      std::vector<Note>& warnings);

}  // namespace tpu_admission::offline
