// What is said of a shape that the cluster does not have: a warning, and never a denial.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/rule_page.h"

namespace tpu_admission::node_pool_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

AskerOptions Options(const std::string& nodes, const std::string& policy = "") {
  AskerOptions options{.policy = policy, .docs_url = {}, .cluster = {}};
  if (!nodes.empty()) options.cluster.shapes = rules::ShapesOf(nodes);
  return options;
}

constexpr const char* kOthers = "tpu-v6e-slice 4x8 x 3";

TEST(NodePools, AShapeThatIsNotThereWarns) {
  const Answer answer = Asker(Options(kOthers)).Validate(Review(TpuPod()));
  EXPECT_TRUE(answer.allowed());
  EXPECT_THAT(answer.warnings(), ElementsAre(HasSubstr("no node pool of this cluster has")));
}

TEST(NodePools, WithoutARecordNobodyKnows) {
  EXPECT_THAT(Asker(Options("")).Validate(Review(TpuPod())).warnings(), IsEmpty());
}

// What a cluster has changes: no policy makes a denial of it, nor a warning of what is uncertain.
TEST(NodePools, NoPolicyMakesItHarder) {
  for (const char* const policy :
       {"rules: {TPU512: deny}", "namespaces: [{match: '*', rules: {TPU512: deny}}]",
        "profile: strict"}) {
    AskerOptions options = Options(kOthers, policy);
    const Answer certain = Asker(options).Validate(Review(TpuPod()));
    EXPECT_TRUE(certain.allowed()) << policy;
    EXPECT_EQ(certain.findings(), "TPU512=warn") << policy;

    options.cluster.platform = rules::Platform::kAutopilot;
    const Answer doubtful = Asker(options).Validate(Review(TpuPod()));
    EXPECT_TRUE(doubtful.allowed()) << policy;
    EXPECT_THAT(doubtful.findings(), HasSubstr("TPU512=audit")) << policy;
  }
}

TEST(NodePools, APolicyMayMakeItMilder) {
  const Answer off = Asker(Options(kOthers, "rules: {TPU512: 'off'}")).Validate(Review(TpuPod()));
  EXPECT_EQ(off.findings(), "");
}

}  // namespace
}  // namespace tpu_admission::node_pool_test
