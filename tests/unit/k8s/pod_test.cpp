#include "tpu_admission/k8s/pod.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/case_name.h"

namespace tpu_admission::k8s {
namespace {

class DecodePodTest : public testing::Test {
 protected:
  // Decodes a pod with the members `spec` of its spec.
  Result<Pod> Decode(std::string_view spec) {
    return DecodeWhole(R"({"metadata":{"name":"p"},"spec":)" + std::string(spec) + "}");
  }
  Result<Pod> DecodeWhole(std::string_view json) {
    text_ = json;
    return DecodePod(parser_.Parse(text_).value(), arena_);
  }

  std::string text_;

  JsonParser parser_;
  Arena arena_;
};

// Case 39: one iterator over every list of containers.
TEST_F(DecodePodTest, Case39FindsTheContainersOfEveryList) {
  const Result<Pod> pod = Decode(R"({
    "ephemeralContainers": [{"name":"debug"}],
    "containers": [{"name":"a"}, {"name":"b"}],
    "initContainers": [{"name":"once"}, {"name":"proxy","restartPolicy":"Always"},
                       {"name":"odd","restartPolicy":"Never"}]})");
  ASSERT_TRUE(pod.ok()) << pod.error().message;
  struct Wanted {
    std::string_view name;
    ContainerRole role;
    std::string_view list;
    std::size_t index;
    bool stays;
  };
  const Wanted wanted[] = {{"once", ContainerRole::kInit, "initContainers", 0, false},
                           {"proxy", ContainerRole::kSidecar, "initContainers", 1, true},
                           {"odd", ContainerRole::kInit, "initContainers", 2, false},
                           {"a", ContainerRole::kMain, "containers", 0, true},
                           {"b", ContainerRole::kMain, "containers", 1, true},
                           {"debug", ContainerRole::kEphemeral, "ephemeralContainers", 0, false}};
  ASSERT_EQ(pod->spec.containers.size(), std::size(wanted));
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    const Container& container = pod->spec.containers[i];
    EXPECT_EQ(container.name, wanted[i].name);
    EXPECT_EQ(container.role, wanted[i].role);
    EXPECT_EQ(container.list, wanted[i].list);
    EXPECT_EQ(container.index, wanted[i].index);
    EXPECT_EQ(container.Stays(), wanted[i].stays);
  }
}

struct Amounts {
  std::string name;
  std::string resources;
  std::string requested;  // of google.com/tpu, as a quantity; "": none
};

class TpuAmounts : public DecodePodTest, public testing::WithParamInterface<Amounts> {};

TEST_P(TpuAmounts, AreReadAsTheSchedulerDoes) {
  const Result<Pod> pod =
      Decode(R"({"containers":[{"name":"c","resources":)" + GetParam().resources + "}]}");
  ASSERT_TRUE(pod.ok()) << pod.error().message;
  const Container& container = pod->spec.containers.front();
  const std::optional<Amount> amount = container.Requested("google.com/tpu");
  ASSERT_EQ(amount.has_value(), !GetParam().requested.empty());
  if (amount) {
    EXPECT_EQ(amount->quantity, Quantity::Parse(GetParam().requested));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, TpuAmounts,
    testing::Values(
        Amounts{"Absent", "null", ""}, Amounts{"Empty", "{}", ""},
        Amounts{"NullLists", R"({"requests":null,"limits":null})", ""},
        Amounts{"Limit", R"({"limits":{"google.com/tpu":"4"}})", "4"},
        Amounts{"Request", R"({"requests":{"google.com/tpu":"4"}})", "4"},
        Amounts{"RequestFirst",
                R"({"requests":{"google.com/tpu":"4"},"limits":{"google.com/tpu":"8"}})", "4"},
        Amounts{"Number", R"({"limits":{"google.com/tpu":4}})", "4"},
        Amounts{"Fraction", R"({"limits":{"google.com/tpu":4.5}})", "4500m"},
        Amounts{"Exponent", R"({"limits":{"google.com/tpu":1e30}})", "8e28"},
        Amounts{"Millis", R"({"limits":{"google.com/tpu":"4000m"}})", "4"},
        Amounts{"Zero", R"({"limits":{"google.com/tpu":"0"}})", "0"},
        Amounts{"NegativeCounts", R"({"limits":{"google.com/tpu":"-4"}})", "-4"},
        Amounts{"NullAmount", R"({"limits":{"google.com/tpu":null}})", ""},
        Amounts{"Unreadable", R"({"limits":{"google.com/tpu":"four"}})", "refused"},
        Amounts{"WrongType", R"({"limits":{"google.com/tpu":[4]}})", "refused"},
        Amounts{"OtherResource", R"({"limits":{"nvidia.com/gpu":"4"}})", ""},
        Amounts{"OtherCase", R"({"limits":{"google.com/TPU":"4"}})", ""}),
    CaseName());

TEST_F(DecodePodTest, ReadsAffinityTermsAndTolerations) {
  const Result<Pod> pod = Decode(R"({
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
      "nodeSelectorTerms": [
        {"matchExpressions": [{"key":"k","operator":"In","values":["a","b"]},
                              {"key":"l","operator":"Exists"}]},
        {"matchFields": [{"key":"metadata.name","operator":"In","values":["n"]}]}]}}},
    "tolerations": [{"operator":"Exists"}, {"key":"google.com/tpu","value":"present"}]})");
  ASSERT_TRUE(pod.ok()) << pod.error().message;
  ASSERT_EQ(pod->spec.required_affinity.size(), 2U);
  const auto requirements = pod->spec.required_affinity[0].requirements;
  ASSERT_EQ(requirements.size(), 2U);
  EXPECT_EQ(requirements[0].key, "k");
  EXPECT_EQ(requirements[0].op, "In");
  ASSERT_EQ(requirements[0].values.size(), 2U);
  EXPECT_EQ(requirements[0].values[1], "b");
  EXPECT_TRUE(requirements[1].values.empty());
  EXPECT_TRUE(pod->spec.required_affinity[1].requirements.empty());
  ASSERT_EQ(pod->spec.tolerations.size(), 2U);
  EXPECT_EQ(pod->spec.tolerations[1].value, "present");
}

TEST_F(DecodePodTest, ReadsWhatElseRulesAskFor) {
  const Result<Pod> pod = DecodeWhole(R"({
    "metadata": {"generateName":"w-", "namespace":"n", "deletionTimestamp":"2026-01-01T00:00:00Z",
                 "labels":{"a/b~c":"x"}, "annotations":null,
                 "ownerReferences":[{"apiVersion":"v1","kind":"Other"},
                   {"apiVersion":"batch/v1","kind":"Job","controller":true}]},
    "spec": {"nodeName":"node-1", "overhead":{"cpu":"250m"}, "resources":{"limits":{"cpu":"1"}},
             "resourceClaims":[{"name":"c"}], "schedulingGates":[{"name":"g"}],
             "nodeSelector":{"k":"v"}, "containers":[{"name":"c","env":[{"name":"A"}]}]}})");
  ASSERT_TRUE(pod.ok()) << pod.error().message;
  EXPECT_EQ(pod->metadata.generate_name, "w-");
  EXPECT_EQ(pod->metadata.namespace_name, "n");
  EXPECT_TRUE(pod->metadata.being_deleted);
  EXPECT_EQ(pod->metadata.labels.Find("a/b~c"), "x");
  EXPECT_EQ(pod->metadata.annotations.size(), 0U);
  EXPECT_EQ(pod->metadata.controller_group, "batch");
  EXPECT_EQ(pod->metadata.controller_kind, "Job");
  EXPECT_EQ(pod->spec.node_name, "node-1");
  EXPECT_EQ(pod->spec.overhead.QuantityOrZero("cpu"), Quantity::FromMillis(250));
  EXPECT_TRUE(pod->spec.overhead.QuantityOrZero("memory").IsZero());
  EXPECT_TRUE(pod->spec.has_pod_level_resources);
  EXPECT_TRUE(pod->spec.has_resource_claims);
  EXPECT_TRUE(pod->spec.gated);
  EXPECT_EQ(pod->spec.node_selector.Find("k"), "v");
  EXPECT_TRUE(pod->spec.containers[0].HasEnv("A"));
  EXPECT_FALSE(pod->spec.containers[0].HasEnv("B"));
}

TEST_F(DecodePodTest, ReadsVolumesAndWhatContainersTakeOfTheHost) {
  const Result<Pod> pod = Decode(R"({
    "containers": [
      {"name": "a", "securityContext": {"privileged": true}},
      {"name": "b", "ports": [{"containerPort": 1}, {"containerPort": 2, "hostPort": 2}]},
      {"name": "c", "ports": [{"containerPort": 1, "hostPort": 0}]}],
    "hostPID": true,
    "volumes": [
      {"name": "disk", "emptyDir": {"sizeLimit": "5Gi"}},
      {"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "5Gi"}},
      {"name": "free", "emptyDir": {}},
      {"name": "csi", "csi": {"driver": "d", "volumeAttributes": {"a": "b"}}}]})");
  ASSERT_TRUE(pod);
  const PodSpec& spec = pod->spec;
  EXPECT_TRUE(spec.UsesHostPid());
  EXPECT_TRUE(spec.containers[0].IsPrivileged() && !spec.containers[1].IsPrivileged());
  EXPECT_TRUE(spec.containers[1].HasHostPort() && !spec.containers[2].HasHostPort());
  EXPECT_EQ(spec.VolumeAt(0).DiskSizeLimit()->text, "5Gi");
  EXPECT_FALSE(spec.VolumeAt(1).DiskSizeLimit());
  EXPECT_FALSE(spec.VolumeAt(2).DiskSizeLimit());
  EXPECT_EQ(spec.VolumeAt(3).Attribute("a"), "b");
  EXPECT_EQ(spec.VolumeAt(3).Attribute("c"), "");
}

TEST_F(DecodePodTest, TakesNullForNothingEverywhere) {
  const Result<Pod> pod = DecodeWhole(R"({"metadata":null,"spec":{
    "containers":[{"name":null,"env":null,"resources":null}],"initContainers":null,
    "ephemeralContainers":null,"nodeSelector":null,"affinity":{"nodeAffinity":null},
    "tolerations":null,"overhead":null,"resources":null,"resourceClaims":null,
    "schedulingGates":null,"nodeName":null}})");
  ASSERT_TRUE(pod.ok()) << pod.error().message;
  EXPECT_EQ(pod->spec.containers.size(), 1U);
  EXPECT_FALSE(pod->spec.gated);
  EXPECT_FALSE(pod->spec.has_pod_level_resources);
  EXPECT_TRUE(DecodeWhole("{}").ok());
  EXPECT_TRUE(DecodeWhole(R"({"spec":null})").ok());
}

struct WrongType {
  std::string json;  // of the whole pod
  std::string error;
};

class WrongTypes : public DecodePodTest, public testing::WithParamInterface<WrongType> {};

TEST_P(WrongTypes, Case27AreAnErrorThatNamesTheField) {
  const Result<Pod> pod = DecodeWhole(GetParam().json);
  ASSERT_FALSE(pod.ok());
  EXPECT_EQ(pod.error().message, GetParam().error);
}

std::string Affinity(const std::string& terms) {
  return R"({"spec":{"affinity":{"nodeAffinity":{)"
         R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)" +
         terms + "}}}}}";
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WrongTypes,
    testing::Values(
        WrongType{R"({"spec":[]})", "spec is not a map"},
        WrongType{R"({"spec":"x"})", "spec is not a map"},
        WrongType{R"({"spec":{"containers":{}}})", "containers is not a list"},
        WrongType{R"({"spec":{"containers":[7]}})", "containers has an element that is not a map"},
        WrongType{R"({"spec":{"containers":[null]}})",
                  "containers has an element that is not a map"},
        WrongType{R"({"spec":{"initContainers":"x"}})", "initContainers is not a list"},
        WrongType{R"({"spec":{"ephemeralContainers":1}})", "ephemeralContainers is not a list"},
        WrongType{R"({"spec":{"containers":[{"name":1}]}})", "name is not a string"},
        WrongType{R"({"spec":{"containers":[{"resources":"x"}]}})", "resources is not a map"},
        WrongType{R"({"spec":{"containers":[{"resources":{"requests":[]}}]}})",
                  "requests is not a map"},
        WrongType{R"({"spec":{"containers":[{"resources":{"limits":4}}]}})", "limits is not a map"},
        WrongType{R"({"spec":{"containers":[{"env":{}}]}})", "env is not a list"},
        WrongType{R"({"spec":{"nodeSelector":[]}})", "nodeSelector is not a map"},
        WrongType{R"({"spec":{"affinity":[]}})", "affinity is not a map"},
        WrongType{R"({"spec":{"affinity":{"nodeAffinity":true}}})", "nodeAffinity is not a map"},
        WrongType{Affinity("{}"), "nodeSelectorTerms is not a list"},
        WrongType{Affinity("[1]"), "nodeSelectorTerms has an element that is not a map"},
        WrongType{Affinity(R"([{"matchExpressions":{}}])"), "matchExpressions is not a list"},
        WrongType{Affinity(R"([{"matchExpressions":[[]]}])"),
                  "matchExpressions has an element that is not a map"},
        WrongType{Affinity(R"([{"matchExpressions":[{"key":{}}]}])"), "key is not a string"},
        WrongType{Affinity(R"([{"matchExpressions":[{"values":"a"}]}])"), "values is not a list"},
        WrongType{R"({"spec":{"tolerations":{}}})", "tolerations is not a list"},
        WrongType{R"({"spec":{"tolerations":["x"]}})",
                  "tolerations has an element that is not a map"},
        WrongType{R"({"spec":{"tolerations":[{"effect":1}]}})", "effect is not a string"},
        WrongType{R"({"spec":{"overhead":[]}})", "overhead is not a map"},
        WrongType{R"({"spec":{"resourceClaims":{}}})", "resourceClaims is not a list"},
        WrongType{R"({"spec":{"schedulingGates":1}})", "schedulingGates is not a list"},
        WrongType{R"({"spec":{"nodeName":[]}})", "nodeName is not a string"}));

// What is no pod at all has no fields; the layer above answers for it.
TEST_F(DecodePodTest, NoObjectHasNoContainers) {
  for (const char* json : {"null", "7", "[]", "\"x\"", "{}"}) {
    const Result<Pod> pod = DecodeWhole(json);
    ASSERT_TRUE(pod.ok());
    EXPECT_TRUE(pod->spec.containers.empty());
  }
}

TEST_F(DecodePodTest, Case20HundredThousandContainersTakeLinearTime) {
  std::string spec = R"({"containers":[{"name":"c0"})";
  for (int i = 1; i < 100'000; ++i) spec += R"(,{"name":"c","env":[{"name":"A"}]})";
  const Result<Pod> pod = Decode(spec + "]}");
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->spec.containers.size(), 100'000U);
}

struct Taint {
  Toleration toleration;
  bool tolerates;
};

TEST(Tolerations, MatchAsTheSchedulerMatches) {
  // https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
  const Taint cases[] = {
      {{"google.com/tpu", "Exists", "", "NoSchedule"}, true},
      {{"google.com/tpu", "Exists", "", ""}, true},
      {{"", "Exists", "", ""}, true},
      {{"google.com/tpu", "Equal", "present", "NoSchedule"}, true},
      {{"google.com/tpu", "", "present", "NoSchedule"}, true},
      {{"google.com/tpu", "", "", "NoSchedule"}, false},
      {{"google.com/tpu", "Equal", "true", ""}, false},
      {{"google.com/tpu", "Exists", "", "NoExecute"}, false},
      {{"nvidia.com/gpu", "Exists", "", ""}, false},
      {{"", "", "", ""}, false},
      {{"google.com/tpu", "exists", "", ""}, false},
  };
  for (const Taint& c : cases) {
    EXPECT_EQ(c.toleration.Tolerates("google.com/tpu", "present", "NoSchedule"), c.tolerates)
        << c.toleration.key << " " << c.toleration.op << " " << c.toleration.value;
  }
}

struct Owner {
  std::string name;
  std::string owners;
  std::string group;
  std::string kind;
};

class Owners : public testing::TestWithParam<Owner> {};

TEST_P(Owners, OnlyTheControllerCounts) {
  JsonParser parser;
  const std::string text = R"({"ownerReferences":)" + GetParam().owners + "}";
  const JsonView json = *parser.Parse(text);
  const ObjectMeta meta = DecodeMeta(json);
  EXPECT_EQ(meta.controller_group, GetParam().group);
  EXPECT_EQ(meta.controller_kind, GetParam().kind);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Owners,
    testing::Values(
        Owner{"None", "null", "", ""}, Owner{"WrongType", R"({"controller":true})", "", ""},
        Owner{"NotController", R"([{"apiVersion":"batch/v1","kind":"Job"}])", "", ""},
        Owner{"False", R"([{"apiVersion":"batch/v1","kind":"Job","controller":false}])", "", ""},
        Owner{"Text", R"([{"apiVersion":"batch/v1","kind":"Job","controller":"true"}])", "", ""},
        Owner{"Group", R"([{"apiVersion":"batch/v2alpha1","kind":"Job","controller":true}])",
              "batch", "Job"},
        Owner{"Core", R"([{"apiVersion":"v1","kind":"Pod","controller":true}])", "", "Pod"},
        Owner{
            "Second",
            R"([{"apiVersion":"v1","kind":"A"},{"apiVersion":"x/v1","kind":"B","controller":true}])",
            "x", "B"}),
    CaseName());

}  // namespace
}  // namespace tpu_admission::k8s
