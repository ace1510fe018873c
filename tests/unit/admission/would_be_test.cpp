// What a finding would do if the policy had no `default`: what a rollout in stages rests on.
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"

namespace tpu_admission::admission::would_be_test {
namespace {

using nlohmann::json;

const std::string kParallelism = "/spec/parallelism";
const std::string kIgnore = "/metadata/annotations/tpu-admission.io~1ignore";
// TPU401, a rule that judges counts.
const json kWrong = With(With(TpuJob(), kParallelism, 3), "/spec/completions", 3);

struct Case {
  std::string name;
  std::string policy;
  json object = kWrong;
  json before = nullptr;
  std::string mode;
  std::string would_be;
};

std::string Modes(const Answer& answer, rules::Mode JudgedFinding::*which) {
  for (const JudgedFinding& judged : answer.record.findings) {
    if (judged.finding.rule->id == "TPU401") return std::string(rules::Name(judged.*which));
  }
  return "none";
}

class WouldBe : public testing::TestWithParam<Case> {};

TEST_P(WouldBe, IsTheModeWithoutAnyDefault) {
  const Case& c = GetParam();
  Asker asker({.policy = c.policy, .docs_url = "", .cluster = {}});
  Review review(c.object);
  if (!c.before.is_null()) review.Update(c.before);
  const Answer answer = asker.Validate(review);
  EXPECT_EQ(Modes(answer, &JudgedFinding::mode), c.mode);
  EXPECT_EQ(Modes(answer, &JudgedFinding::would_be), c.would_be);
}

const json kChild =
    With(kWrong, "/metadata/ownerReferences",
         {{{"apiVersion", "batch/v1"}, {"kind", "CronJob"}, {"name", "c"}, {"controller", true}}});

INSTANTIATE_TEST_SUITE_P(
    Cases, WouldBe,
    testing::Values(
        Case{.name = "NoPolicy", .policy = "", .mode = "deny", .would_be = "deny"},
        Case{.name = "Audit", .policy = "default: audit", .mode = "audit", .would_be = "deny"},
        Case{.name = "Warn", .policy = "default: warn", .mode = "warn", .would_be = "deny"},
        Case{.name = "AuditHere",
             .policy = "namespaces: [{match: ns, default: audit}]",
             .mode = "audit",
             .would_be = "deny"},
        Case{.name = "NamedBesideDefault",
             .policy = "{default: audit, rules: {TPU401: warn}}",
             .mode = "warn",
             .would_be = "warn"},
        Case{.name = "NamedAndBoundedByALaterDefault",
             .policy = "{rules: {TPU401: warn}, namespaces: [{match: ns, default: audit}]}",
             .mode = "audit",
             .would_be = "warn"},
        Case{.name = "NamedAuditIsADecision",
             .policy = "rules: {TPU401: audit}",
             .mode = "audit",
             .would_be = "audit"},
        Case{.name = "ProfilesAreNoStage",
             .policy = "{profile: strict, default: audit}",
             .mode = "audit",
             .would_be = "deny"},
        Case{.name = "OfAParentWeKnow",
             .policy = "default: audit",
             .object = With(kChild, "/spec/template/spec/nodeSelector/a", "b"),
             .mode = "none",
             .would_be = "none"},
        Case{.name = "UpdateOfTheCount",
             .policy = "default: audit",
             .before = TpuJob(),
             .mode = "audit",
             .would_be = "warn"},
        Case{.name = "Ignored",
             .policy = "{default: audit, ignore: true}",
             .object = With(kWrong, kIgnore, "TPU401=alone on purpose"),
             .mode = "audit",
             .would_be = "audit"},
        Case{.name = "AskedInVain",
             .policy = "default: audit",
             .object = With(kWrong, kIgnore, "TPU401=alone on purpose"),
             .mode = "audit",
             .would_be = "deny"}),
    CaseName());

TEST(WouldBe, UsersHearNothingInTheAuditStage) {
  Asker asker({.policy = "default: audit", .docs_url = "", .cluster = {}});
  const Answer answer = asker.Validate(Review(With(kWrong, kIgnore, "TPU401=alone on purpose")));
  EXPECT_TRUE(answer.allowed());
  EXPECT_EQ(answer.warnings(), std::vector<std::string>());
}

TEST(WouldBe, ASoundJobIsToldFromAWrongOne) {
  Asker asker({.policy = "default: audit", .docs_url = "", .cluster = {}});
  const Answer sound = asker.Validate(Review(TpuJob()));
  EXPECT_EQ(sound.findings(), "");
  const Answer wrong = asker.Validate(Review(kWrong));
  ASSERT_FALSE(wrong.record.findings.empty());
  EXPECT_TRUE(WouldDeny(wrong.record.findings.front())) << "the hardest comes first";
}

}  // namespace
}  // namespace tpu_admission::admission::would_be_test
