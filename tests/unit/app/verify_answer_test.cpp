#include "app/verify_answer.h"

#include <gtest/gtest.h>

namespace tpu_admission::app::verify_answer_test {
namespace {

kube::Answer LetIn(std::vector<std::string> warnings) {
  kube::Answer answer;
  answer.outcome = kube::Outcome::kOk;
  answer.warnings = std::move(warnings);
  return answer;
}

kube::Answer Refused(const std::string& error) {
  kube::Answer answer;
  answer.outcome = kube::Outcome::kRefused;
  answer.status = 403;
  answer.error = error;
  return answer;
}

const std::string kDeniedByUs =
    R"(POST /x: HTTP 403: admission webhook "validate.tpu-admission.io" denied the request: )"
    R"(Pod "p" cannot run on TPUs as written: container "main" asks for 3 chips (TPU301).)";

TEST(VerifyAnswer, NothingFromAnEmptyAnswer) {
  const Evidence evidence = EvidenceIn(LetIn({}));
  EXPECT_FALSE(evidence.mutating);
  EXPECT_FALSE(evidence.validating);
  EXPECT_EQ(evidence.verdict, Verdict::kSilence);
}

TEST(VerifyAnswer, TellsTheTwoWebhooksApart) {
  const Evidence one = EvidenceIn(LetIn({R"(299 - "mutate.tpu-admission.io answers")"}));
  EXPECT_TRUE(one.mutating);
  EXPECT_FALSE(one.validating);
  const Evidence other =
      EvidenceIn(LetIn({"299 - \"spec is old\"", R"(299 - "validate.tpu-admission.io answers")"}));
  EXPECT_FALSE(other.mutating);
  EXPECT_TRUE(other.validating);
}

TEST(VerifyAnswer, TellsDenialWarningAndSilence) {
  EXPECT_EQ(EvidenceIn(Refused(kDeniedByUs)).verdict, Verdict::kDenial);
  EXPECT_EQ(EvidenceIn(LetIn({R"(299 - "TPU301 chips-per-host: container \"main\" asks for 3")"}))
                .verdict,
            Verdict::kWarning);
  EXPECT_EQ(EvidenceIn(LetIn({R"(299 - "TPU502 zone: something else")"})).verdict,
            Verdict::kSilence);
}

TEST(VerifyAnswer, WhatOthersSayIsNotOurs) {
  for (const char* error :
       {R"(POST /x: HTTP 403: admission webhook "validate.example.com" denied the request: TPU301)",
        R"(POST /x: HTTP 500: failed calling webhook "validate.tpu-admission.io": EOF)",
        R"(POST /x: HTTP 403: pods is forbidden: exceeded quota)"}) {
    EXPECT_EQ(EvidenceIn(Refused(error)).verdict, Verdict::kSilence) << error;
  }
  EXPECT_EQ(
      EvidenceIn(LetIn({R"(299 - "Validation failed for ValidatingAdmissionPolicy 'tpu-admission' )"
                        R"(with binding 'tpu-admission': TPU301 chips-per-host: 3")"}))
          .verdict,
      Verdict::kSilence);
}

// A denial for another reason says nothing about the rule of the wrong Pod.
TEST(VerifyAnswer, ADenialForAnotherRuleIsSilence) {
  std::string error = kDeniedByUs;
  error.replace(error.find("TPU301"), 6, "TPU501");
  EXPECT_EQ(EvidenceIn(Refused(error)).verdict, Verdict::kSilence);
}

}  // namespace
}  // namespace tpu_admission::app::verify_answer_test
