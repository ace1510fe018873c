// Kinds that a user adds: what is refused, and that a row works as a built-in one does.
#include <gtest/gtest.h>

#include "support/case_name.h"
#include "unit/workload/reading.h"

namespace tpu_admission::workload::own_kinds_test {
namespace {

using nlohmann::json;

KindDefinition Trainer() {
  KindDefinition kind;
  kind.group = "ml.example.com";
  kind.versions = "v1";
  kind.name = "Trainer";
  kind.resource = "trainers";
  kind.pod_sets = {{.path = "spec/groups[]/template",
                    .counting = Counting::kReplicas,
                    .counts = "spec/groups[]",
                    .count = "workers",
                    .slices = "spec/groups[]/slices"}};
  return kind;
}

TEST(OwnKinds, AreReadAsBuiltInOnes) {
  Reading reading;
  reading.kinds = KindTable::With({Trainer()}).value();
  const json group = {{"workers", 4}, {"slices", 2}, {"template", {{"spec", PodSpecOf()}}}};
  const json object = {{"metadata", {{"name", "o"}}},
                       {"spec", {{"groups", json::array({json::object(), group})}}}};
  const Workload workload = reading.Of("ml.example.com", "Trainer", object);
  ASSERT_EQ(workload.pod_sets.size(), 1U);
  EXPECT_EQ(workload.pod_sets[0].pointer, "/spec/groups/1/template");
  EXPECT_EQ(workload.pod_sets[0].scale.pods.pointer(), "/spec/groups/1/workers");
  EXPECT_EQ(workload.pod_sets[0].scale.tpu_pods, 4);
  EXPECT_EQ(workload.pod_sets[0].scale.slices.value, 2);
  EXPECT_EQ(Title(workload), "Trainer \"o\"");
}

// Nobody knows the default of a CRD, or that its fields are those of a StatefulSet or a Job.
TEST(OwnKinds, AreKnownByTheirRowAlone) {
  for (const Counting counting : {Counting::kReplicas, Counting::kJob, Counting::kPerSlice}) {
    Reading reading;
    KindDefinition kind = Trainer();
    kind.pod_sets[0].counting = counting;
    reading.kinds = KindTable::With({kind}).value();
    const json group = {{"completions", 9}, {"template", {{"spec", PodSpecOf()}}}};
    const json object = {
        {"spec", {{"ordinals", {{"start", 3}}}, {"groups", json::array({group})}}}};
    const Workload workload = reading.Of("ml.example.com", "Trainer", object);
    ASSERT_EQ(workload.pod_sets.size(), 1U);
    const Scale& scale = workload.pod_sets[0].scale;
    EXPECT_EQ(scale.pods.value, std::nullopt);
    EXPECT_EQ(scale.slices.value, std::nullopt);
    EXPECT_EQ(scale.tpu_pods, std::nullopt);
    EXPECT_FALSE(scale.nameless || scale.waits_for_ready || scale.completions.written);
    EXPECT_TRUE(scale.may_be_indexed);
  }
}

// OpenKruise has a DaemonSet of its own.
TEST(OwnKinds, CalledDaemonSetHaveAPodOnEachNode) {
  KindDefinition kind = Trainer();
  for (const char* name : {"DaemonSet", "Trainer"}) {
    kind.name = name;
    const KindTable kinds = KindTable::With({kind}).value();
    EXPECT_EQ(kinds.Find(kind.group, name)->pod_sets[0].on_each_node, kind.name == "DaemonSet");
  }
}

TEST(OwnKinds, MayHaveTheirTemplatesInAMap) {
  Reading reading;
  KindDefinition kind = Trainer();
  kind.pod_sets = {{.path = "spec/roles{}/template",
                    .counting = Counting::kTogether,
                    .counts = "spec/roles{}",
                    .count = "replicas",
                    .slices = ""}};
  reading.kinds = KindTable::With({kind}).value();
  const json role = {{"replicas", 2}, {"template", {{"spec", PodSpecOf()}}}};
  const Workload workload = reading.Of("ml.example.com", "Trainer",
                                       {{"spec", {{"roles", {{"a", role}, {"b/c", role}}}}}});
  ASSERT_EQ(workload.pod_sets.size(), 2U);
  EXPECT_EQ(workload.pod_sets[1].pointer, "/spec/roles/b~1c/template");
  EXPECT_EQ(workload.pod_sets[0].scale.tpu_pods, 4) << "together";
}

// How the pod sets of a kind are summed does not depend on which of them stands last.
TEST(OwnKinds, SumTogetherWhateverStandsLast) {
  Reading reading;
  KindDefinition kind = Trainer();
  kind.pod_sets = {{.path = "spec/roles{}/template",
                    .counting = Counting::kTogether,
                    .counts = "spec/roles{}",
                    .count = "replicas",
                    .slices = ""},
                   {.path = "spec/launcher",
                    .counting = Counting::kNone,
                    .counts = "",
                    .count = "",
                    .slices = ""}};
  reading.kinds = KindTable::With({kind}).value();
  const json role = {{"replicas", 2}, {"template", {{"spec", PodSpecOf()}}}};
  const Workload workload =
      reading.Of("ml.example.com", "Trainer", {{"spec", {{"roles", {{"a", role}, {"b", role}}}}}});
  EXPECT_EQ(workload.pod_sets[0].scale.tpu_pods, 4);
}

TEST(OwnKinds, AreParentsToo) {
  Reading reading;
  reading.kinds = KindTable::With({Trainer()}).value();
  const json owner = {
      {"apiVersion", "ml.example.com/v1"}, {"kind", "Trainer"}, {"controller", true}};
  const json pod = {{"metadata", {{"ownerReferences", json::array({owner})}}},
                    {"spec", PodSpecOf()}};
  EXPECT_TRUE(reading.Of("", "Pod", pod).has_known_parent);
  EXPECT_FALSE(Reading().Of("", "Pod", pod).has_known_parent);
}

TEST(OwnKinds, AreFoundByGroupAndName) {
  const KindTable table = KindTable::With({Trainer()}).value();
  ASSERT_NE(table.Find("ml.example.com", "Trainer"), nullptr);
  EXPECT_EQ(table.Find("ml.example.com", "Trainer")->resource, "trainers");
  EXPECT_EQ(table.Find("example.com", "Trainer"), nullptr);
  EXPECT_EQ(table.Find("batch", "Job"), FindKind("batch", "Job"));
  EXPECT_EQ(table.own().size(), 1U);
  EXPECT_TRUE(KindTable().own().empty());
}

TEST(OwnKinds, OutliveTheirDefinitionsAndCopies) {
  KindTable copy;
  {
    const KindTable table = KindTable::With({Trainer(),
                                             [] {
                                               KindDefinition other = Trainer();
                                               other.name = "Server";
                                               return other;
                                             }()})
                                .value();
    copy = table;
  }
  EXPECT_EQ(copy.Find("ml.example.com", "Server")->pod_sets[0].path, "spec/groups[]/template");
  EXPECT_EQ(copy.Find("ml.example.com", "Trainer")->pod_sets[0].count, "workers");
}

struct Refused {
  std::string name;
  void (*spoil)(std::vector<KindDefinition>& kinds);
  std::string error;
};

class RefusedKinds : public testing::TestWithParam<Refused> {};

TEST_P(RefusedKinds, SayWhatIsWrong) {
  std::vector<KindDefinition> kinds = {Trainer()};
  GetParam().spoil(kinds);
  const Result<KindTable> table = KindTable::With(kinds);
  ASSERT_FALSE(table.ok());
  EXPECT_NE(table.error().message.find(GetParam().error), std::string::npos)
      << table.error().message;
}

using Kinds_ = std::vector<KindDefinition>;
INSTANTIATE_TEST_SUITE_P(
    Cases, RefusedKinds,
    testing::Values(
        Refused{"NoName", [](Kinds_& k) { k[0].name = ""; }, "must be given"},
        Refused{"NoGroup", [](Kinds_& k) { k[0].group = ""; }, "must be given"},
        Refused{"NoVersions", [](Kinds_& k) { k[0].versions = ""; }, "must be given"},
        Refused{"NoResource", [](Kinds_& k) { k[0].resource = ""; }, "must be given"},
        Refused{"BuiltIn",
                [](Kinds_& k) {
                  k[0].group = "ray.io";
                  k[0].name = "RayCluster";
                },
                "kind ray.io/RayCluster is built in"},
        Refused{"Twice", [](Kinds_& k) { k.push_back(k[0]); },
                "ml.example.com/Trainer stands twice"},
        Refused{"NoPodSets", [](Kinds_& k) { k[0].pod_sets.clear(); }, "has no podSets"},
        Refused{"NoPath", [](Kinds_& k) { k[0].pod_sets[0].path = ""; }, "is no path"},
        Refused{"Slash", [](Kinds_& k) { k[0].pod_sets[0].path = "/spec/template"; }, "is no path"},
        Refused{"SlashAtTheEnd", [](Kinds_& k) { k[0].pod_sets[0].path = "spec/"; }, "is no path"},
        Refused{"EmptyName", [](Kinds_& k) { k[0].pod_sets[0].path = "spec//t"; }, "is no path"},
        Refused{"MarkInside", [](Kinds_& k) { k[0].pod_sets[0].path = "spec/a[]b"; }, "is no path"},
        Refused{"MarkAlone", [](Kinds_& k) { k[0].pod_sets[0].path = "spec/[]/t"; }, "is no path"},
        Refused{"Index", [](Kinds_& k) { k[0].pod_sets[0].path = "spec/a[0]/t"; }, "is no path"},
        Refused{"CountsOfAnotherList", [](Kinds_& k) { k[0].pod_sets[0].counts = "spec/others[]"; },
                "goes through other lists"},
        Refused{"SlicesOfADeeperList",
                [](Kinds_& k) { k[0].pod_sets[0].slices = "spec/groups[]/parts[]/n"; },
                "goes through other lists"},
        Refused{"FourLists",
                [](Kinds_& k) { k[0].pod_sets[0].path = "spec/groups[]/b[]/c[]/d[]/t"; },
                "more than three"},
        Refused{"CountWithoutName", [](Kinds_& k) { k[0].pod_sets[0].count = ""; },
                "its count has no name"},
        Refused{"NameWithoutCounting",
                [](Kinds_& k) { k[0].pod_sets[0].counting = Counting::kNone; },
                "does not say how to count"},
        Refused{"Groups", [](Kinds_& k) { k[0].pod_sets[0].counting = Counting::kGroup; },
                "LeaderWorkerSet's own"}),
    CaseName());

}  // namespace
}  // namespace tpu_admission::workload::own_kinds_test
