// Modes and fixes by rule and namespace, and the loader's refusals.
#include "tpu_admission/admission/policy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/asker.h"
#include "support/case_name.h"
#include "support/temp_dir.h"

namespace tpu_admission::admission::policy_test {
namespace {

using nlohmann::json;
using rules::Mode;

const rules::Rule& Hosts() { return *rules::FindRule("TPU401"); }

rules::Finding FindingOf(const rules::Rule& rule) {
  rules::Finding finding;
  finding.rule = &rule;
  return finding;
}

const workload::Workload kNothing = [] {
  workload::Workload workload;
  workload.kind = workload::FindKind("", "Pod");
  return workload;
}();

Mode ModeIn(std::string_view yaml, std::string_view namespace_name,
            const rules::Finding& finding = FindingOf(Hosts())) {
  return Policy::Load(yaml, "p").value().ModesOf(finding, kNothing, namespace_name).mode;
}

struct Case {
  std::string name;
  std::string yaml;
  std::string namespace_name;
  Mode mode;  // of TPU401
};

class Modes : public testing::TestWithParam<Case> {};

TEST_P(Modes, LastMatchingSectionWins) {
  EXPECT_EQ(ModeIn(GetParam().yaml, GetParam().namespace_name), GetParam().mode);
}

const std::string kSections = R"(
rules: {TPU401: warn}
namespaces:
- match: team-*
  rules: {TPU401: audit}
- match: team-a
  rules: {hosts: deny}
- match: "*-a"
  rules: {TPU301: "off"}
- match: "?[xy]"
  rules: {TPU401: "off"}
)";

INSTANTIATE_TEST_SUITE_P(
    Cases, Modes,
    testing::Values(Case{"Empty", "", "ns", Mode::kDeny},
                    Case{"OfTheRule", "rules: {TPU301: warn}", "ns", Mode::kDeny},
                    Case{"ById", "rules: {TPU401: audit}", "ns", Mode::kAudit},
                    Case{"ByName", "rules: {hosts: warn}", "ns", Mode::kWarn},
                    Case{"Default", kSections, "other", Mode::kWarn},
                    Case{"NoNamespace", kSections, "", Mode::kWarn},
                    Case{"Glob", kSections, "team-b", Mode::kAudit},
                    Case{"LastOfTwo", kSections, "team-a", Mode::kDeny},
                    Case{"SectionWithoutAnOpinion", kSections, "x-a", Mode::kWarn},
                    Case{"WholeNameOnly", kSections, "my-team-b", Mode::kWarn},
                    Case{"OneOf", kSections, "ax", Mode::kOff},
                    Case{"NotOneOf", kSections, "az", Mode::kWarn},
                    // YAML 1.1 reads a bare off as false; whoever writes it means the mode.
                    Case{"BareOff", "rules: {TPU401: off}", "ns", Mode::kOff},
                    Case{"CaseCounts", kSections, "TEAM-a", Mode::kWarn}),
    CaseName());

const std::string kRollout = R"(
default: audit
rules: {TPU301: deny, TPU402: warn}
namespaces:
- match: team-*
  default: warn
- match: team-a
  default: deny
  rules: {TPU501: "off"}
- match: off
  default: "off"
)";

struct CapCase {
  std::string name;
  std::string rule;
  std::string namespace_name;
  Mode mode;
};

class DefaultMode : public testing::TestWithParam<CapCase> {};

TEST_P(DefaultMode, IsTheMostThatUnnamedRulesDo) {
  const CapCase& c = GetParam();
  EXPECT_EQ(ModeIn(kRollout, c.namespace_name, FindingOf(*rules::FindRule(c.rule))), c.mode);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, DefaultMode,
    testing::Values(CapCase{"Unnamed", "TPU401", "other", Mode::kAudit},
                    CapCase{"NamedBesideIt", "TPU301", "other", Mode::kDeny},
                    CapCase{"MakesNothingHarder", "TPU305", "team-a", Mode::kAudit},
                    CapCase{"LaterSectionLifts", "TPU401", "team-b", Mode::kWarn},
                    CapCase{"LastSectionLiftsMore", "TPU401", "team-a", Mode::kDeny},
                    CapCase{"LaterSectionBoundsWhatWasNamedBefore", "TPU301", "team-b",
                            Mode::kWarn},
                    CapCase{"NamedBeforeAndMilder", "TPU402", "team-a", Mode::kWarn},
                    CapCase{"NamedInTheLastSection", "TPU501", "team-a", Mode::kOff},
                    CapCase{"WholeNamespaceOff", "TPU301", "off", Mode::kOff}),
    CaseName());

TEST(Policy, DefaultBoundsMilderFindingsFromAbove) {
  rules::Finding doubtful = FindingOf(Hosts());
  doubtful.milder = Mode::kWarn;
  EXPECT_EQ(ModeIn("default: deny", "ns", doubtful), Mode::kWarn);
  EXPECT_EQ(ModeIn("default: audit", "ns", doubtful), Mode::kAudit);
}

TEST(Policy, AModeThatIsSetHoldsForMilderFindingsToo) {
  rules::Finding doubtful = FindingOf(Hosts());
  doubtful.milder = Mode::kWarn;
  EXPECT_EQ(ModeIn("", "ns", doubtful), Mode::kWarn);
  EXPECT_EQ(ModeIn("rules: {TPU401: deny}", "ns", doubtful), Mode::kDeny);
}

struct FixCase {
  std::string name;
  std::string yaml;
  std::string namespace_name;
  bool fixes;
  std::string rule = "TPU601";
  rules::Platform platform = rules::Platform::kStandard;
};

class Fixes : public testing::TestWithParam<FixCase> {};

TEST_P(Fixes, AreMadeWhereThePolicySays) {
  const Policy policy = Policy::Load(GetParam().yaml, "p").value();
  const auto rules = policy.FixingRules(GetParam().platform, GetParam().namespace_name);
  const rules::Rule* rule = rules::FindRule(GetParam().rule);
  EXPECT_EQ(std::count(rules.begin(), rules.end(), rule), GetParam().fixes ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Fixes,
    testing::Values(
        FixCase{"Default", "", "ns", true}, FixCase{"Off", "fixes: {TPU601: false}", "ns", false},
        FixCase{"OffForOne", "namespaces: [{match: batch, fixes: {TPU601: false}}]", "batch",
                false},
        FixCase{"OnForOthers", "namespaces: [{match: batch, fixes: {TPU601: false}}]", "ns", true},
        FixCase{"BackOn",
                "fixes: {TPU601: false}\nnamespaces: [{match: b*, fixes: {TPU601: true}}]", "batch",
                true},
        FixCase{"RuleOff", "rules: {TPU601: \"off\"}", "ns", false},
        FixCase{"DefaultOff", "default: \"off\"", "ns", false},
        FixCase{"DefaultAudit", "default: audit", "ns", true},
        FixCase{"RuleAudit", "rules: {TPU601: audit}", "ns", true},
        FixCase{"RuleWithoutFix", "", "ns", false, "TPU301"},
        // GKE's own webhook serves Jobs.
        FixCase{"JobsOnGke", "", "ns", false, "TPU802"},
        FixCase{"JobsOnAutopilot", "", "ns", false, "TPU802", rules::Platform::kAutopilot},
        FixCase{"JobsElsewhere", "", "ns", true, "TPU802", rules::Platform::kSelfManaged},
        FixCase{"JobsOnGkeIfAsked", "fixes: {TPU802: true}", "ns", true, "TPU802"},
        FixCase{"JobsOnGkeForSome", "namespaces: [{match: ml, fixes: {TPU802: true}}]", "ml", true,
                "TPU802"},
        FixCase{"JobsOnGkeForSomeOnly", "namespaces: [{match: ml, fixes: {TPU802: true}}]", "ns",
                false, "TPU802"},
        FixCase{"RayAffinityIsAnOption", "", "ns", false, "TPU806"},
        FixCase{"RayAffinityIfAsked", "fixes: {TPU806: true}", "ns", true, "TPU806"},
        FixCase{"RayLocalhostIsAnOption", "", "ns", false, "TPU807"}),
    CaseName());

struct Refusal {
  std::string name;
  std::string yaml;
  std::string error;
};

class Refusals : public testing::TestWithParam<Refusal> {};

TEST_P(Refusals, NameFileLineAndColumn) {
  const Result<Policy> policy = Policy::Load(GetParam().yaml, "policy.yaml");
  ASSERT_FALSE(policy.ok());
  EXPECT_EQ(policy.error().message, GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Refusals,
    testing::Values(
        Refusal{"UnknownKey", "rules: {}\nrule: {}\n",
                "policy.yaml:2:1: rule: unknown key, did you mean \"rules\"?"},
        Refusal{"UnknownRule", "rules:\n  TPU999: warn\n",
                "policy.yaml:2:11: rules.TPU999: there is no rule \"TPU999\"; `tpu-admission "
                "explain` lists all"},
        Refusal{
            "MisspeltRule", "rules:\n  chip-per-host: warn\n",
            "policy.yaml:2:18: rules.chip-per-host: there is no rule \"chip-per-host\", did you "
            "mean chips-per-host? `tpu-admission explain` lists all"},
        Refusal{"RuleInLowerCase", "fixes:\n  tpu601: false\n",
                "policy.yaml:2:11: fixes.tpu601: there is no rule \"tpu601\", did you mean TPU601? "
                "`tpu-admission explain` lists all"},
        Refusal{"OpenBracket", "namespaces:\n- match: \"a[bc]d[\"\n",
                "policy.yaml:2:10: namespaces[0].match: found \"a[bc]d[\", which has a [ without "
                "its ]"},
        Refusal{"Several", "rule: {}\nchildren: sometimes\n",
                "policy.yaml:1:1: rule: unknown key, did you mean \"rules\"?\n"
                "policy.yaml:2:11: children: found \"sometimes\", wanted audit or deny"},
        Refusal{
            "UnknownMode", "rules:\n  TPU401: refuse\n",
            "policy.yaml:2:11: rules.TPU401: found \"refuse\", wanted off, audit, warn or deny"},
        Refusal{"ModeIsABool", "rules:\n  TPU401: true\n",
                "policy.yaml:2:11: rules.TPU401: found true, wanted off, audit, warn or deny"},
        Refusal{"RuleByIdAndName", "rules:\n  TPU301: deny\n  chips-per-host: warn\n",
                "policy.yaml:3:19: rules.chips-per-host: duplicate rule TPU301, chips-per-host "
                "(first on line 2, again on line 3)"},
        Refusal{"FixByNameAndId",
                "namespaces:\n- match: a\n  fixes: {requests-missing: true,\n    TPU601: false}\n",
                "policy.yaml:4:13: namespaces[0].fixes.TPU601: duplicate rule TPU601, "
                "requests-missing (first on line 3, again on line 4)"},
        Refusal{"FixIsNoBool", "fixes:\n  TPU601: please\n",
                "policy.yaml:2:11: fixes.TPU601: found \"please\", wanted true or false"},
        Refusal{"RuleWithoutFix", "fixes:\n  TPU301: false\n",
                "policy.yaml:2:11: fixes.TPU301: this rule has no fix"},
        Refusal{"UnknownFix", "fixes:\n  TPU9: true\n",
                "policy.yaml:2:9: fixes.TPU9: there is no rule \"TPU9\"; `tpu-admission explain` "
                "lists all"},
        Refusal{"NoMatch", "namespaces:\n- rules: {TPU401: warn}\n",
                "policy.yaml:2:3: namespaces[0].match: missing, wanted a string"},
        Refusal{"UnknownKeyInSection", "namespaces:\n- match: a\n  mode: {TPU401: warn}\n",
                "policy.yaml:3:3: namespaces[0].mode: unknown key"},
        Refusal{"Children", "children: warn\n",
                "policy.yaml:1:11: children: found \"warn\", wanted audit or deny"},
        Refusal{"Default", "default: perhaps\n",
                "policy.yaml:1:10: default: found \"perhaps\", wanted off, audit, warn or deny"},
        Refusal{"Ignore", "ignore: sometimes\n",
                "policy.yaml:1:9: ignore: found \"sometimes\", wanted true or false"},
        Refusal{"IgnoreUnknownRule", "namespaces:\n- match: a\n  ignore: [TPU501, TPU7]\n",
                "policy.yaml:3:20: namespaces[0].ignore[1]: there is no rule \"TPU7\"; "
                "`tpu-admission explain` lists all"},
        Refusal{"ProfileInSection", "namespaces:\n- match: a\n  profile: strict\n",
                "policy.yaml:3:3: namespaces[0].profile: unknown key"},
        Refusal{"DuplicateKey", "children: deny\nchildren: audit\n",
                "policy.yaml:2:1: duplicate key \"children\" (first on line 1, again on line 2)"},
        Refusal{"RulesIsAList", "rules: [TPU401]\n",
                "policy.yaml:1:8: rules: found a list, wanted a mapping"},
        Refusal{"NotAMap", "- a\n", "policy.yaml:1:1: found a list, wanted a mapping"},
        Refusal{"Tab", "rules:\n\tTPU401: warn\n",
                "policy.yaml:2:1: a tab stands here, and YAML takes none as indentation; indent by "
                "blanks"},
        Refusal{"TwoDocuments", "rules: {}\n---\nrules: {}\n",
                "policy.yaml:3:1: found a second YAML document, one is wanted"}),
    CaseName());

TEST(Policy, ShippedFileEqualsTheDefaults) {
  const std::string text = support::ReadText(TPU_ADMISSION_SOURCE_DIR "/config/policy.yaml");
  ASSERT_FALSE(text.empty());
  const Result<Policy> policy = Policy::Load(text, "policy.yaml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  for (const rules::Rule* rule : rules::AllRules()) {
    const PolicyModes as_it_stands{rule->mode, rule->mode};
    EXPECT_EQ(policy->ModesOf(FindingOf(*rule), kNothing, "ns"), as_it_stands) << rule->id;
    EXPECT_FALSE(policy->MayBeIgnored(*rule, "ns")) << rule->id;
  }
  const Policy none = Policy::Load("", "none").value();
  for (const auto platform : {rules::Platform::kStandard, rules::Platform::kSelfManaged}) {
    EXPECT_EQ(policy->FixingRules(platform, "ns"), none.FixingRules(platform, "ns"));
  }
  EXPECT_EQ(policy->profile().name, "standard");
  EXPECT_FALSE(policy->children_may_be_denied());
}

// The whole way: the namespace of the request counts, not the one that the object claims.
TEST(Policy, NamespaceOfTheRequestCounts) {
  Asker asker({.policy = "namespaces: [{match: lab, rules: {TPU203: warn}}]",
               .docs_url = "",
               .cluster = {}});
  json pod = With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");
  pod["metadata"]["namespace"] = "lab";
  EXPECT_FALSE(asker.Validate(Review(pod).Namespace("prod")).allowed());
  pod["metadata"]["namespace"] = "prod";
  const Answer answer = asker.Validate(Review(pod).Namespace("lab"));
  EXPECT_TRUE(answer.allowed());
  EXPECT_EQ(answer.warnings().size(), 1U);
}

TEST(Policy, AuditAndOffSayNothingToTheUser) {
  const json pod = With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");
  Asker audit({.policy = "rules: {TPU203: audit}", .docs_url = "", .cluster = {}});
  const Answer recorded = audit.Validate(Review(pod));
  EXPECT_TRUE(recorded.allowed());
  EXPECT_TRUE(recorded.warnings().empty());
  EXPECT_EQ(recorded.response()["auditAnnotations"]["findings"], "TPU203=audit");
  Asker off({.policy = "rules: {TPU203: \"off\"}", .docs_url = "", .cluster = {}});
  EXPECT_FALSE(off.Validate(Review(pod)).response().contains("auditAnnotations"));
}

TEST(Policy, FixThatIsOffInANamespaceIsNotMadeThere) {
  Asker asker({.policy = "namespaces: [{match: batch, fixes: {TPU601: false, TPU104: false}}]",
               .docs_url = "",
               .cluster = {}});
  json pod = Without(TpuPod(), "/spec/tolerations");
  EXPECT_TRUE(asker.Mutate(Review(pod).Namespace("batch")).patch().is_null());
  EXPECT_FALSE(asker.Mutate(Review(pod).Namespace("other")).patch().is_null());
}

}  // namespace
}  // namespace tpu_admission::admission::policy_test
