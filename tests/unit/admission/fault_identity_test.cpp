// When two faults are the same: rule, pod set by name or path, and part. What ratcheting excuses,
// what all alternatives of a node selection have, and how many findings are told.
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"

namespace tpu_admission::admission::fault_identity_test {
namespace {

using nlohmann::json;

const std::string kAccelerator = "cloud.google.com/gke-tpu-accelerator";
const std::string kTopology = "cloud.google.com/gke-tpu-topology";
const std::string kSkip = "/metadata/annotations/cloud.google.com~1skip-tpu-webhook-check";

// A worker group on one host of v6e 2x2, with `chips` in its container.
json Group(const std::string& name, int chips) {
  return {{"groupName", name},
          {"replicas", 1},
          {"numOfHosts", 1},
          {"template",
           {{"spec", With(TpuPod()["spec"], "/containers/0", TpuContainer("ray", chips))}}}};
}

json Cluster(const std::vector<json>& groups) {
  return {{"apiVersion", "ray.io/v1"},
          {"kind", "RayCluster"},
          {"metadata", {{"name", "ray"}}},
          {"spec", {{"workerGroupSpecs", groups}}}};
}

struct Update {
  std::string name;
  json before;
  json after;
  bool allowed;
};

class PodSets : public testing::TestWithParam<Update> {};

TEST_P(PodSets, AreTheSameByName) {
  Asker asker;
  const Answer answer = asker.Validate(Review(GetParam().after).Update(GetParam().before));
  EXPECT_EQ(answer.allowed(), GetParam().allowed) << answer.findings();
}

const json kSound = Group("sound", 4);
const json kFaulty = Group("faulty", 3);

json Nameless(json cluster) {
  for (json& group : cluster["spec"]["workerGroupSpecs"]) group.erase("groupName");
  return cluster;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PodSets,
    testing::Values(
        Update{"SoundOneBeforeAnOldFault", Cluster({kFaulty}), Cluster({kSound, kFaulty}), true},
        Update{"NewFaultInTheOldPlace", Cluster({kFaulty, kSound}),
               Cluster({Group("new", 8), kSound}), false},
        Update{"NewFaultBeforeTheOld", Cluster({kFaulty}), Cluster({Group("new", 3), kFaulty}),
               false},
        Update{"OtherOrder", Cluster({kSound, kFaulty}), Cluster({kFaulty, kSound}), true},
        Update{"WithoutNamesByPath", Nameless(Cluster({kSound, kFaulty})),
               Nameless(Cluster({Group("", 8), kFaulty})), false},
        Update{"WithoutNamesTheSamePath", Nameless(Cluster({kFaulty, kSound})),
               Nameless(Cluster({Group("", 8), kSound})), true}),
    CaseName());

// One replica set of a Kubeflow kind is known by its key.
TEST(PodSets, OfAMapAreTheSameByKey) {
  const json replica = {{"replicas", 1}, {"template", kFaulty["template"]}};
  const auto job = [](const json& sets) {
    return json{{"apiVersion", "kubeflow.org/v1"},
                {"kind", "JAXJob"},
                {"metadata", {{"name", "j"}}},
                {"spec", {{"jaxReplicaSpecs", sets}}}};
  };
  const json other = {{"replicas", 1}, {"template", Group("", 8)["template"]}};
  Asker asker;
  const json before = job({{"Worker", replica}});
  EXPECT_FALSE(asker.Validate(Review(before)).allowed());
  EXPECT_TRUE(asker
                  .Validate(Review(job({{"Launcher",
                                         json{{"replicas", 1}, {"template", kSound["template"]}}},
                                        {"Worker", replica}}))
                                .Update(before))
                  .allowed());
  EXPECT_FALSE(asker.Validate(Review(job({{"Evaluator", other}})).Update(before)).allowed());
}

// The pods ask for what they asked for before.
TEST(Containers, OfANewNameAreTheSame) {
  const auto job = [](const std::vector<json>& containers) {
    return With(TpuJob(), "/spec/template/spec/containers", json(containers));
  };
  const json before = job({TpuContainer("jax", 2)});
  Asker asker;
  EXPECT_TRUE(asker.Validate(Review(job({TpuContainer("train", 2)})).Update(before)).allowed());
  EXPECT_FALSE(asker
                   .Validate(Review(job({TpuContainer("train", 2), TpuContainer("jax", 2)}))
                                 .Update(job({TpuContainer("jax", 4)})))
                   .allowed())
      << "the one that is new has a fault of its own";
  EXPECT_FALSE(
      asker.Validate(Review(job({TpuContainer("train", 2)})).Update(job({TpuContainer("jax", 4)})))
          .allowed())
      << "the fault is new";
}

// Amounts of the whole pod, and chips of its containers together, are a fault of the pod, whichever
// container is named.
TEST(Containers, ShareWhatThePodHasWrong) {
  const auto with_cpu = [](const std::vector<std::string>& amounts) {
    std::vector<json> containers;
    for (const std::string& cpu : amounts) {
      containers.push_back(
          TpuContainer("c" + std::to_string(containers.size()), containers.empty() ? 4 : 0));
      containers.back()["resources"]["requests"]["cpu"] = cpu;
      containers.back()["resources"]["requests"]["memory"] = "1Gi";
    }
    return With(TpuJob(), "/spec/template/spec/containers", json(containers));
  };
  Asker asker;
  const json before = with_cpu({"100", "99"});
  EXPECT_EQ(asker.Validate(Review(before)).findings().substr(0, 11), "TPU602=deny");
  EXPECT_TRUE(asker.Validate(Review(with_cpu({"89", "95"})).Update(before)).allowed());
  EXPECT_TRUE(asker.Validate(Review(with_cpu({"95", "9", "101"})).Update(before)).allowed());
  EXPECT_FALSE(asker.Validate(Review(before).Update(with_cpu({"50", "50"}))).allowed());

  const auto with_chips = [](const std::vector<std::pair<std::string, int>>& chips) {
    std::vector<json> containers;
    for (const auto& [name, count] : chips) containers.push_back(TpuContainer(name, count));
    return With(TpuJob(), "/spec/template/spec/containers", json(containers));
  };
  const json both = with_chips({{"a", 4}, {"b", 4}});
  EXPECT_TRUE(
      asker.Validate(Review(with_chips({{"b", 4}, {"side", 0}, {"a", 4}})).Update(both)).allowed());
}

// Of replicas that are counted together one has the fault of all.
TEST(Replicas, ShareTheFaultOfTheirNumber) {
  const auto job = [](const json& sets) {
    return json{{"apiVersion", "kubeflow.org/v1"},
                {"kind", "PyTorchJob"},
                {"metadata", {{"name", "j"}}},
                {"spec", {{"pytorchReplicaSpecs", sets}}}};
  };
  json spec = TpuPod()["spec"];
  spec["nodeSelector"][kTopology] = "4x4";
  const auto replicas = [&](int count) {
    return json{{"replicas", count}, {"template", {{"spec", spec}}}};
  };
  Asker asker;
  const json before = job({{"Worker", replicas(2)}});
  EXPECT_FALSE(asker.Validate(Review(before)).allowed());
  const json after = job({{"Master", replicas(1)}, {"Worker", replicas(2)}});
  EXPECT_TRUE(asker.Validate(Review(after).Update(before)).allowed());
  EXPECT_FALSE(asker.Validate(Review(after).Update(job({{"Worker", replicas(4)}}))).allowed());
}

// A release by Kueue: unsuspended, with node selectors.
json Released(json job) {
  job["spec"]["suspend"] = false;
  return With(std::move(job), "/spec/template/spec/nodeSelector/cloud.google.com~1gke-nodepool",
              "pool");
}

TEST(Release, WarnsAtMost) {
  const std::string selector = "/spec/template/spec/nodeSelector";
  const json bare = With(Without(TpuJob(), selector), "/spec/suspend", true);
  const json wrong =
      With(Released(bare), selector, {{kAccelerator, "tpu-v6e-slice"}, {kTopology, "3x3"}});
  Asker asker;
  EXPECT_FALSE(asker.Validate(Review(wrong)).allowed());
  const Answer answer = asker.Validate(Review(wrong).Update(bare));
  EXPECT_TRUE(answer.allowed());
  EXPECT_FALSE(answer.warnings().empty());
}

TEST(Release, WithOtherChipsIsJudgedAsNew) {
  const std::string container = "/spec/template/spec/containers/0";
  const json suspended = With(TpuJob(), "/spec/suspend", true);
  Asker asker;
  EXPECT_FALSE(asker
                   .Validate(Review(With(Released(suspended), container, TpuContainer("jax", 8)))
                                 .Update(suspended))
                   .allowed());
  EXPECT_FALSE(asker
                   .Validate(Review(With(Released(suspended), "/spec/template/spec/nodeSelector",
                                         {{kAccelerator, "tpu-v6e-slice"}, {kTopology, "3x3"}}))
                                 .Update(suspended))
                   .allowed())
      << "a selector that was there is another one";
}

TEST(Release, OfAGatedPodWarnsAtMost) {
  const json gated = With(With(TpuPod(), "/spec/schedulingGates", {{{"name", "kueue"}}}),
                          "/spec/nodeSelector", json::object());
  const json wrong =
      With(TpuPod(), "/spec/nodeSelector", {{kAccelerator, "tpu-v6e-slice"}, {kTopology, "3x3"}});
  Asker asker;
  EXPECT_FALSE(asker.Validate(Review(wrong)).allowed());
  EXPECT_TRUE(asker.Validate(Review(wrong).Update(gated)).allowed());
}

// A Pod of `chips` chips whose required affinity has these terms: accelerators, topologies.
struct Term {
  std::vector<std::string> accelerators;
  std::vector<std::string> topologies;
  std::string op = "In";
};
json PodWith(const std::vector<Term>& terms, int chips) {
  json pod = With(TpuPod(), "/spec/nodeSelector", json::object());
  pod["spec"]["containers"][0] = TpuContainer("jax", chips);
  json& list = pod["spec"]["affinity"]["nodeAffinity"]
                  ["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
  for (const Term& term : terms) {
    list.push_back({{"matchExpressions",
                     {{{"key", kAccelerator}, {"operator", term.op}, {"values", term.accelerators}},
                      {{"key", kTopology}, {"operator", "In"}, {"values", term.topologies}}}}});
  }
  return pod;
}

struct Choice {
  std::string name;
  std::vector<Term> terms;
  int chips;
  std::string denials;  // in order
};

std::string Denials(const Answer& answer) {
  std::string ids;
  for (const JudgedFinding& judged : answer.record.findings) {
    if (Denies(judged)) ids.append(ids.empty() ? "" : " ").append(judged.finding.rule->id);
  }
  return ids;
}

class Alternatives : public testing::TestWithParam<Choice> {};

TEST_P(Alternatives, DenyOnlyIfNoneIsLeft) {
  Asker asker;
  const Answer answer = asker.Validate(Review(PodWith(GetParam().terms, GetParam().chips)));
  EXPECT_EQ(Denials(answer), GetParam().denials) << answer.findings();
}

const Term kSmall{{"tpu-v6e-slice"}, {"2x2"}};
const Term kNone{{"tpu-v6e-slice"}, {"3x3"}};

INSTANTIATE_TEST_SUITE_P(
    Cases, Alternatives,
    testing::Values(Choice{"EachForAnotherRule", {kSmall, kNone}, 8, "TPU301"},
                    Choice{"TheOrderDoesNotMatter", {kNone, kSmall}, 8, "TPU203"},
                    Choice{"TwoGenerations",
                           {{{"tpu-v5p-slice", "tpu-v5-lite-podslice"}, {"2x2"}}},
                           3,
                           "TPU301"},
                    Choice{"OneIsLeft", {kSmall, kNone}, 4, ""},
                    Choice{"OneMayBeLeft", {kNone, {{"tpu-v6e-slice"}, {"2x2"}, "NotIn"}}, 4, ""},
                    Choice{"OneIsOpaque", {kNone, {{}, {"2x2"}, "Exists"}}, 4, ""},
                    Choice{"OneOnlyWarns", {kNone, {{"tpu-v9-slice"}, {"2x2"}}}, 4, ""}),
    CaseName());

TEST(Alternatives, AnUpdateIsNotDeniedForWhatNoneHadBefore) {
  const json before = PodWith({kSmall, kNone}, 8);
  Asker asker;
  EXPECT_TRUE(asker.Validate(Review(With(before, "/spec/hostname", "a")).Update(before)).allowed());
  EXPECT_TRUE(asker.Validate(Review(PodWith({kNone}, 8)).Update(before)).allowed());
  EXPECT_FALSE(
      asker.Validate(Review(PodWith({kNone}, 4)).Update(PodWith({kSmall, kNone}, 4))).allowed())
      << "the alternative that was sound is gone";
}

TEST(Alternatives, ThePolicyLeavesOnePossible) {
  Asker asker({.policy = "rules: {TPU203: warn}", .docs_url = "", .cluster = {}});
  EXPECT_TRUE(asker.Validate(Review(PodWith({kSmall, kNone}, 8))).allowed());
}

TEST(Alternatives, AnExemptionLeavesOnePossible) {
  Asker asker({.policy = "ignore: true", .docs_url = "", .cluster = {}});
  const json excused = With(PodWith({kSmall, kNone}, 8),
                            "/metadata/annotations/tpu-admission.io~1ignore", "TPU203=new");
  EXPECT_TRUE(asker.Validate(Review(excused)).allowed());
}

TEST(Skip, QuietensWhatGkeItselfChecks) {
  Asker autopilot(
      {.policy = "",
       .docs_url = "",
       .cluster = {.region = "", .platform = rules::Platform::kAutopilot, .gke_version = ""}});
  const json bare = With(TpuPod(), "/spec/nodeSelector", json::object());
  EXPECT_FALSE(autopilot.Validate(Review(bare)).allowed());
  const Answer skipped = autopilot.Validate(Review(With(bare, kSkip, "true")));
  EXPECT_TRUE(skipped.allowed());
  EXPECT_EQ(skipped.response()["auditAnnotations"]["skipped"], "TPU102 TPU103");
}

TEST(Skip, QuietensNothingElse) {
  Asker asker;
  const json wrong =
      With(With(TpuPod(), "/spec/containers/0", TpuContainer("jax", 3)), kSkip, "true");
  EXPECT_FALSE(asker.Validate(Review(wrong)).allowed());
}

TEST(Skip, GivesWayToAModeOfThePolicy) {
  Asker asker({.policy = "rules: {TPU102: deny}", .docs_url = "", .cluster = {}});
  const json bare = With(TpuPod(), "/spec/nodeSelector", json::object());
  EXPECT_FALSE(asker.Validate(Review(With(bare, kSkip, "true"))).allowed());
}

TEST(Bound, ARuleTellsTwentyFindingsOfAPodSet) {
  json pod = TpuPod();
  pod["spec"]["containers"] = json::array();
  for (int i = 0; i < 60; ++i) {
    pod["spec"]["containers"].push_back(TpuContainer("c" + std::to_string(i), 3));
  }
  Asker asker;
  const Answer answer = asker.Validate(Review(pod));
  std::map<std::string_view, std::size_t> told;
  std::map<std::string_view, std::size_t> all;
  for (const JudgedFinding& judged : answer.record.findings) {
    ++told[judged.finding.rule->id];
    all[judged.finding.rule->id] += 1 + judged.more;
  }
  EXPECT_EQ(told["TPU301"], Decision::kMostOfARule);
  EXPECT_EQ(all["TPU301"], 60U);
  EXPECT_NE(answer.message().find("and 40 more like this"), std::string::npos) << answer.message();
}

TEST(Bound, OldFaultsBeyondItAreExcusedAndNewOnesAreNot) {
  json pods = TpuJob();
  pods["spec"]["template"]["spec"]["containers"] = json::array();
  for (int i = 0; i < 60; ++i) {
    pods["spec"]["template"]["spec"]["containers"].push_back(
        TpuContainer("c" + std::to_string(i), 3));
  }
  const json fewer = [&] {
    json job = pods;
    job["spec"]["template"]["spec"]["containers"].erase(5);
    return job;
  }();
  Asker asker;
  const Answer answer = asker.Validate(Review(fewer).Update(pods));
  EXPECT_TRUE(answer.allowed()) << answer.message();
  EXPECT_FALSE(asker.Validate(Review(pods).Update(fewer)).allowed());
}

// 100 groups of 5 containers at fault.
TEST(Bound, OneReviewHasShortTexts) {
  std::vector<json> groups;
  for (int i = 0; i < 100; ++i) {
    json group = Group("g" + std::to_string(i), 3);
    for (int j = 0; j < 4; ++j) {
      group["template"]["spec"]["containers"].push_back(
          TpuContainer(std::string(200, 'x') + std::to_string(j), 3));
    }
    groups.push_back(group);
  }
  Asker asker;
  const Answer answer = asker.Validate(Review(Cluster(groups)));
  ASSERT_FALSE(answer.allowed());
  EXPECT_LE(answer.record.findings.size(), Decision::kMostFindings);
  EXPECT_LT(answer.message().size(), 32U << 10);
  const json audit = answer.response()["auditAnnotations"];
  for (const auto& [key, value] : audit.items()) {
    EXPECT_LT(value.get<std::string>().size(), 4096U) << key;
  }
  EXPECT_NE(audit["findings"].get<std::string>().find(" more"), std::string::npos);
}

TEST(Bound, TooMuchWorkIsNotBegun) {
  std::vector<std::string> topologies;
  for (int i = 2; i < 32; ++i) topologies.push_back("2x" + std::to_string(i));
  std::vector<json> groups;
  for (int i = 0; i < 90; ++i) {
    json group = Group("g" + std::to_string(i), 3);
    group["template"]["spec"] = PodWith({{{"tpu-v6e-slice"}, topologies}}, 3)["spec"];
    for (int j = 0; j < 80; ++j) {
      group["template"]["spec"]["containers"].push_back(TpuContainer("c" + std::to_string(j), 3));
    }
    groups.push_back(group);
  }
  Asker asker;
  const Answer answer = asker.Validate(Review(Cluster(groups)));
  EXPECT_TRUE(answer.allowed());
  EXPECT_EQ(answer.record.outcome, Outcome::kNotChecked);
  ASSERT_EQ(answer.warnings().size(), 1U);
  EXPECT_EQ(answer.warnings().front().rfind("not checked for TPU faults: ", 0), 0U);
}

}  // namespace
}  // namespace tpu_admission::admission::fault_identity_test
