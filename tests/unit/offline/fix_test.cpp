#include "tpu_admission/offline/fix.h"

#include <gmock/gmock.h>

#include "support/settings.h"

namespace tpu_admission::offline::fix_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

FixedText Fixed(const std::string& text, char label) {
  return FixText(support::StandardSettings(), {"", {2026, 11, 22}, {}}, label, text);
}

// A pod of TPU7x with three chips has two repairs.
std::string Pod(const std::string& name, const std::string& accelerator,
                const std::string& topology, int chips) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         "}\nspec:\n  nodeSelector:\n    cloud.google.com/gke-tpu-accelerator: " + accelerator +
         "\n    cloud.google.com/gke-tpu-topology: " + topology +
         "\n  containers:\n  - name: a\n    resources: {limits: {google.com/tpu: " +
         std::to_string(chips) + "}}\n";
}
const std::string kThree = Pod("three", "tpu7x", "2x2x1", 3);

TEST(Fix, TakesTheRepairThatIsAskedFor) {
  const FixedText fixed = Fixed(kThree, 'b');
  EXPECT_THAT(fixed.problems, IsEmpty());
  EXPECT_THAT(fixed.text, HasSubstr("google.com/tpu: 1"));
  EXPECT_THAT(fixed.text, HasSubstr("tolerations")) << "what is left to add is added";
}

// Each lacks two things that are put at one place: many are mended together, not pod by pod.
TEST(Fix, AListOfManyPodsIsNotTooLarge) {
  std::string list = "kind: List\napiVersion: v1\nitems:\n";
  for (int i = 0; i < 600; ++i) {
    list += "- apiVersion: v1\n  kind: Pod\n  metadata: {name: p" + std::to_string(i) +
            "}\n  spec:\n    nodeSelector:\n"
            "      cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
            "      cloud.google.com/gke-tpu-topology: 2x4\n    containers:\n    - name: a\n"
            "      resources:\n        limits:\n          google.com/tpu: 8\n";
  }
  const FixedText fixed = Fixed(list, 'a');
  EXPECT_THAT(fixed.problems, IsEmpty());
  EXPECT_TRUE(
      fixed.text.ends_with("        requests:\n          cpu: 143584m\n"
                           "          memory: 1132029Mi\n    tolerations:\n"
                           "    - key: google.com/tpu\n      operator: Exists\n"
                           "      effect: NoSchedule\n"));
}

// What only warns has one repair, a, whichever was asked for before.
TEST(Fix, WhateverRepairIsTakenTheWarningsThatAreLeftAreFollowed) {
  std::string three = kThree;
  three.insert(three.find("  containers"),
               "  tolerations:\n  - {key: google.com/tpu, operator: Equal, value: \"true\"}\n");
  for (const char label : {'a', 'b'}) {
    const FixedText fixed = Fixed(three, label);
    EXPECT_THAT(fixed.problems, IsEmpty());
    EXPECT_THAT(fixed.text, HasSubstr("value: \"present\"")) << label;
  }
}

// The repair that is shown has in it what only warns: that the pods fill no slice.
TEST(Fix, AWarningIsMendedWithWhatDenies) {
  const std::string set =
      "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec:\n  replicas: 2\n"
      "  serviceName: s\n  podManagementPolicy: Parallel\n  selector: {matchLabels: {a: b}}\n"
      "  template:\n    metadata: {labels: {a: b}}\n    spec:\n      nodeSelector:\n"
      "        cloud.google.com/gke-tpu-accelerator: tpu-v6e\n"
      "        cloud.google.com/gke-tpu-topology: 4x4\n      containers:\n      - name: a\n"
      "        resources: {limits: {google.com/tpu: 4}}\n";
  const FixedText fixed = Fixed(set, 'a');
  EXPECT_THAT(fixed.problems, IsEmpty());
  EXPECT_THAT(fixed.chip_changes,
              ElementsAre(HasSubstr("keep 4x4, 16 chips on 4 hosts (8 chips become 16)")));
  EXPECT_THAT(fixed.text, HasSubstr("tpu-v6e-slice"));
  EXPECT_THAT(fixed.text, HasSubstr("replicas: 4"));
  EXPECT_EQ(Fixed(fixed.text, 'a').text, fixed.text);
}

// Requests would be computed from chips that are to be repaired first.
TEST(Fix, AnObjectWithoutTheRepairIsNamedAndLeftAsItIs) {
  const FixedText none = Fixed(kThree, 'c');
  EXPECT_EQ(none.text, kThree);
  EXPECT_THAT(
      none.problems,
      ElementsAre("document 1: Pod \"three\" in line 1: not changed, since it has no repair "
                  "c; it has a to b"));

  const std::string other = "---\n" + Pod("other", "tpu-v6e-slice", "3x3", 4);
  const FixedText partly = Fixed(kThree + other, 'c');
  EXPECT_TRUE(partly.text.starts_with(kThree));
  EXPECT_THAT(partly.text, HasSubstr("topology: 2x4"));
  EXPECT_THAT(partly.text, HasSubstr("tolerations"));
  EXPECT_THAT(partly.problems, ElementsAre(HasSubstr("has no repair c")));
}

TEST(Fix, WhatIsLeftToRepairByHandIsGivenNoRequests) {
  std::string text = Pod("p", "tpu-v6e-slice", "3x3", 4);
  text.replace(text.find("    cloud.google.com/gke-tpu-topology: 3x3"), 43,
               "    cloud.google.com/gke-tpu-topology: !!str  # why\n      3x3\n");
  const FixedText fixed = Fixed(text, 'a');
  EXPECT_THAT(fixed.problems, ElementsAre(HasSubstr("change by hand")));
  EXPECT_THAT(fixed.text, HasSubstr("tolerations"));
  EXPECT_THAT(fixed.text, ::testing::Not(HasSubstr("requests"))) << "they are of 3x3";
}

}  // namespace
}  // namespace tpu_admission::offline::fix_test
