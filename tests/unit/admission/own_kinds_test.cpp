// A workload kind that a user adds in the policy, from the file to the denial.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"

namespace tpu_admission::admission::own_kinds_test {
namespace {

using nlohmann::json;

constexpr std::string_view kExperiment = R"(kinds:
- group: training.example.com
  versions: [v1, v1beta1]
  kind: Experiment
  resource: experiments
  podSets:
  - {path: "spec/trials[]/template", counts: "spec/trials[]", count: hosts, counting: per-slice}
)";

// Two trials on a slice of four hosts, of which the second has `hosts`.
json Experiment(int hosts) {
  const auto trial = [](int count) {
    return json{{"hosts", count}, {"template", {{"spec", TpuJob()["spec"]["template"]["spec"]}}}};
  };
  return {{"apiVersion", "training.example.com/v1beta1"},
          {"kind", "Experiment"},
          {"metadata", {{"name", "sweep"}}},
          {"spec", {{"trials", json::array({trial(4), trial(hosts)})}}}};
}

TEST(OwnKinds, AreJudgedByTheirRow) {
  Asker asker({std::string(kExperiment), "", {}});
  EXPECT_TRUE(asker.Validate(Review(Experiment(4))).allowed());
  const Answer answer = asker.Validate(Review(Experiment(2)));
  EXPECT_FALSE(answer.allowed());
  EXPECT_THAT(answer.message(), testing::HasSubstr("TPU401 hosts   spec.trials[1].hosts"));
}

// What a row leaves open is no fault: another count's default, or fields of a StatefulSet or a Job.
TEST(OwnKinds, AreToldOfNoFieldsThatTheyDoNotHave) {
  const std::string policy(kExperiment);
  for (const std::string counting : {"per-slice", "replicas", "job"}) {
    std::string row = policy;
    row.replace(row.find("per-slice"), 9, counting);
    Asker asker({row, "", {}});
    json open = Experiment(4);
    open["spec"]["trials"][1].erase("hosts");
    for (const json& object : {Experiment(4), open}) {
      json bare = object;
      for (json& trial : bare["spec"]["trials"]) trial["template"]["spec"].erase("subdomain");
      const Answer answer = asker.Validate(Review(bare));
      EXPECT_TRUE(answer.allowed()) << counting << answer.message();
      EXPECT_EQ(answer.findings(), "") << counting;
    }
  }
}

// Their repairs write the count of the row, and nothing beside it.
TEST(OwnKinds, AreRepairedByTheirRow) {
  for (const std::string counting : {"per-slice", "job"}) {
    std::string row(kExperiment);
    row.replace(row.find("per-slice"), 9, counting);
    const std::string message = Asker({row, "", {}}).Validate(Review(Experiment(2))).message();
    EXPECT_THAT(message, testing::HasSubstr("hosts: 4")) << counting;
    EXPECT_THAT(message, testing::Not(testing::HasSubstr("completion"))) << counting;
  }
}

TEST(OwnKinds, AreUnknownWithoutTheirRow) {
  EXPECT_TRUE(Asker().Validate(Review(Experiment(2))).allowed());
}

struct Refused {
  std::string name;
  std::string yaml;
  std::string error;
};

class OwnKindRefusals : public testing::TestWithParam<Refused> {};

TEST_P(OwnKindRefusals, NameTheRow) {
  const Result<Policy> policy = Policy::Load(GetParam().yaml, "p");
  ASSERT_FALSE(policy.ok());
  EXPECT_THAT(policy.error().message, testing::HasSubstr(GetParam().error));
}

std::string Row(const std::string& kind, const std::string& pod_set) {
  return "kinds:\n- {group: a.io, versions: [v1], kind: " + kind +
         ", resource: things, podSets: [" + pod_set + "]}\n";
}

INSTANTIATE_TEST_SUITE_P(
    Cases, OwnKindRefusals,
    testing::Values(
        Refused{"UnknownKey", Row("A", "{path: x, paths: x}"), "podSets[0].paths: unknown key"},
        Refused{"NoPath", Row("A", "{counting: none}"), "\"\" is no path"},
        Refused{"EmptyName", Row("A", "{path: \"a//b\"}"), "\"a//b\" is no path"},
        Refused{"MarkInside", Row("A", "{path: \"a[]b\"}"), "\"a[]b\" is no path"},
        Refused{"CountWithoutMeaning", Row("A", "{path: a, counts: b, count: c}"),
                "names a count, but does not say how to count"},
        Refused{"MeaningWithoutCount", Row("A", "{path: a, counting: job}"),
                "is counted, but its count has no name"},
        Refused{"OtherLists", Row("A", "{path: a, counts: \"b[]\", count: c, counting: replicas}"),
                "goes through other lists than"},
        Refused{"Counting", Row("A", "{path: a, counting: some}"),
                "wanted none, job, replicas, per-slice, together or elsewhere"},
        Refused{"BuiltIn",
                "kinds:\n- {group: batch, versions: [v1], kind: Job, resource: jobs, "
                "podSets: [{path: a}]}\n",
                "p:2:3: kinds[0]: kind batch/Job is built in"},
        Refused{"Twice", Row("A", "{path: a}") + Row("A", "{path: a}").substr(7),
                "p:3:3: kinds[1]: kind a.io/A stands twice"}),
    CaseName());

}  // namespace
}  // namespace tpu_admission::admission::own_kinds_test
