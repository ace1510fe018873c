// What every admission webhook must do, whoever wrote it: cases P1 to P12 of the peers' own tests.
// P7 (a page at GET /) and P11 (ids across replicas) are not ours.
#include <gtest/gtest.h>

#include "support/asker.h"

namespace tpu_admission::admission::peer_cases_test {
namespace {

using nlohmann::json;

const json kWrongPod =
    With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");
const json kBarePod = [] {
  json pod = Without(TpuPod(), "/spec/tolerations");
  pod["spec"]["containers"][0]["resources"] = {{"limits", {{"google.com/tpu", "4"}}}};
  return pod;
}();

TEST(PeerCases, P1AnswerIsAReviewWithTheSameUid) {
  Asker asker;
  for (const Endpoint endpoint : {Endpoint::kMutate, Endpoint::kValidate}) {
    for (const json& pod : {TpuPod(), kWrongPod, kBarePod}) {
      const json answer = asker.Ask(endpoint, Review(pod).Uid("uid-1").Text()).whole();
      EXPECT_EQ(answer["apiVersion"], "admission.k8s.io/v1");
      EXPECT_EQ(answer["kind"], "AdmissionReview");
      EXPECT_EQ(answer["response"]["uid"], "uid-1");
      EXPECT_TRUE(answer["response"]["allowed"].is_boolean());
    }
  }
}

TEST(PeerCases, P2NothingToDoIsNoPatch) {
  Asker asker;
  const Answer answer = asker.Mutate(Review(TpuPod()));
  EXPECT_TRUE(answer.allowed());
  EXPECT_FALSE(answer.response().contains("patch"));
  EXPECT_FALSE(answer.response().contains("patchType"));
  EXPECT_EQ(answer.record.outcome, Outcome::kAllowed);
}

TEST(PeerCases, P3ChangesAreAJsonPatchInBase64) {
  Asker asker;
  const Answer answer = asker.Mutate(Review(kBarePod));
  EXPECT_TRUE(answer.allowed());
  EXPECT_EQ(answer.response()["patchType"], "JSONPatch");
  EXPECT_EQ(answer.patch(), json::parse(R"([
    {"op": "add", "path": "/spec/tolerations",
     "value": [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}]},
    {"op": "add", "path": "/spec/containers/0/resources/requests",
     "value": {"cpu": "143584m", "memory": "563220Mi"}}])"));
  EXPECT_EQ(answer.record.outcome, Outcome::kPatched);
}

TEST(PeerCases, P4ValidateNeverPatches) {
  Asker asker;
  for (const json& pod : {TpuPod(), kWrongPod, kBarePod}) {
    const json response = asker.Validate(Review(pod)).response();
    EXPECT_FALSE(response.contains("patch"));
    EXPECT_FALSE(response.contains("patchType"));
  }
}

TEST(PeerCases, P5BodyThatIsNoJsonIs400) {
  Asker asker;
  for (const Endpoint endpoint : {Endpoint::kMutate, Endpoint::kValidate}) {
    const Answer answer = asker.Ask(endpoint, "kind: AdmissionReview");
    EXPECT_FALSE(answer.valid());
    EXPECT_TRUE(answer.text.starts_with("the body is not valid JSON: ")) << answer.text;
    EXPECT_TRUE(answer.text.ends_with("\n"));
  }
}

TEST(PeerCases, P6NullRequestIs400) {
  Asker asker;
  const Answer answer = asker.Validate(Review(TpuPod()).Set("/request", nullptr));
  EXPECT_FALSE(answer.valid());
  EXPECT_EQ(answer.text, "request is missing from the AdmissionReview\n");
}

TEST(PeerCases, P8PatchedPodGetsNoFurtherPatch) {
  Asker asker;
  const json patched = kBarePod.patch(asker.Mutate(Review(kBarePod)).patch());
  EXPECT_TRUE(asker.Mutate(Review(patched)).patch().is_null());
  EXPECT_EQ(asker.Validate(Review(patched)).findings(), "");
}

TEST(PeerCases, P9DryRunGetsTheSameAnswer) {
  Asker asker;
  for (const Endpoint endpoint : {Endpoint::kMutate, Endpoint::kValidate}) {
    for (const json& pod : {TpuPod(), kWrongPod, kBarePod}) {
      EXPECT_EQ(asker.Ask(endpoint, Review(pod).DryRun().Text()).text,
                asker.Ask(endpoint, Review(pod).Text()).text);
    }
  }
  EXPECT_TRUE(asker.Validate(Review(kWrongPod).DryRun()).record.request.dry_run)
      << "the record says so, for the log";
}

TEST(PeerCases, P10EmptyUidIsACleanErrorAndV1Beta1IsAnsweredInKind) {
  Asker asker;
  EXPECT_EQ(asker.Validate(Review(TpuPod()).Uid("")).text, "request.uid is missing or empty\n");
  for (const json& pod : {TpuPod(), kWrongPod}) {
    const json answer =
        asker.Validate(Review(pod).ApiVersion("admission.k8s.io/v1beta1").Uid("b")).whole();
    EXPECT_EQ(answer["apiVersion"], "admission.k8s.io/v1beta1");
    EXPECT_EQ(answer["kind"], "AdmissionReview");
    EXPECT_EQ(answer["response"]["uid"], "b");
  }
}

TEST(PeerCases, P12UserMistakeIsADenialWithAReason) {
  Asker asker;
  const Answer answer = asker.Validate(Review(kWrongPod));
  ASSERT_TRUE(answer.valid());
  EXPECT_FALSE(answer.allowed());
  const json status = answer.response()["status"];
  EXPECT_EQ(status["code"], 403);
  EXPECT_EQ(status["reason"], "Forbidden");
  EXPECT_EQ(status["status"], "Failure");
  EXPECT_NE(answer.message().find("TPU203"), std::string::npos);
}

}  // namespace
}  // namespace tpu_admission::admission::peer_cases_test
