// What is said of an object that asks for chips and is of no kind that is read, and of a file that
// is no manifest at all. Pure.
#pragma once

#include <string>

#include "tpu_admission/k8s/gvk.h"
#include "tpu_admission/offline/check.h"
#include "tpu_admission/offline/manifest.h"
#include "tpu_admission/workload/kinds.h"

namespace tpu_admission::offline {

// As manifests write it: "batch/v1".
std::string ApiVersion(const k8s::GroupVersionKind& gvk);

// Whether it says both apiVersion and kind.
bool SaysWhatItIs(const k8s::GroupVersionKind& gvk);

// Whether it is a List whose items are no list, which kubectl refuses.
bool IsListOfNothing(const ManifestObject& object);

// Why nobody looks at the chips of the object, with what was probably meant; "" where it is read,
// where it asks for none, and where it may be no manifest at all.
std::string WhyUnread(const workload::KindTable& kinds, const ManifestObject& object);

// Tells of a file whose name says JSON and whose text is none: YAML takes JSON below a comment of
// two slashes for one string. Comments alone are no fault.
void TellNoJson(const YamlStream& stream, FileReport& report);

}  // namespace tpu_admission::offline
