#include "tpu_admission/workload/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/case_name.h"

namespace tpu_admission::workload::workload_test {
namespace {

using nlohmann::json;

json Container(const json& resources) { return {{"name", "c"}, {"resources", resources}}; }
json Chips(const json& amount) { return Container({{"limits", {{"google.com/tpu", amount}}}}); }

json Job() {
  return {{"metadata", {{"name", "train"}}},
          {"spec",
           {{"parallelism", 4},
            {"completions", 8},
            {"completionMode", "Indexed"},
            {"template",
             {{"metadata", {{"annotations", {{"a", "1"}}}}},
              {"spec", {{"containers", {Chips("4")}}}}}}}}};
}

class WorkloadTest : public testing::Test {
 protected:
  Workload Read(const std::string& group, const std::string& kind, const json& object) {
    text_ = object.dump();
    return ReadWorkload({}, {group, "v1", kind}, parser_.Parse(text_).value(), arena_).value();
  }
  Workload ReadJob(const json& object) { return Read("batch", "Job", object); }
  Workload ReadPod(const json& object) { return Read("", "Pod", object); }

  std::string text_;
  k8s::JsonParser parser_;
  k8s::Arena arena_;
};

TEST_F(WorkloadTest, ReadsTheScaleOfAJob) {
  const Workload job = ReadJob(Job());
  const Scale& scale = job.pod_sets[0].scale;
  EXPECT_EQ(scale.counting, Counting::kJob);
  EXPECT_EQ(scale.pods.value, 4);
  EXPECT_EQ(scale.completions.value, 8);
  EXPECT_TRUE(scale.indexed);
}

struct CountCase {
  std::string name;
  json written;  // null: not there
  bool is_written;
  std::optional<std::int64_t> value;
};

class Counts : public WorkloadTest, public testing::WithParamInterface<CountCase> {};

TEST_P(Counts, AreWhatIsWrittenOrTheDefault) {
  json job = Job();
  job["spec"]["parallelism"] = GetParam().written;
  const Workload workload = ReadJob(job);
  const Count& pods = workload.pod_sets[0].scale.pods;
  EXPECT_EQ(pods.written, GetParam().is_written);
  EXPECT_EQ(pods.value, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(Cases, Counts,
                         testing::Values(CountCase{"Null", nullptr, false, 1},
                                         CountCase{"Zero", 0, true, 0},
                                         CountCase{"Negative", -1, true, -1},
                                         CountCase{"Whole", 2.0, true, 2},
                                         CountCase{"Fraction", 2.5, true, std::nullopt},
                                         CountCase{"Placeholder", "{{ n }}", true, std::nullopt},
                                         CountCase{"WrongType", json::array(), true, std::nullopt}),
                         CaseName());

TEST_F(WorkloadTest, ACountInQuotesIsReadAndNamed) {
  json job = Job();
  job["spec"]["parallelism"] = "8";
  job["spec"]["completions"] = "{{ n }}";
  const Workload workload = ReadJob(job);
  EXPECT_EQ(workload.pod_sets[0].scale.pods.value, 8);
  ASSERT_EQ(workload.slips.size(), 1U) << "a placeholder is none";
  EXPECT_EQ(workload.slips[0].pointer, "/spec/parallelism");
  EXPECT_EQ(workload.slips[0].problem, "parallelism is a string; write 8 without quotes");
}

TEST_F(WorkloadTest, ACountThatCannotBeIsNamed) {
  const auto problem = [&](const json& written) {
    json job = Job();
    job["spec"]["parallelism"] = written;
    const Workload workload = ReadJob(job);
    return workload.slips.empty() ? "" : workload.slips[0].problem;
  };
  EXPECT_EQ(problem(4.5), "parallelism is not a whole number");
  EXPECT_EQ(problem(-4), "parallelism is -4; it may not be below 0");
  EXPECT_EQ(problem("-4"), "parallelism is -4; it may not be below 0");
  for (const json& fine : {json(0), json(4.0), json("4.5"), json("many"), json(nullptr)}) {
    EXPECT_EQ(problem(fine), "") << fine;
  }
}

TEST_F(WorkloadTest, SlipsOfMetadataAreToldOnce) {
  json job = Job();
  job["metadata"]["name"] = {{"x", nullptr}};
  job["spec"]["template"]["metadata"]["labels"] = {{"a", 7}};
  const Workload workload = ReadJob(job);
  EXPECT_THAT(workload.slips, testing::UnorderedElementsAre(
                                  Slip{"/metadata/name", "name is not a string; quote it"},
                                  Slip{"/spec/template/metadata/labels/a",
                                       "labels \"a\" is not a string; quote it"}));
}

TEST_F(WorkloadTest, AbsentCountsAreTheDefaultsOfTheApi) {
  json job = Job();
  job["spec"].erase("parallelism");
  job["spec"].erase("completions");
  job["spec"].erase("completionMode");
  const Workload workload = ReadJob(job);
  const Scale& scale = workload.pod_sets[0].scale;
  EXPECT_FALSE(scale.pods.written);
  EXPECT_EQ(scale.pods.value, 1);
  EXPECT_FALSE(scale.completions.written);
  EXPECT_FALSE(scale.indexed);
}

struct ChipCase {
  std::string name;
  json init;
  json main;
  std::int64_t chips;  // per pod
  bool is_tpu = true;
};

class ChipSums : public WorkloadTest, public testing::WithParamInterface<ChipCase> {};

TEST_P(ChipSums, CountWhatRunsAtOnce) {
  json pod = {{"spec", {{"containers", GetParam().main}, {"initContainers", GetParam().init}}}};
  const Workload workload = ReadPod(pod);
  ASSERT_EQ(workload.pod_sets.size(), GetParam().is_tpu ? 1U : 0U);
  if (GetParam().is_tpu) {
    EXPECT_EQ(workload.pod_sets[0].chips_per_pod, GetParam().chips);
  }
}

json Sidecar(const json& amount) {
  json container = Chips(amount);
  container["restartPolicy"] = "Always";
  return container;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ChipSums,
    testing::Values(
        ChipCase{"One", {}, json::array({Chips("4")}), 4},
        ChipCase{"Two", {}, json::array({Chips("2"), Chips(2)}), 4},
        ChipCase{"BesideCpu", {}, json::array({Chips("4"), Container({})}), 4},
        ChipCase{"Sidecar", json::array({Sidecar("1")}), json::array({Chips("3")}), 4},
        ChipCase{"InitRunsBefore", json::array({Chips("4")}), json::array({Chips("4")}), 4},
        ChipCase{"InitOnly", json::array({Chips("4")}), json::array({Container({})}), 0},
        ChipCase{"Fraction", {}, json::array({Chips("4.5")}), 0},
        ChipCase{"Negative", {}, json::array({Chips("-4"), Chips("8")}), 0},
        ChipCase{"Unreadable", {}, json::array({Chips("four")}), 0},
        ChipCase{"TooMany", {}, json::array({Chips("9223372036854775807"), Chips("1")}), 0},
        ChipCase{"Zero", {}, json::array({Chips("0")}), 0, false},
        ChipCase{"None", {}, json::array({Container({})}), 0, false},
        ChipCase{"NoContainers", {}, json::array(), 0, false}),
    CaseName());

struct ParentCase {
  std::string name;
  json owner;
  bool known;
};

class Parents : public WorkloadTest, public testing::WithParamInterface<ParentCase> {};

TEST_P(Parents, AreKnownByGroupAndKindInAnyVersion) {
  json job = Job();
  job["metadata"]["ownerReferences"] = json::array({GetParam().owner});
  EXPECT_EQ(ReadJob(job).has_known_parent, GetParam().known);
}

json Owner(const std::string& api_version, const std::string& kind, bool controller = true) {
  return {{"apiVersion", api_version}, {"kind", kind}, {"controller", controller}};
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Parents,
    testing::Values(ParentCase{"CronJob", Owner("batch/v1", "CronJob"), true},
                    ParentCase{"OtherVersion", Owner("batch/v1beta1", "CronJob"), true},
                    ParentCase{"NotController", Owner("batch/v1", "CronJob", false), false},
                    ParentCase{"OtherGroup", Owner("example.com/v1", "CronJob"), false},
                    ParentCase{"CoreGroup", Owner("v1", "Job"), false},
                    ParentCase{"Unknown", Owner("example.com/v1", "Trainer"), false},
                    ParentCase{"WrongType", "x", false}),
    CaseName());

TEST_F(WorkloadTest, QueuedByLabelOrWhileSuspended) {
  EXPECT_FALSE(ReadJob(Job()).queued);
  json labelled = Job();
  labelled["metadata"]["labels"] = {{"kueue.x-k8s.io/queue-name", "q"}};
  EXPECT_TRUE(ReadJob(labelled).queued);
  json suspended = Job();
  suspended["spec"]["suspend"] = true;
  EXPECT_TRUE(ReadJob(suspended).queued);
  suspended["spec"]["suspend"] = false;
  EXPECT_FALSE(ReadJob(suspended).queued);
}

TEST_F(WorkloadTest, ManagedByAnotherController) {
  json job = Job();
  EXPECT_FALSE(ReadJob(job).managed_elsewhere);
  job["spec"]["managedBy"] = "kueue.x-k8s.io/multikueue";
  EXPECT_TRUE(ReadJob(job).managed_elsewhere);
}

TEST_F(WorkloadTest, TitlesQuoteWhatUsersWrote) {
  json pod = {{"metadata", {{"generateName", "w-"}}}, {"spec", {{"containers", {Chips("4")}}}}};
  EXPECT_EQ(Title(ReadPod(pod)), "Pod \"w-*\"");
  pod["metadata"] = {{"name", "a\"b\nc"}};
  EXPECT_EQ(Title(ReadPod(pod)),
            "Pod \"a\\\"b\xEF\xBF\xBD"
            "c\"");
  pod.erase("metadata");
  EXPECT_EQ(Title(ReadPod(pod)), "Pod");
}

TEST_F(WorkloadTest, SliceTopologyIsAnAnnotation) {
  json job = Job();
  EXPECT_EQ(ReadJob(job).pod_sets[0].SliceTopology(), std::nullopt);
  job["spec"]["template"]["metadata"]["annotations"] = {
      {"cloud.google.com/gke-tpu-slice-topology", "2x4"}};
  EXPECT_EQ(ReadJob(job).pod_sets[0].SliceTopology(), "2x4");
}

struct Change {
  std::string name;
  std::string kind;
  std::string patch;  // RFC 6902, of the object before
  bool same;
};

class SameObjects : public testing::TestWithParam<Change> {};

TEST_P(SameObjects, WhatCountsAsAChange) {
  const bool pod = GetParam().kind == "Pod";
  const json before = pod ? json{{"metadata", {{"name", "p"}, {"annotations", {{"a", "1"}}}}},
                                 {"spec", {{"containers", {Chips("4")}}}}}
                          : Job();
  const json after = before.patch(json::parse(GetParam().patch));
  k8s::JsonParser one;
  k8s::JsonParser other;
  const Kind& kind = *FindKind(pod ? "" : "batch", GetParam().kind);
  EXPECT_EQ(
      SamePodsAndCounts(kind, one.Parse(before.dump()).value(), other.Parse(after.dump()).value()),
      GetParam().same);
}

INSTANTIATE_TEST_SUITE_P(
    Job, SameObjects,
    testing::Values(
        Change{"Nothing", "Job", "[]", true},
        Change{"Label", "Job", R"([{"op":"add","path":"/metadata/labels","value":{"a":"b"}}])",
               true},
        Change{"Finalizer", "Job", R"([{"op":"add","path":"/metadata/finalizers","value":["x"]}])",
               true},
        Change{"Status", "Job", R"([{"op":"add","path":"/status","value":{"active":1}}])", true},
        Change{"Suspend", "Job", R"([{"op":"add","path":"/spec/suspend","value":true}])", true},
        Change{"TemplateLabel", "Job",
               R"([{"op":"add","path":"/spec/template/metadata/labels","value":{"a":"b"}}])", true},
        Change{"Parallelism", "Job", R"([{"op":"replace","path":"/spec/parallelism","value":2}])",
               false},
        Change{"Completions", "Job", R"([{"op":"remove","path":"/spec/completions"}])", false},
        Change{"CompletionMode", "Job",
               R"([{"op":"replace","path":"/spec/completionMode","value":"NonIndexed"}])", false},
        Change{"TemplateAnnotation", "Job",
               R"([{"op":"add","path":"/spec/template/metadata/annotations/b","value":"2"}])",
               false},
        Change{"Chips", "Job",
               R"([{"op":"replace","value":"8",
                  "path":"/spec/template/spec/containers/0/resources/limits/google.com~1tpu"}])",
               false},
        Change{"Selector", "Job",
               R"([{"op":"add","path":"/spec/template/spec/nodeSelector","value":{"a":"b"}}])",
               false}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Pod, SameObjects,
    testing::Values(
        Change{"Annotation", "Pod",
               R"([{"op":"add","path":"/metadata/annotations/b","value":"2"}])", true},
        Change{"Image", "Pod", R"([{"op":"add","path":"/spec/containers/0/image","value":"i"}])",
               false},
        Change{"Replicas", "Pod", R"([{"op":"add","path":"/spec/replicas","value":2}])", false}),
    CaseName());

}  // namespace
}  // namespace tpu_admission::workload::workload_test
