// Profiles: what the built-in ones do, what their file may say, and who beats whom.
#include "tpu_admission/admission/profile.h"

#include <gtest/gtest.h>

#include <array>

#include "support/asker.h"
#include "support/case_name.h"

namespace tpu_admission::admission::profile_test {
namespace {

using nlohmann::json;
using rules::Mode;

const std::string kTopology = "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology";

rules::Finding FindingOf(std::string_view rule) {
  rules::Finding finding;
  finding.rule = rules::FindRule(rule);
  return finding;
}

Profile Load(const std::string& text) { return LoadProfiles("p:\n" + text, "f").value().at(0); }

// A workload of any kind, its one pod set with one accelerator.
class Sketch {
 public:
  Sketch(std::string_view kind, std::string_view accelerator) {
    kind_.name = kind;
    choice_.labels[0] = {.state = workload::Selected::State::kFixed, .value = accelerator};
    pods_.nodes.choices = {&choice_, 1};
    workload_.kind = &kind_;
    workload_.pod_sets = {&pods_, 1};
  }
  Sketch(const Sketch&) = delete;
  Sketch& operator=(const Sketch&) = delete;
  const workload::Workload& workload() const { return workload_; }
  rules::Finding Find(std::string_view rule) const {
    rules::Finding finding = FindingOf(rule);
    finding.pods = &pods_;
    return finding;
  }

 private:
  workload::Kind kind_;
  workload::NodeChoice choice_;
  workload::PodSet pods_;
  workload::Workload workload_;
};

struct Special {
  std::string name;
  std::string kind;
  std::string accelerator;
  Mode mode;  // of TPU401
};

class Cases : public testing::TestWithParam<Special> {};

TEST_P(Cases, LastThatMatchesWins) {
  const Profile profile = Load(R"(
  for: tests
  rules: {TPU401: audit}
  where:
  - {kind: "Ray*", rules: {TPU401: warn, TPU301: warn}}
  - {kind: RayJob, accelerator: tpu-v5*, rules: {hosts: off}}
  - {accelerator: tpu-v4-podslice, rules: {TPU301: deny}}
  - {count: 0, rules: {TPU401: deny}}
)");
  const Sketch sketch(GetParam().kind, GetParam().accelerator);
  EXPECT_EQ(profile.ModeOf(sketch.Find("TPU401"), sketch.workload()), GetParam().mode);
}

INSTANTIATE_TEST_SUITE_P(
    Profiles, Cases,
    testing::Values(Special{"NoCase", "Job", "tpu-v6e-slice", Mode::kAudit},
                    Special{"Kind", "RayCluster", "tpu-v5p-slice", Mode::kWarn},
                    Special{"KindAndAccelerator", "RayJob", "tpu-v5p-slice", Mode::kOff},
                    Special{"OtherAccelerator", "RayJob", "tpu-v6e-slice", Mode::kWarn},
                    Special{"CaseOfAnotherRule", "Job", "tpu-v4-podslice", Mode::kAudit}),
    CaseName());

struct Refusal {
  std::string name;
  std::string text;
  std::string error;
};

class ProfileRefusals : public testing::TestWithParam<Refusal> {};

TEST_P(ProfileRefusals, NameFileLineAndKey) {
  const auto profiles = LoadProfiles(GetParam().text, "f");
  ASSERT_FALSE(profiles.ok());
  EXPECT_EQ(profiles.error().message, GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Profiles, ProfileRefusals,
    testing::Values(
        Refusal{"NoPurpose", "p:\n  rules: {}\n", "f:2:3: p.for: missing, wanted a string"},
        Refusal{"UnknownKey", "p:\n  for: x\n  rule: {}\n",
                "f:3:3: p.rule: unknown key, did you mean \"rules\"?"},
        Refusal{"UnknownRule", "p:\n  for: x\n  rules: {TPU9: warn}\n",
                "f:3:17: p.rules.TPU9: there is no rule \"TPU9\"; `tpu-admission explain` lists "
                "all"},
        Refusal{"UnknownMode", "p:\n  for: x\n  rules: {TPU401: no}\n",
                "f:3:19: p.rules.TPU401: found false, wanted off, audit, warn or deny"},
        Refusal{"ClusterMode", "p:\n  for: x\n  cluster-mode: gke\n",
                "f:3:17: p.cluster-mode: found \"gke\", wanted standard or autopilot"},
        Refusal{"CaseForEverything", "p:\n  for: x\n  where:\n  - rules: {TPU401: warn}\n",
                "f:4:5: p.where[0]: says nothing of kind, pods or node selection, so it would hold "
                "for every finding"}),
    CaseName());

TEST(Profiles, StandardComesFirstAndChangesNothing) {
  const std::vector<Profile>& profiles = BuiltInProfiles();
  EXPECT_EQ(profiles.front().name, "standard");
  EXPECT_FALSE(profiles.front().platform.has_value());
  const Sketch sketch("RayCluster", "tpu-v5-lite-device");
  for (const rules::Rule* rule : rules::AllRules()) {
    EXPECT_EQ(profiles.front().ModeOf(sketch.Find(rule->id), sketch.workload()), rule->mode);
  }
}

struct Choice {
  std::string name;
  std::string profile;  // the flag
  std::string policy;
  std::string findings;  // of a template without a topology, which warns
};

class Precedence : public testing::TestWithParam<Choice> {};

TEST_P(Precedence, NamespaceBeatsPolicyBeatsProfileBeatsRule) {
  Asker asker(
      {.policy = GetParam().policy, .docs_url = "", .cluster = {}, .profile = GetParam().profile});
  json deployment = {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}};
  deployment["metadata"]["name"] = "serve";
  deployment["spec"]["template"]["spec"] = Without(TpuPod(), kTopology)["spec"];
  const Answer answer = asker.Validate(Review(deployment).Namespace("prod"));
  EXPECT_EQ(answer.findings(), GetParam().findings);
}

INSTANTIATE_TEST_SUITE_P(
    Profiles, Precedence,
    testing::Values(
        Choice{"None", "", "", "TPU103=warn"}, Choice{"Flag", "strict", "", "TPU103=deny"},
        Choice{"Standard", "standard", "profile: strict", "TPU103=warn"},
        Choice{"File", "", "profile: strict", "TPU103=deny"},
        Choice{"FlagBeatsFile", "strict", "profile: kuberay-compat", "TPU103=deny"},
        Choice{"RuleBeatsProfile", "", "profile: strict\nrules: {TPU103: audit}", "TPU103=audit"},
        Choice{"RuleBeatsFlag", "strict", "rules: {TPU103: audit}", "TPU103=audit"},
        Choice{"DefaultCapsProfile", "strict", "default: audit", "TPU103=audit"},
        Choice{"NamespaceBeatsBoth", "strict",
               "rules: {TPU103: audit}\nnamespaces: [{match: p*, rules: {TPU103: warn}}]",
               "TPU103=warn"}),
    CaseName());

TEST(Profiles, UnknownNameIsAnError) {
  EXPECT_EQ(Policy::Load("", "p", "lax").error().message, "there is no profile \"lax\"");
  EXPECT_EQ(Policy::Load("profile: lax", "p").error().message,
            "p:1:10: profile: found \"lax\", wanted standard, autopilot, strict or kuberay-compat");
}

TEST(Profiles, StrictDeniesFaultsAndOnlyWarnsOfWhatMayBeMeant) {
  Asker asker({.policy = "", .docs_url = "", .cluster = {}, .profile = "strict"});
  json job = With(TpuJob(), "/spec/completions", 8);
  EXPECT_EQ(asker.Validate(Review(job)).findings(), "TPU404=deny");
  job = With(With(TpuJob(), "/spec/parallelism", 8), "/spec/completions", 8);
  EXPECT_EQ(asker.Validate(Review(job)).findings(), "TPU402=warn");
  const json unknown =
      With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-accelerator", "tpu-v9-slice");
  EXPECT_EQ(asker.Validate(Review(unknown)).findings(), "TPU101=warn");
}

TEST(Profiles, AutopilotBringsTheClusterModeAndNothingElse) {
  const std::vector<Profile>& profiles = BuiltInProfiles();
  for (const Profile& profile : profiles) {
    EXPECT_EQ(profile.platform == rules::Platform::kAutopilot, profile.name == "autopilot")
        << profile.name;
  }
}

}  // namespace
}  // namespace tpu_admission::admission::profile_test
