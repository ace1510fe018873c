// A child of an object that was judged is never denied: a replacement pod must come back.
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"

namespace tpu_admission::admission::children_test {
namespace {

using nlohmann::json;

const json kWrongPod =
    With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");

json OwnedBy(const json& object, const json& owner) {
  return With(object, "/metadata/ownerReferences", json::array({owner}));
}
json Owner(const std::string& api_version, const std::string& kind, const json& controller) {
  return {{"apiVersion", api_version}, {"kind", kind}, {"name", "o"}, {"controller", controller}};
}

struct Case {
  std::string name;
  json owner;
  std::string findings;
};

class Children : public testing::TestWithParam<Case> {};

TEST_P(Children, AreAuditedWhereTheParentWasJudged) {
  Asker asker;
  const Answer answer = asker.Validate(Review(OwnedBy(kWrongPod, GetParam().owner)));
  EXPECT_EQ(answer.findings(), GetParam().findings);
  EXPECT_EQ(answer.allowed(), GetParam().findings.find("=deny") == std::string::npos);
  EXPECT_TRUE(answer.warnings().empty());
  EXPECT_EQ(answer.response()["auditAnnotations"]["findings"], GetParam().findings);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Children,
    testing::Values(Case{"Job", Owner("batch/v1", "Job", true), "TPU203=audit"},
                    Case{"JobOfAnotherVersion", Owner("batch/v9", "Job", true), "TPU203=audit"},
                    Case{"StatefulSet", Owner("apps/v1", "StatefulSet", true), "TPU203=audit"},
                    Case{"ReplicaSet", Owner("apps/v1beta1", "ReplicaSet", true), "TPU203=audit"},
                    Case{"Unknown", Owner("example.com/v1", "Trainer", true), "TPU203=deny"},
                    Case{"OtherGroup", Owner("example.com/v1", "Job", true), "TPU203=deny"},
                    Case{"NoController", Owner("batch/v1", "Job", false), "TPU203=deny"},
                    Case{"ControllerAsText", Owner("batch/v1", "Job", "true"), "TPU203=deny"},
                    Case{"NoOwner", json::object(), "TPU203=deny"}),
    CaseName());

// A step of a workflow may make any object, of which the workflow itself says nothing.
TEST(Children, WhatAWorkflowMakesOfAManifestIsJudged) {
  Asker asker;
  const json workflow = Owner("argoproj.io/v1alpha1", "Workflow", true);
  const json job = With(TpuJob(), "/spec/parallelism", 3);
  EXPECT_NE(asker.Validate(Review(OwnedBy(job, workflow))).findings().find("TPU401=deny"),
            std::string::npos);
  EXPECT_EQ(asker.Validate(Review(OwnedBy(kWrongPod, workflow))).findings(), "TPU203=audit");
}

TEST(Children, AreStillPatched) {
  Asker asker;
  const json pod = OwnedBy(Without(TpuPod(), "/spec/tolerations"), Owner("batch/v1", "Job", true));
  EXPECT_FALSE(asker.Mutate(Review(pod)).patch().is_null());
}

TEST(Children, AreNotJudgedOnCounts) {
  Asker asker;
  const json job = With(TpuJob(), "/spec/parallelism", 3);
  EXPECT_NE(asker.Validate(Review(job)).findings().find("TPU401=deny"), std::string::npos);
  const json child = OwnedBy(job, Owner("batch/v1", "CronJob", true));
  EXPECT_EQ(asker.Validate(Review(child)).findings().find("TPU401"), std::string::npos);
}

TEST(Children, PolicyMayJudgeThem) {
  Asker asker({.policy = "children: deny\n", .docs_url = "", .cluster = {}});
  const json pod = OwnedBy(kWrongPod, Owner("batch/v1", "Job", true));
  EXPECT_FALSE(asker.Validate(Review(pod)).allowed());
}

}  // namespace
}  // namespace tpu_admission::admission::children_test
