// The phrases that several rules say, so that they say them alike.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rules/engine/subject.h"

namespace tpu_admission::rules {

// `container "jax"`, `init container "setup"`; where a kind needs no names, "containers[0]".
std::string Title(const k8s::Container& container);
// "containers[0]", or "model" of one that stands in no list.
std::string PlaceOf(const k8s::Container& container);
// "1, 2 or 4"
std::string JoinNumbers(std::span<const std::int64_t> numbers);
// "a 4x4", "an 8x8", "a Pod": a number, topology or kind as it is spoken.
std::string WithArticle(std::string_view word);
// A note of the catalog behind other sentences; empty if there is none.
std::string Remark(const std::string& note);
// "tpu-v6e-slice 4x4", or "tpu-v6e-slice" without a topology.
std::string Name(const Shape& shape);
// The same of its nodes: a topology that the generation does not come in has none.
std::string NameOfNodes(const Shape& shape);
// "1x1, 2x2, 2x4 or 4x4", and how larger shapes are made where they can be.
std::string Topologies(const tpu::Generation& generation);
// What the user wrote to choose the label: its key, or the field of a kind that has one for it
// ("type" and "topology" of a ComputeClass and a PathwaysJob).
std::string_view FieldOf(const Subject& subject, workload::NodeLabel label);
// "set cloud.google.com/gke-tpu-topology to 2x2".
std::string SelectorChange(const Subject& subject, workload::NodeLabel label,
                           std::string_view value);
// "no host of any generation we know with topology 4x4 has more than 4": what MostOfItsHosts is.
std::string NoHostHasMore(const Subject& subject);
// What becomes of a label or field whose value no node can have: "No node carries such a label."
std::string_view NoSuchNode(const Subject& subject);

// What is known of the generation from no public page warns at most.
std::optional<Mode> UnlessDocumented(const tpu::Generation& generation);
// So does what a machine may have that is newer than the catalog, or that nobody documents.
std::optional<Mode> UnlessKnown(const Shape& shape);
// What becomes of pods without a selector: "GKE refuses this pod", and the sentence that says why.
std::string_view AfterMissing(const Subject& subject);
std::string_view WhyMissing(const Subject& subject);

// "is 2", "is not set, so it is 1", "is 3, and its leader has none of these TPUs, so 2 pods have".
std::string FoundPods(const workload::Scale& scale);
// Where a finding about the pods stands: at their number, or at subGroupSize where an edit of that
// is the first; and what is found there: "is 4 of a size of 8, so 4 pods with TPUs form a slice".
struct FoundAt {
  std::string pointer;
  std::string text;
};
FoundAt FoundPodsAt(const workload::Scale& scale, const workload::Edits& edits);

}  // namespace tpu_admission::rules
