// Edits of an object that change the shape of a pod set: what rules suggest and repairs are made
// of. What is so already is left out, as far as the pod set shows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tpu_admission/k8s/json_edit.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::workload {

using Edits = std::vector<k8s::JsonEdit>;

// The one container that has, or is to have, the chips: one that stays before an init container,
// which hands them on. nullptr if there are several.
const k8s::Container* ChipContainer(const PodSet& pods);

// Puts `value` where `selected`, a choice of the pod set's, stands; into nodeSelector if nothing
// selects the label.
void SetLabel(const PodSet& pods, NodeLabel label, const Selected& selected, std::string value,
              Edits& edits);
// The limit of `container`, and the request if there is one.
void SetChips(const PodSet& pods, const k8s::Container& container, std::int64_t chips,
              Edits& edits);
// So that `count` pods with TPUs fill a slice. Completions that are more work than that stay: to
// drop them is the user's decision. Nothing for kTogether, whose replicas somebody must divide.
void SetPods(const Scale& scale, std::int64_t count, Edits& edits);
// So that there are `count` slices. The bounds of a Ray group, where it has any, follow: they are
// for as many chips as before, as far as whole slices can be, and leave room for `count`.
void SetSlices(const Scale& scale, std::int64_t count, Edits& edits);

// The new value as YAML wants it: a text that would be read as a number is quoted.
std::string Shown(const k8s::JsonEdit& edit);

// JSON pointer of what selects the label, for one choice of the pod set's; of nodeSelector if
// nothing does.
std::string PointerOf(const PodSet& pods, NodeLabel label, const Selected& selected);

// JSON pointer of `container`, with what is `below` it.
std::string PointerOf(const PodSet& pods, const k8s::Container& container,
                      std::string_view below = "");

}  // namespace tpu_admission::workload
