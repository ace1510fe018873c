// A slice that an annotation names, and the annotations that tell Kueue where to place it: where
// they disagree, the repair makes them say what most of them say.
#include <gmock/gmock.h>

#include "support/repairs.h"
#include "tpu_admission/admission/repairs.h"

namespace tpu_admission::admission::annotated_slice_test {
namespace {

struct Slices {
  std::string nodes;
  std::string slice;
  std::string level;
  int size = 0;
};

constexpr char kTpu7x[] = "cloud.google.com/gke-tpu-accelerator: tpu7x";
constexpr char kV6e[] =
    "cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4";

// Sixteen pods of four chips, which Kueue places in groups of `size`.
std::string Job(const Slices& slices) {
  return "{apiVersion: batch/v1, kind: Job, metadata: {name: j, labels: "
         "{kueue.x-k8s.io/queue-name: "
         "q}}, spec: {parallelism: 16, completions: 16, completionMode: Indexed, template: "
         "{metadata: {annotations: {cloud.google.com/gke-tpu-slice-topology: '" +
         slices.slice +
         "', kueue.x-k8s.io/podset-slice-required-topology: cloud.google.com/gke-tpu-" +
         slices.level + "-id, kueue.x-k8s.io/podset-slice-size: '" + std::to_string(slices.size) +
         "'}}, spec: {subdomain: j, nodeSelector: {" + slices.nodes +
         "}, tolerations: [{key: google.com/tpu, operator: Exists}], containers: [{name: c, image: "
         "i, resources: {requests: {cpu: 1, memory: 1Gi}, limits: {google.com/tpu: 4}}}]}}}}";
}

// The changes of the first repair.
std::string First(const Slices& slices) {
  const auto repairs = support::RepairsOfYaml(Job(slices));
  return repairs.empty() ? "" : repairs.front().changes;
}

// Where the nodes of blocks carry no topology, none of them would have the one that is added.
TEST(AnnotatedSlice, NeedsNoSelectorBesideIt) {
  EXPECT_EQ(First({kTpu7x, "4X4X4", "partition-4x4x4", 16}),
            "cloud.google.com/gke-tpu-slice-topology: 4x4x4");
}

TEST(AnnotatedSlice, IsWhatLevelAndSizeAgreeOn) {
  const std::string slice = "cloud.google.com/gke-tpu-slice-topology: ";
  for (const char* const other : {"4x4x2", "4x4", "2x2x2"}) {
    EXPECT_EQ(First({kTpu7x, other, "partition-4x4x4", 16}), slice + "4x4x4") << other;
  }
  for (const char* const other : {"4x2", "4x4"}) {
    EXPECT_EQ(First({kV6e, other, "slice-2x4", 2}), slice + "2x4") << other;
  }
  EXPECT_EQ(First({kV6e, "2x4", "slice-4x4", 4}), slice + "4x4");
}

TEST(AnnotatedSlice, HasTheLevelThatHoldsItsPods) {
  const std::string level = "podset-slice-required-topology: cloud.google.com/gke-tpu-";
  EXPECT_EQ(First({kTpu7x, "4x4x4", "partition-2x4x4", 16}), level + "partition-4x4x4-id");
  EXPECT_EQ(First({kV6e, "4x4", "slice-2x4", 4}), level + "slice-4x4-id");
}

// GKE's device plugin names the levels of TPU7x otherwise than those of the others.
TEST(AnnotatedSlice, HasALevelOfItsGeneration) {
  const std::string level = "podset-slice-required-topology: cloud.google.com/gke-tpu-";
  EXPECT_EQ(First({kTpu7x, "4x4x4", "slice-4x4x4", 16}), level + "partition-4x4x4-id");
  EXPECT_EQ(First({kTpu7x, "4x4x4", "slice-8x8", 16}), level + "partition-4x4x4-id");
  EXPECT_EQ(First({kV6e, "2x4", "partition-2x4", 2}), level + "slice-2x4-id");
  EXPECT_EQ(First({kV6e, "2x4", "partition-2x2x2", 2}), level + "slice-2x4-id");
}

}  // namespace
}  // namespace tpu_admission::admission::annotated_slice_test
