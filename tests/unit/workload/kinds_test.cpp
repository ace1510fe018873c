// Every row of the kind table, held against an object built by hand: a TPU pod is found where the
// row says, and the object of another group is none of ours.
#include "tpu_admission/workload/kinds.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "support/case_name.h"
#include "tpu_admission/workload/workload.h"

namespace tpu_admission::workload::kinds_test {
namespace {

using nlohmann::json;

const json kPodSpec =
    json::parse(R"({"containers":[{"name":"c","resources":{"limits":{"google.com/tpu":"4"}}}]})");

// What the API's reference says about each kind, written down a second time.
struct Known {
  std::string name;
  std::string group;
  std::string template_pointer;
  std::string count;  // pointer of the count; empty: the pods of the kind are not counted
};

const Known kKnown[] = {
    {"Pod", "", "", ""},
    {"Job", "batch", "/spec/template", "/spec/parallelism"},
    {"CronJob", "batch", "/spec/jobTemplate/spec/template", "/spec/jobTemplate/spec/parallelism"},
    {"Deployment", "apps", "/spec/template", ""},
    {"ReplicaSet", "apps", "/spec/template", ""},
    {"StatefulSet", "apps", "/spec/template", "/spec/replicas"},
    {"DaemonSet", "apps", "/spec/template", ""},
    {"ReplicationController", "", "/spec/template", ""},
    {"Service", "serving.knative.dev", "/spec/template", ""},
    {"AutoscalingRunnerSet", "actions.github.com", "/spec/template", ""},
    {"Rollout", "argoproj.io", "/spec/template", ""},
};

class KindTable : public testing::TestWithParam<Known> {
 protected:
  Result<Workload> Read(const json& object, std::string_view version = "v1") {
    text_ = object.dump();
    return ReadWorkload({}, {GetParam().group, version, GetParam().name},
                        parser_.Parse(text_).value(), arena_);
  }
  json Object() const {
    json object = {{"metadata", {{"name", "o"}}}};
    object[json::json_pointer(GetParam().template_pointer + "/spec")] = kPodSpec;
    if (!GetParam().count.empty()) object[json::json_pointer(GetParam().count)] = 7;
    return object;
  }

  std::string text_;
  k8s::JsonParser parser_;
  k8s::Arena arena_;
};

TEST_P(KindTable, FindsThePodSetAndItsCount) {
  const Result<Workload> workload = Read(Object());
  ASSERT_TRUE(workload.ok()) << workload.error().message;
  ASSERT_EQ(workload->pod_sets.size(), 1U);
  const PodSet& pods = workload->pod_sets.front();
  EXPECT_EQ(pods.pointer, GetParam().template_pointer);
  EXPECT_EQ(pods.chips_per_pod, 4);
  EXPECT_EQ(Title(*workload), GetParam().name + " \"o\"");
  if (GetParam().count.empty()) {
    EXPECT_EQ(pods.scale.counting, Counting::kNone);
    return;
  }
  EXPECT_EQ(pods.scale.pods.pointer(), GetParam().count);
  EXPECT_EQ(pods.scale.pods.value, 7);
  EXPECT_TRUE(pods.scale.pods.written);
}

TEST_P(KindTable, AnyVersionIsTheSameKind) {
  EXPECT_EQ(Read(Object(), "v9alpha1")->pod_sets.size(), 1U);
}

TEST_P(KindTable, WithoutChipsNothingIsLookedAt) {
  json object = Object();
  object[json::json_pointer(GetParam().template_pointer + "/spec/containers/0/resources")] = {};
  const Result<Workload> workload = Read(object);
  ASSERT_TRUE(workload.ok());
  EXPECT_TRUE(workload->pod_sets.empty());
}

TEST_P(KindTable, WrongTypesAreAnError) {
  json object = Object();
  object[json::json_pointer(GetParam().template_pointer + "/spec/containers")] = "x";
  EXPECT_FALSE(Read(object).ok());
  EXPECT_TRUE(Read(json::object()).ok());
  EXPECT_TRUE(Read({{"spec", "x"}}).ok() || GetParam().name == "Pod");
}

INSTANTIATE_TEST_SUITE_P(Rows, KindTable, testing::ValuesIn(kKnown), CaseName());

TEST(Kinds, EveryRowIsInThisTest) {
  std::set<std::string_view> names;
  // Kinds with several pod sets, or none, have a test of their own (pod_sets_test.cpp).
  for (const Kind& kind : Kinds()) {
    if (kind.pod_sets.size() == 1 && kind.pod_sets[0].path.ends_with("spec/template") &&
        kind.pod_sets[0].path.find_first_of("[{") == std::string_view::npos) {
      names.insert(kind.name);
    }
  }
  names.insert("Pod");
  for (const Known& known : kKnown) EXPECT_EQ(names.erase(known.name), 1U) << known.name;
  EXPECT_TRUE(names.empty()) << *names.begin() << " has no row here";
}

TEST(Kinds, GroupAndNameMustAgree) {
  EXPECT_EQ(FindKind("", "Pod")->name, "Pod");
  EXPECT_EQ(FindKind("batch", "Job")->name, "Job");
  EXPECT_EQ(FindKind("batch", "Pod"), nullptr);
  EXPECT_EQ(FindKind("", "Job"), nullptr);
  EXPECT_EQ(FindKind("example.com", "Job"), nullptr);
  EXPECT_EQ(FindKind("", "pod"), nullptr);
  EXPECT_EQ(FindKind("", ""), nullptr);
  EXPECT_EQ(FindKind("", "Binding"), nullptr);
}

}  // namespace
}  // namespace tpu_admission::workload::kinds_test
