// What the rules say and do that give workers their identity: one serves Jobs, which GKE's own
// webhook serves too, another all other kinds.
#pragma once

#include <vector>

#include "rules/engine/subject.h"

namespace tpu_admission::rules {

enum class Served { kJobs, kOthers };

// Says of each container of a worker that nobody names to the others why that is so.
void ReportUnnamed(const Subject& subject, Served served, Report& report);
// Appends the variables that are missing, and what the names need to lead to the pod.
void AddIdentity(const Subject& subject, Served served, std::vector<Fix>& fixes);

// The container is named, by whatever variable.
bool HasNames(const k8s::Container& container);

}  // namespace tpu_admission::rules
