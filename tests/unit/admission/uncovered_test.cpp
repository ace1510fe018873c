// An UPDATE that mends one fault is not denied for another that nobody could see until then.
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"
#include "support/yaml_json.h"

namespace tpu_admission::admission::uncovered_test {
namespace {

using nlohmann::json;

json Manifest(const std::string& yaml) { return json::parse(ParseYaml(yaml).value()[0].json); }

// `pod` is YAML in flow style.
json Deployment(const std::string& pod) {
  return Manifest(
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 1, "
      "template: {spec: " +
      pod + "}}}");
}
json Ray(const std::string& hosts, const std::string& pod) {
  return Manifest(
      "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: r}, spec: "
      "{workerGroupSpecs: [{groupName: g, replicas: 1, numOfHosts: " +
      hosts + ", template: {spec: " + pod + "}}]}}");
}
json Torch(const std::string& replicas) {
  return Manifest(
      "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: p}, spec: "
      "{pytorchReplicaSpecs: {" +
      replicas + "}}}");
}

std::string Labels(const std::string& accelerator, const std::string& topology) {
  return "nodeSelector: {cloud.google.com/gke-tpu-accelerator: " + accelerator +
         ", cloud.google.com/gke-tpu-topology: " + topology + "}";
}
std::string Container(const std::string& limits, const std::string& more = "name: jax, image: x") {
  return "{" + more + ", resources: {limits: {" + limits + "}}}";
}
std::string Pod(const std::string& selection, const std::string& containers) {
  return "{" + selection + ", containers: [" + containers + "]}";
}

const std::string kFour = Container("google.com/tpu: 4");
const std::string kThree = Container("google.com/tpu: 3");
const std::string k2x2 = Labels("tpu-v6e-slice", "2x2");
const std::string k4x4 = Labels("tpu-v6e-slice", "4x4");
const std::string kOtherAffinity =
    ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "{nodeSelectorTerms: [{matchExpressions: [{key: cloud.google.com/gke-tpu-accelerator, "
    "operator: In, values: [tpu-v5-lite-podslice]}]}]}}}";

std::string Big(const std::string& name, const std::string& cpu, const std::string& chips) {
  return "{name: " + name + ", image: x, resources: {requests: {cpu: " + cpu + ", memory: 10Gi}" +
         chips + "}}";
}
const std::string kChips = ", limits: {google.com/tpu: 4}";

std::string Replica(const std::string& name, int replicas, const std::string& pod) {
  return name + ": {replicas: " + std::to_string(replicas) + ", template: {spec: " + pod + "}}";
}
const std::string kNoChips = "{containers: [{name: jax, image: x}]}";

struct Update {
  std::string name;
  json before;
  json after;
  std::string findings;  // that warn or deny
};

class Uncovered : public testing::TestWithParam<Update> {};

TEST_P(Uncovered, FaultsWarn) {
  Asker asker;
  const Answer answer = asker.Validate(Review(GetParam().after).Update(GetParam().before));
  ASSERT_TRUE(answer.valid()) << answer.text;
  const std::string found = answer.findings();
  EXPECT_NE(found.find(GetParam().findings), std::string::npos) << found;
  EXPECT_EQ(answer.allowed(), found.find("=deny") == std::string::npos);
  EXPECT_FALSE(asker.Validate(Review(GetParam().after)).allowed()) << "it is a fault, if it is new";
}

INSTANTIATE_TEST_SUITE_P(
    WhereNothingElseChanged, Uncovered,
    testing::Values(
        Update{"AcceleratorKnown", Deployment(Pod(Labels("tpu-foo", "2x2"), kThree)),
               Deployment(Pod(k2x2, kThree)), "TPU301=warn"},
        Update{"AndAnotherImage", Deployment(Pod(Labels("tpu-foo", "2x2"), kThree)),
               Deployment(Pod(k2x2, Container("google.com/tpu: 3", "name: jax, image: y"))),
               "TPU301=warn"},
        Update{"TopologyReadable", Ray("3", Pod(Labels("tpu-v6e-slice", "4by4"), kFour)),
               Ray("3", Pod(k4x4, kFour)), "TPU401=warn"},
        Update{"TopologyOffered", Ray("3", Pod(Labels("tpu-v6e-slice", "3x3"), kFour)),
               Ray("3", Pod(k4x4, kFour)), "TPU401=warn"},
        Update{"ChipsPossible", Ray("3", Pod(Labels("tpu-v6e-slice", "2x4"), kThree)),
               Ray("3", Pod(Labels("tpu-v6e-slice", "2x4"), kFour)), "TPU401=warn"},
        Update{"ContradictionGone", Deployment(Pod(k2x2 + kOtherAffinity, kThree)),
               Deployment(Pod(k2x2, kThree)), "TPU301=warn"},
        Update{"SameFieldStillWrong", Deployment(Pod(k2x2, Container("google.com/tpu: 1500m"))),
               Deployment(Pod(k2x2, kThree)), "TPU301=warn"},
        Update{"OtherOrderOfContainers",
               Deployment(Pod(k2x2, Container("google.com/tpu: 4", "name: a, image: x") + ", " +
                                        Container("google.com/tpu: 4", "name: b, image: x"))),
               Deployment(Pod(k2x2, Container("google.com/tpu: 4", "name: b, image: x") + ", " +
                                        Container("google.com/tpu: 4", "name: a, image: x"))),
               "TPU303=warn"},
        Update{"LargestAskerIsAnother",
               Deployment(Pod(k2x2, Big("a", "400", kChips) + ", " + Big("b", "150", ""))),
               Deployment(Pod(k2x2, Big("a", "100", kChips) + ", " + Big("b", "150", ""))),
               "TPU602=warn"},
        Update{
            "CountedByAnotherTemplate",
            Torch(Replica("Master", 1, Pod(k4x4, kFour)) + ", " +
                  Replica("Worker", 5, Pod(k4x4, kFour))),
            Torch(Replica("Master", 1, kNoChips) + ", " + Replica("Worker", 5, Pod(k4x4, kFour))),
            "TPU401=warn"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    ButNewOnes, Uncovered,
    testing::Values(Update{"OfAnotherField", Ray("4", Pod(Labels("tpu-v6e-slice", "4by4"), kFour)),
                           Ray("3", Pod(k4x4, kFour)), "TPU401=deny"},
                    Update{"BesideOneThatStays", Deployment(Pod(k2x2, kThree)),
                           Deployment(Pod(Labels("tpu-v6e-slice", "3x3"), kThree)), "TPU203=deny"},
                    Update{"WhereNothingWasWrong", Ray("4", Pod(k4x4, kFour)),
                           Ray("4", Pod(Labels("tpu-v6e-slice", "4x8"), kFour)), "TPU401=deny"}),
    CaseName());

}  // namespace
}  // namespace tpu_admission::admission::uncovered_test
