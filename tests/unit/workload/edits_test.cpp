// Edits of counts that other counts of the object must follow.
#include "tpu_admission/workload/edits.h"

#include <gtest/gtest.h>

#include "support/case_name.h"
#include "unit/workload/reading.h"

namespace tpu_admission::workload::edits_test {
namespace {

using nlohmann::json;

// What is written of a Ray group, and what is when its slices are fewer.
struct SlicesCase {
  std::string name;
  json written;
  std::int64_t slices = 1;
  json after;
};

class SetSlicesOfRay : public testing::TestWithParam<SlicesCase> {};

TEST_P(SetSlicesOfRay, MovesTheBoundsToo) {
  json group = {{"template", {{"spec", PodSpecOf()}}}};
  group.update(GetParam().written);
  Reading reading;
  const Workload ray =
      reading.Of("ray.io", "RayCluster", {{"spec", {{"workerGroupSpecs", {group}}}}});
  ASSERT_EQ(ray.pod_sets.size(), 1U);
  Edits edits;
  SetSlices(ray.pod_sets[0].scale, GetParam().slices, edits);
  json after;
  for (const k8s::JsonEdit& edit : edits) {
    const std::string at = "/spec/workerGroupSpecs/0/";
    ASSERT_TRUE(edit.pointer.starts_with(at)) << edit.pointer;
    after[edit.pointer.substr(at.size())] = std::get<std::int64_t>(*edit.value);
  }
  EXPECT_EQ(after, GetParam().after);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SetSlicesOfRay,
    testing::Values(SlicesCase{"NoBounds", {{"replicas", 8}}, 1, {{"replicas", 1}}},
                    SlicesCase{"AllAreOne",
                               {{"replicas", 8}, {"minReplicas", 8}, {"maxReplicas", 8}},
                               1,
                               {{"replicas", 1}, {"minReplicas", 1}, {"maxReplicas", 1}}},
                    SlicesCase{"ForAsManyChips",
                               {{"replicas", 8}, {"minReplicas", 0}, {"maxReplicas", 24}},
                               1,
                               {{"replicas", 1}, {"maxReplicas", 3}}},
                    SlicesCase{"RoundedSoThatTheyHold",
                               {{"replicas", 8}, {"minReplicas", 3}, {"maxReplicas", 12}},
                               2,
                               {{"replicas", 2}, {"minReplicas", 1}, {"maxReplicas", 3}}},
                    SlicesCase{"OfTheLeastAlone",
                               {{"minReplicas", 8}},
                               1,
                               {{"replicas", 1}, {"minReplicas", 1}}},
                    SlicesCase{"PlaceholdersStay",
                               {{"replicas", 8}, {"minReplicas", "{{ n }}"}},
                               1,
                               {{"replicas", 1}}},
                    SlicesCase{"AsItIs", {{"replicas", 8}, {"maxReplicas", 9}}, 8, json()}),
    CaseName());

}  // namespace
}  // namespace tpu_admission::workload::edits_test
