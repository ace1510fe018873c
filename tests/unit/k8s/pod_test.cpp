#include "tpu_admission/k8s/pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/case_name.h"

namespace tpu_admission::k8s::pod_test {
namespace {

class DecodePodTest : public testing::Test {
 protected:
  // Decodes a pod with the members `spec` of its spec.
  Result<Pod> Decode(std::string_view spec) {
    return DecodeWhole(R"({"metadata":{"name":"p"},"spec":)" + std::string(spec) + "}");
  }
  Result<Pod> DecodeWhole(std::string_view json) {
    text_ = json;
    Decoder decoder(arena_);
    Pod pod = DecodePod(parser_.Parse(text_).value(), decoder);
    exceeded_ = decoder.exceeded();
    slips_ = decoder.slips();
    if (decoder.error()) return *decoder.error();
    return pod;
  }

  std::string text_;
  std::string exceeded_;
  std::vector<Slip> slips_;

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
  const Amount* const amount = container.Requested("google.com/tpu");
  ASSERT_EQ(amount != nullptr, !GetParam().requested.empty());
  if (amount != nullptr) {
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
  EXPECT_EQ(pod->spec.limits.QuantityOrZero("cpu"), Quantity::FromUnits(1));
  EXPECT_EQ(pod->spec.requests.size(), 0U);
  ASSERT_EQ(pod->spec.resource_claims.size(), 1U);
  EXPECT_EQ(pod->spec.resource_claims[0].name, "c");
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
  EXPECT_EQ(spec.volumes[0].DiskSizeLimit()->text, "5Gi");
  EXPECT_FALSE(spec.volumes[1].DiskSizeLimit());
  EXPECT_FALSE(spec.volumes[2].DiskSizeLimit());
  EXPECT_EQ(spec.volumes[3].Attribute("a"), "b");
  EXPECT_EQ(spec.volumes[3].Attribute("c"), "");
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

struct Crowd {
  std::string name;
  std::string before;  // of the spec, up to the elements
  std::string element;
  std::size_t most;
  std::string after;
  std::string reason;
};

class Crowds : public DecodePodTest, public testing::WithParamInterface<Crowd> {
 protected:
  void DecodeCrowd(std::size_t count) {
    const Crowd& crowd = GetParam();
    std::string spec = crowd.before;
    for (std::size_t i = 0; i < count; ++i) {
      std::string element = crowd.element;
      if (const auto mark = element.find('#'); mark != element.npos) {
        element.replace(mark, 1, std::to_string(i));
      }
      spec += (i == 0 ? "" : ",") + element;
    }
    const Result<Pod> pod = Decode(spec + crowd.after);
    ASSERT_TRUE(pod.ok()) << pod.error().message;
  }
};

TEST_P(Crowds, AreDecodedUpToTheirBound) {
  DecodeCrowd(GetParam().most);
  EXPECT_EQ(exceeded_, "");
  DecodeCrowd(GetParam().most + 1);
  EXPECT_EQ(exceeded_, "more than " + std::to_string(GetParam().most) + " " + GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Crowds,
    testing::Values(
        Crowd{"Containers", R"({"containers":[)", "{}", 100, "]}", "containers"},
        Crowd{"Volumes", R"({"volumes":[)", "{}", 500, "]}", "entries in volumes"},
        Crowd{"Claims", R"({"resourceClaims":[)", "{}", 100, "]}", "entries in resourceClaims"},
        Crowd{"Variables", R"({"containers":[{"env":[)", "{}", 1000, "]}]}", "entries in env"},
        Crowd{"Ports", R"({"containers":[{"ports":[)", "{}", 1000, "]}]}", "entries in ports"},
        Crowd{"Limits", R"({"containers":[{"resources":{"limits":{)", R"("r#":1)", 100, "}}}]}",
              "entries in limits"},
        Crowd{"Tolerations", R"({"tolerations":[)", "{}", 200, "]}", "entries in tolerations"},
        Crowd{"NodeSelector", R"({"nodeSelector":{)", R"("k#":"v")", 1000, "}}",
              "entries in nodeSelector"},
        Crowd{"Fields", "{", R"("k#":"v")", 1000, "}", "entries in spec"},
        Crowd{"Terms",
              R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
              R"({"nodeSelectorTerms":[)",
              "{}", 100, "]}}}}", "entries in nodeSelectorTerms"},
        Crowd{"Requirements",
              R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
              R"({"nodeSelectorTerms":[{"matchExpressions":[)",
              "{}", 100, "]}]}}}}", "entries in matchExpressions"},
        Crowd{"Values",
              R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
              R"({"nodeSelectorTerms":[{"matchExpressions":[{"values":[)",
              "\"v\"", 1000, "]}]}]}}}}", "entries in values"}),
    CaseName());

TEST_F(DecodePodTest, CountsAllThatIsDecoded) {
  std::string spec = R"({"containers":[)";
  for (int i = 0; i < 100; ++i) {
    spec += R"({"env":[)";
    for (int j = 0; j < 900; ++j) spec += "{},";
    spec += "{}]},";
  }
  ASSERT_TRUE(Decode(spec + "{}]}").ok());
  EXPECT_EQ(exceeded_, "more than 100 containers");
  spec.pop_back();
  ASSERT_TRUE(Decode(spec + "]}").ok());
  EXPECT_EQ(exceeded_, "more than 50000 entries in all lists and maps");
}

TEST_F(DecodePodTest, LongAmountsAreNotJudged) {
  const auto decode = [&](std::size_t digits) {
    return Decode(R"({"containers":[{"resources":{"limits":{"cpu":")" + std::string(digits, '1') +
                  "\"}}}]}");
  };
  const Result<Pod> pod = decode(128);
  EXPECT_TRUE(pod->spec.containers[0].limits.Find("cpu")->quantity);
  EXPECT_EQ(exceeded_, "");
  ASSERT_TRUE(decode(129).ok());
  EXPECT_EQ(exceeded_, "more than 128 characters in an amount");
}

TEST_F(DecodePodTest, SlipsAreNamedAndTheRestIsRead) {
  const Result<Pod> pod = Decode(R"({
    "nodeSelector": {"good": "v", "cloud.google.com/gke-spot": true, "n": 4, "none": null},
    "containers": [{"name": {"x": null}}, {"name": "b", "env": [{"name": "N", "value": 3},
        {"name": "EMPTY", "value": null}]}]})");
  ASSERT_TRUE(pod.ok()) << pod.error().message;
  EXPECT_EQ(pod->spec.node_selector.Find("good"), "v");
  EXPECT_EQ(pod->spec.node_selector.Find("n"), std::nullopt);
  EXPECT_TRUE(pod->spec.node_selector.Has("n"));
  EXPECT_EQ(pod->spec.containers[1].name, "b");
  std::vector<std::string> problems;
  for (const Slip& slip : slips_) problems.push_back(slip.problem);
  EXPECT_EQ(problems, (std::vector<std::string>{
                          "name is not a string; quote it",
                          "the value of env \"N\" is not a string; quote it",
                          "nodeSelector \"cloud.google.com/gke-spot\" is not a string; quote it",
                          "nodeSelector \"n\" is not a string; quote it",
                          "nodeSelector \"none\" is null; remove the key or give it a value"}));
}

TEST_F(DecodePodTest, SlipsOfMetadataAreNamed) {
  const auto problems = [&](const std::string& metadata) {
    EXPECT_TRUE(DecodeWhole(R"({"metadata":)" + metadata + R"(,"spec":{}})").ok());
    std::vector<std::string> all;
    for (const Slip& slip : slips_) all.push_back(slip.problem);
    return all;
  };
  EXPECT_THAT(problems(R"({"name":{"x":null},"generateName":5,"namespace":true,"uid":5,
                  "labels":{"a":5,"b":"x"},"annotations":{"c":null}})"),
              testing::ElementsAre(
                  "name is not a string; quote it", "generateName is not a string; quote it",
                  "namespace is not a string; quote it", "labels \"a\" is not a string; quote it",
                  "annotations \"c\" is null; remove the key or give it a value"));
  EXPECT_THAT(problems(R"({"labels":["a"],"annotations":"b"})"),
              testing::ElementsAre("labels is not a map", "annotations is not a map"));
  EXPECT_THAT(problems(R"({"name":null,"labels":null,"annotations":{}})"), testing::IsEmpty());
}

TEST_F(DecodePodTest, AmountsOfOtherTypesAreShownAsTheyAre) {
  const Result<Pod> pod = Decode(
      R"({"containers":[{"resources":{"limits":{"a":true,"b":false,"c":[],"d":{},"e":1e300}}}]})");
  const ResourceList& limits = pod->spec.containers[0].limits;
  EXPECT_EQ(limits.Find("a")->text, "true");
  EXPECT_EQ(limits.Find("b")->text, "false");
  EXPECT_EQ(limits.Find("c")->text, "a list");
  EXPECT_EQ(limits.Find("d")->text, "a map");
  EXPECT_EQ(limits.Find("e")->quantity, Quantity::Parse("8e28"));
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
  Arena arena;
  Decoder decoder(arena);
  const ObjectMeta meta = DecodeMeta(json, decoder);
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
}  // namespace tpu_admission::k8s::pod_test
