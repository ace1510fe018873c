// The machines that a worker of a PathwaysJob may be of, which are fewer than GKE has.
#pragma once

#include <span>
#include <string_view>

#include "rules/engine/subject.h"

namespace tpu_admission::rules {

// The types that the CRD takes.
std::span<const std::string_view> PathwaysTypes();
// Whether the object takes workers of the machine; true of all but a PathwaysJob.
bool TakesMachine(const Subject& subject, std::string_view machine);
// The type that is selected is one that the API server refuses.
bool HasRefusedType(const Subject& subject);
// Sets the type to the machine of the placement in the place of one that is refused; else none.
workload::Edits TypeFor(const Subject& subject, const tpu::Placement& placement);

}  // namespace tpu_admission::rules
