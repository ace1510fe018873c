// tpu-admission.io/ignore: how it is written, when it counts, and that it is never silent.
#include "tpu_admission/admission/exemption.h"

#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"

namespace tpu_admission::admission::exemption_test {
namespace {

using nlohmann::json;

const std::string kOfObject = "/metadata/annotations/tpu-admission.io~1ignore";
const std::string kOfTemplate = "/spec/template" + kOfObject;
const std::string kAllowed = "ignore: true\n";
// Denied for TPU203.
const json kWrongPod =
    With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");
const json kWrongJob =
    With(TpuJob(), "/spec/template/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");

Answer Ask(const json& object, const std::string& policy = kAllowed, Day today = {2026, 11, 21}) {
  Asker asker({.policy = policy, .docs_url = "", .cluster = {}, .profile = "", .today = today});
  Answer answer = asker.Validate(Review(object).Namespace("lab"));
  for (JudgedFinding& judged : answer.record.findings) judged.ignored_because = {};  // dies now
  return answer;
}

struct Entry {
  std::string name;
  std::string annotation;
  std::string findings;  // of kWrongPod
  std::vector<std::string> warnings;
};

const std::string kPrefix = "tpu-admission.io/ignore: ";

class Entries : public testing::TestWithParam<Entry> {};

TEST_P(Entries, CountOrSayWhyNot) {
  const Answer answer = Ask(With(kWrongPod, kOfObject, GetParam().annotation));
  EXPECT_EQ(answer.findings(), GetParam().findings);
  std::vector<std::string> warnings = GetParam().warnings;
  for (std::string& warning : warnings) warning.insert(0, kPrefix);
  EXPECT_EQ(answer.warnings(), warnings);
}

INSTANTIATE_TEST_SUITE_P(
    Exemptions, Entries,
    testing::Values(
        Entry{"Plain", "TPU203=new topology", "TPU203=audit", {}},
        Entry{"ByName", "topology-not-offered=new", "TPU203=audit", {}},
        Entry{"Spaces", " TPU203 = x ;", "TPU203=audit", {}},
        Entry{"Second", "TPU501=zone; TPU203=x", "TPU203=audit", {}},
        Entry{"EqualsInReason", "TPU203=a=b", "TPU203=audit", {}},
        Entry{"CommaInReason", "TPU203=a, b=c, TPU501, hosts, x TPU501=d", "TPU203=audit", {}},
        Entry{"Comma",
              "TPU501=zone, TPU203=x",
              "TPU203=deny",
              {"TPU203 stands in the reason of TPU501; write ; between entries"}},
        Entry{"NewLine",
              "TPU203=x\n topology-dimensions@2026-12-31 = y\n",
              "TPU203=audit",
              {"TPU202 stands in the reason of TPU203; write ; between entries"}},
        Entry{"AtInReason", "TPU203=me@example.com", "TPU203=audit", {}},
        Entry{"LastDay", "TPU203@2026-11-21=x", "TPU203=audit", {}},
        Entry{"OtherRule", "TPU501=x", "TPU203=deny", {}}, Entry{"Empty", "", "TPU203=deny", {}},
        Entry{"OnlySemicolons", ";;", "TPU203=deny", {}},
        Entry{"Ended",
              "TPU203@2026-11-20=x",
              "TPU203=deny",
              {"what is asked for TPU203 ended on 2026-11-20"}},
        Entry{"NoReason", "TPU203=", "TPU203=deny", {"TPU203 has no reason; write TPU203=reason"}},
        Entry{"BlankReason",
              "TPU203=  ",
              "TPU203=deny",
              {"TPU203 has no reason; write TPU203=reason"}},
        Entry{"NoEquals", "TPU203", "TPU203=deny", {"\"TPU203\" is not written as RULE=reason"}},
        Entry{"UnknownRule", "TPU999=x; TPU203=y", "TPU203=audit", {"there is no rule \"TPU999\""}},
        Entry{"LowerCase", "tpu203=x", "TPU203=deny", {"there is no rule \"tpu203\""}},
        Entry{"NoSuchDay",
              "TPU203@2026-02-29=x",
              "TPU203=deny",
              {"\"2026-02-29\" is no date; write TPU203@2026-12-31=reason"}},
        Entry{"EmptyDay",
              "TPU203@=x",
              "TPU203=deny",
              {"\"\" is no date; write TPU203@2026-12-31=reason"}},
        Entry{"DayInWords",
              "TPU203@tomorrow=x",
              "TPU203=deny",
              {"\"tomorrow\" is no date; write TPU203@2026-12-31=reason"}},
        Entry{"Twice",
              "TPU203@2026-01-01=a; TPU203=b",
              "TPU203=deny",
              {"TPU203 stands there twice; the first counts",
               "what is asked for TPU203 ended on 2026-01-01"}}),
    CaseName());

struct Permission {
  std::string name;
  std::string policy;
  bool allowed;  // to ignore TPU203 in the namespace lab
};

class Permissions : public testing::TestWithParam<Permission> {};

TEST_P(Permissions, AreThePolicys) {
  const Answer answer = Ask(With(kWrongPod, kOfObject, "TPU203=x"), GetParam().policy);
  EXPECT_EQ(answer.findings(), GetParam().allowed ? "TPU203=audit" : "TPU203=deny");
  const std::vector<std::string> refusal = {
      kPrefix + "the policy does not let namespace \"lab\" ignore TPU203"};
  EXPECT_EQ(answer.warnings(), GetParam().allowed ? std::vector<std::string>() : refusal);
}

INSTANTIATE_TEST_SUITE_P(
    Exemptions, Permissions,
    testing::Values(
        Permission{"NobodyByDefault", "", false}, Permission{"All", "ignore: true", true},
        Permission{"None", "ignore: false", false},
        Permission{"ThisRule", "ignore: [TPU501, topology-not-offered]", true},
        Permission{"OtherRule", "ignore: [TPU501]", false},
        Permission{"EmptyList", "ignore: []", false},
        Permission{"Namespace", "namespaces: [{match: lab, ignore: true}]", true},
        Permission{"OtherNamespace", "namespaces: [{match: prod, ignore: true}]", false},
        Permission{"NamespaceTakesBack", "ignore: true\nnamespaces: [{match: l*, ignore: false}]",
                   false},
        Permission{"ListTakesBack", "ignore: true\nnamespaces: [{match: l*, ignore: [TPU501]}]",
                   false},
        Permission{"SectionWithoutAnOpinion",
                   "ignore: true\nnamespaces: [{match: l*, rules: {TPU501: warn}}]", true}),
    CaseName());

struct Place {
  std::string name;
  std::string of_object;
  std::string of_template;
  std::string findings;  // of kWrongJob
};

class Places : public testing::TestWithParam<Place> {};

TEST_P(Places, ObjectGoesBeforePodTemplate) {
  json job = kWrongJob;
  if (!GetParam().of_object.empty()) job = With(job, kOfObject, GetParam().of_object);
  if (!GetParam().of_template.empty()) job = With(job, kOfTemplate, GetParam().of_template);
  EXPECT_EQ(Ask(job).findings(), GetParam().findings);
}

INSTANTIATE_TEST_SUITE_P(
    Exemptions, Places,
    testing::Values(Place{"Object", "TPU203=x", "", "TPU203=audit"},
                    Place{"Template", "", "TPU203=x", "TPU203=audit"},
                    Place{"BothAreRead", "TPU501=x", "TPU203=x", "TPU203=audit"},
                    Place{"EndedOnTheObject", "TPU203@2026-01-01=x", "TPU203=x", "TPU203=deny"},
                    Place{"EndedOnTheTemplate", "TPU203=x", "TPU203@2026-01-01=x", "TPU203=audit"}),
    CaseName());

TEST(Exemptions, EndWithTheDay) {
  const json pod = With(kWrongPod, kOfObject, "TPU203@2028-02-29=x");
  EXPECT_TRUE(Ask(pod, kAllowed, {2028, 2, 29}).allowed());
  EXPECT_FALSE(Ask(pod, kAllowed, {2028, 3, 1}).allowed());
}

TEST(Exemptions, OtherFaultsStillDeny) {
  const json pod =
      With(With(kWrongPod, kOfObject, "TPU203=x"), "/spec/containers/0",
           json{{"name", "jax"}, {"resources", {{"limits", {{"google.com/tpu", "1.5"}}}}}});
  const Answer answer = Ask(pod);
  EXPECT_FALSE(answer.allowed());
  EXPECT_NE(answer.findings().find("TPU203=audit"), std::string::npos) << answer.findings();
  EXPECT_EQ(answer.message().find("TPU203"), std::string::npos);
}

TEST(Exemptions, AreSilentWhereNothingWasFound) {
  EXPECT_TRUE(Ask(With(TpuPod(), kOfObject, "TPU203@2020-01-01=x"), "").warnings().empty());
  EXPECT_EQ(Ask(With(TpuPod(), kOfObject, "TPU203"), "").warnings().size(), 1U)
      << "but what cannot be read is said at once";
}

TEST(Exemptions, AreInTheAuditAnnotationWithTheirReasons) {
  const json pod = With(kWrongPod, kOfObject, "TPU203=new \"3x3\"\npools");
  const json audit = Ask(pod).response()["auditAnnotations"];
  EXPECT_EQ(audit["findings"], "TPU203=audit");
  EXPECT_EQ(audit["ignored"], "TPU203 \"new \\\"3x3\\\"\xEF\xBF\xBDpools\"");
  EXPECT_FALSE(Ask(kWrongPod).response()["auditAnnotations"].contains("ignored"));
}

TEST(Exemptions, ReasonIsCut) {
  const json pod = With(kWrongPod, kOfObject, "TPU203=" + std::string(100'000, 'x'));
  const std::string audit = Ask(pod).response()["auditAnnotations"]["ignored"];
  EXPECT_LT(audit.size(), 250U);
}

TEST(Exemptions, EveryWarningIsOneShortLine) {
  const std::string strange(500, '\n');
  for (const std::string& annotation :
       {strange + "x" + strange + "y", "TPU203" + strange + "z=x", "TPU203@" + strange + "1=x",
        std::string(100'000, '\x01'), std::string("\xF0\x9F\x9A\x80") + std::string(200, 'w')}) {
    for (const std::string& warning : Ask(With(kWrongPod, kOfObject, annotation)).warnings()) {
      EXPECT_LE(warning.size(), kWarningBytes);
      EXPECT_EQ(warning.find('\n'), std::string::npos);
      EXPECT_EQ(warning.find('\x01'), std::string::npos);
    }
  }
}

TEST(Exemptions, OnlySoManyEntriesAreRead) {
  std::string annotation;
  for (std::size_t i = 0; i < AskedExemptions::kMostEntries; ++i) annotation += "TPU501=x;";
  const Answer answer = Ask(With(kWrongPod, kOfObject, annotation + "TPU203=x"));
  EXPECT_FALSE(answer.allowed());
  EXPECT_EQ(answer.warnings(),
            (std::vector<std::string>{kPrefix + "TPU501 stands there twice; the first counts",
                                      kPrefix + "only the first 200 entries count"}));
}

// What does not fit as a whole counts for nothing, but for the reason of the first.
TEST(Exemptions, OnlySoManyBytesAreRead) {
  const std::string long_reason = "TPU501=" + std::string(AskedExemptions::kMostBytes - 20, 'x');
  const std::string warning = kPrefix + "only the first 8192 bytes count";
  EXPECT_TRUE(Ask(With(kWrongPod, kOfObject, long_reason + ";TPU203=x")).allowed());
  const Answer none =
      Ask(With(kWrongPod, kOfObject, long_reason + ";TPU203=" + std::string(99, 'x')));
  EXPECT_FALSE(none.allowed());
  EXPECT_EQ(none.warnings(), std::vector<std::string>{warning});
}

// However many keys are nearly right, and each once.
TEST(Exemptions, OnlySoManyComplaintsAreMade) {
  const auto complaints_of = [](const std::string& annotations) {
    k8s::JsonParser parser;
    k8s::Arena arena;
    k8s::Decoder decoder(arena);
    const std::string text = R"({"annotations":{)" + annotations + "}}";
    workload::Workload workload;
    workload.metadata = k8s::DecodeMeta(parser.Parse(text).value(), decoder);
    return AskedExemptions(workload).TakeComplaints();
  };
  std::string many;
  for (int i = 0; i < 300; ++i) {
    many += (i == 0 ? "" : ",") + (R"("tpu-admission/ignore)" + std::to_string(i)) + R"(":"")";
  }
  EXPECT_EQ(complaints_of(many).size(), AskedExemptions::kMostComplaints);
  const std::string one = R"("tpu-admission/ignore":"")";
  EXPECT_EQ(complaints_of(one + "," + one).size(), 1U);
}

TEST(Exemptions, AnnotationThatIsNoStringIsNone) {
  EXPECT_EQ(Ask(With(kWrongPod, kOfObject, 7)).findings(), "TPU203=deny");
}

TEST(Exemptions, AKeyThatIsNearlyRightIsTold) {
  for (const char* const key : {"tpu-admission/ignore", "tpu-admission.dev/ignored"}) {
    json pod = kWrongPod;
    pod["metadata"]["annotations"] = {{key, "TPU203=x"}};
    const Answer answer = Ask(pod);
    EXPECT_EQ(answer.findings(), "TPU203=deny");
    EXPECT_EQ(answer.warnings(),
              std::vector<std::string>{kPrefix + "is not \"" + key + "\", which is nobody's"});
  }
}

TEST(Exemptions, ChildIsNotWarnedAbout) {
  json pod = With(kWrongPod, kOfObject, "TPU203; TPU999=x");
  pod["metadata"]["ownerReferences"] = json::array(
      {{{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"name", "j"}, {"controller", true}}});
  const Answer answer = Ask(pod);
  EXPECT_EQ(answer.findings(), "TPU203=audit");
  EXPECT_TRUE(answer.warnings().empty());
}

TEST(Exemptions, WarningAloneMakesTheOutcomeWarned) {
  const Answer answer = Ask(With(TpuPod(), kOfObject, "TPU203"));
  EXPECT_TRUE(answer.allowed());
  EXPECT_EQ(answer.record.outcome, Outcome::kWarned);
}

}  // namespace
}  // namespace tpu_admission::admission::exemption_test
