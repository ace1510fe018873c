#include "offline/misspelt_keys.h"

#include <gmock/gmock.h>

#include "support/check_text.h"

namespace tpu_admission::offline::misspelt_keys_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kContainers =
    "[{name: a, resources: {limits: {google.com/tpu: 4}, requests: {cpu: 1, memory: 1Gi}}}]";

std::vector<std::string> Told(const std::string& kind, const std::string& rest) {
  return support::WarningsOf("apiVersion: v1\nkind: " + kind + "\nmetadata: {name: a}\n" + rest +
                             "\n");
}

TEST(MisspeltKeys, AreNamedWithWhatWasMeant) {
  EXPECT_THAT(Told("Pod", "Spec: {containers: " + kContainers + "}"),
              ElementsAre("4: Spec is no key that is read; did you mean spec?"));
  EXPECT_THAT(Told("Pod", "spec:\n  container: " + kContainers),
              ElementsAre("5: spec.container is no key that is read; did you mean containers?"));
  EXPECT_THAT(
      Told("Pod", "spec:\n  containers: " + kContainers + "\n  nodeselector: {}"),
      ElementsAre("6: spec.nodeselector is no key that is read; did you mean nodeSelector?"));
}

TEST(MisspeltKeys, OfWhatIsReadAreThoseThatDifferInCaseAlone) {
  const std::string selector =
      "nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, "
      "cloud.google.com/gke-tpu-topology: 2x2}";
  EXPECT_THAT(
      Told("Pod", "spec: {container: x, " + selector + ", containers: " + kContainers + "}"),
      IsEmpty());
  EXPECT_THAT(
      Told("Pod", "spec: {NodeSelector: {}, " + selector + ", containers: " + kContainers + "}"),
      IsEmpty())
      << "the right one is there";
  EXPECT_THAT(Told("Pod", "Spec: {containers: [{name: a}]}"), IsEmpty()) << "no chips";
}

TEST(MisspeltKeys, AtAnotherLevelAreNamedWithTheirPlace) {
  const std::string selector =
      "nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, "
      "cloud.google.com/gke-tpu-topology: 2x2}";
  EXPECT_THAT(
      Told("Pod", "spec: {" + selector + ", containers: [{name: a, limits: {google.com/tpu: 4}}]}"),
      ElementsAre("4: spec.containers[0].limits is no key that is read; did you mean "
                  "resources.limits?"));
  EXPECT_THAT(Told("Pod", "spec: {containers: [{name: a, " + selector +
                              ", resources: {limits: {google.com/tpu: 4}}}]}"),
              ElementsAre("4: spec.containers[0].nodeSelector is no key that is read; did you mean "
                          "nodeSelector beside containers?"));
  const std::string pods = "template: {spec: {containers: " + kContainers + "}}";
  EXPECT_THAT(Told("ReplicationController", "spec: {" + selector + ", " + pods + "}"),
              ElementsAre("4: spec.nodeSelector is no key that is read; did you mean "
                          "template.spec.nodeSelector?"));
  EXPECT_THAT(Told("ReplicationController", "spec: {nodeSelector: {a: b}, " + pods + "}"),
              IsEmpty());
}

}  // namespace
}  // namespace tpu_admission::offline::misspelt_keys_test
