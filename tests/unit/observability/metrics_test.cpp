// What a review leaves in the metrics, from the bytes of the request to the text of /metrics.
#include "tpu_admission/observability/metrics.h"

#include <gmock/gmock.h>

#include "support/asker.h"

namespace tpu_admission::observability {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const json kWrongPod =
    With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");

class MetricsOfReviews : public testing::Test {
 protected:
  MetricsOfReviews() { metrics_.SetCatalog(*BuiltInCatalog()); }

  void Validate(const Review& review) { metrics_.Count(asker_.Validate(review).record, {}); }
  void Mutate(const Review& review) { metrics_.Count(asker_.Mutate(review).record, {}); }

  std::string Chips(const std::string& accelerator, const std::string& decision, int chips) const {
    return "tpu_admission_pod_chips_total{accelerator=\"" + accelerator + "\",decision=\"" +
           decision + "\"} " + std::to_string(chips) + "\n";
  }
  std::string Denials(const std::string& name_space, int count) const {
    return "tpu_admission_denials_total{namespace=\"" + name_space + "\",rule=\"TPU203\"} " +
           std::to_string(count) + "\n";
  }

  Asker asker_;
  Metrics metrics_;
};

TEST_F(MetricsOfReviews, ChipsOfEveryAcceleratorAreThereFromTheStart) {
  for (const tpu::Generation& generation : BuiltInCatalog()->generations()) {
    EXPECT_THAT(metrics_.Text(), HasSubstr(Chips(generation.label, "allowed", 0)));
    EXPECT_THAT(metrics_.Text(), HasSubstr(Chips(generation.label, "denied", 0)));
  }
  EXPECT_THAT(metrics_.Text(), HasSubstr(Chips("other", "allowed", 0)));
}

TEST_F(MetricsOfReviews, ChipsOfNewPodsAreCountedOnce) {
  Mutate(Review(TpuPod()));
  Validate(Review(TpuPod()));
  Validate(Review(TpuPod()).DryRun());
  Validate(Review(TpuPod()).Update(kWrongPod));
  Validate(Review(TpuJob()));
  Validate(Review(kWrongPod));
  EXPECT_THAT(metrics_.Text(), HasSubstr(Chips("tpu-v6e-slice", "allowed", 4)));
  EXPECT_THAT(metrics_.Text(), HasSubstr(Chips("tpu-v6e-slice", "denied", 4)));
}

TEST_F(MetricsOfReviews, AnAcceleratorThatNobodyKnowsIsOther) {
  const std::string label = "/spec/nodeSelector/cloud.google.com~1gke-tpu-accelerator";
  Validate(Review(With(TpuPod(), label, "tpu-v99-slice")));
  const json either = {{"nodeSelectorTerms",
                        {{{"matchExpressions",
                           {{{"key", "cloud.google.com/gke-tpu-accelerator"},
                             {"operator", "In"},
                             {"values", {"tpu-v6e-slice", "tpu-v5-lite-podslice"}}}}}}}}};
  Validate(Review(With(Without(TpuPod(), label),
                       "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",
                       either)));
  EXPECT_THAT(metrics_.Text(), HasSubstr(Chips("other", "allowed", 8)));
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("v99")));
}

TEST_F(MetricsOfReviews, DenialsAreCountedByNamespace) {
  Validate(Review(kWrongPod).Namespace("team-a"));
  Validate(Review(kWrongPod).Namespace("team-a"));
  Validate(Review(kWrongPod).Namespace("team-b"));
  Validate(Review(TpuPod()).Namespace("team-c"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(Denials("team-a", 2)));
  EXPECT_THAT(metrics_.Text(), HasSubstr(Denials("team-b", 1)));
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("team-c")));
}

TEST_F(MetricsOfReviews, NamespacesAreBounded) {
  for (int i = 0; i < 300; ++i) {
    Validate(Review(kWrongPod).Namespace("team-" + std::to_string(i)));
  }
  Validate(Review(kWrongPod).Namespace("team-0"));
  EXPECT_THAT(metrics_.Text(), HasSubstr(Denials("team-0", 2)));
  EXPECT_THAT(metrics_.Text(), HasSubstr(Denials("team-255", 1)));
  EXPECT_THAT(metrics_.Text(), HasSubstr(Denials("_other", 44)));
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("team-256")));
}

TEST_F(MetricsOfReviews, ANamespaceThatNoApiServerCouldSendIsOther) {
  Validate(Review(kWrongPod).Namespace(std::string(64, 'x')));
  Validate(Review(kWrongPod).Namespace("a\"} 1\nforged 1\n{\""));
  EXPECT_THAT(metrics_.Text(), HasSubstr(Denials("_other", 1)));
  EXPECT_THAT(metrics_.Text(), Not(HasSubstr("\nforged")));
}

}  // namespace
}  // namespace tpu_admission::observability
