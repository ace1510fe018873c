// Pod sets that are no pod templates: Argo's templates, choices of nodes for others, device claims.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/case_name.h"
#include "unit/workload/reading.h"

namespace tpu_admission::workload::choices_test {
namespace {

using nlohmann::json;

const std::string kAccelerator = "cloud.google.com/gke-tpu-accelerator";
const std::string kTopology = "cloud.google.com/gke-tpu-topology";
const json kContainer = PodSpecOf()["containers"][0];

std::string_view Fixed(const PodSet& set, NodeLabel label) {
  if (set.nodes.choices.size() != 1 || !set.nodes.choices[0][label].fixed()) return "";
  return set.nodes.choices[0][label].value;
}

TEST(ArgoTemplates, TakeFromTheirWorkflowWhatTheyDoNotSay) {
  Reading reading;
  const json workflow = {
      {"spec",
       {{"nodeSelector", {{kAccelerator, "tpu-v6e-slice"}, {kTopology, "4x4"}}},
        {"tolerations", json::array({{{"key", "google.com/tpu"}, {"operator", "Exists"}}})},
        {"templates", json::array({{{"name", "dag"}, {"dag", {{"tasks", json::array()}}}},
                                   {{"name", "a"}, {"container", kContainer}},
                                   {{"name", "b"},
                                    {"script", kContainer},
                                    {"nodeSelector", {{kAccelerator, "tpu7x"}}},
                                    {"tolerations", json::array({{{"key", "other"}}})}},
                                   {{"name", "c"}, {"container", {{"name", "cpu"}}}}})}}}};
  const Workload read = reading.Of("argoproj.io", "Workflow", workflow);
  // "c" asks for no chips, but goes where the workflow sends it.
  ASSERT_EQ(read.pod_sets.size(), 3U);
  const PodSet& a = read.pod_sets[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(Fixed(a, NodeLabel::kTopology), "4x4");
  EXPECT_EQ(a.selector_pointer, "/spec");
  EXPECT_EQ(a.spec_pointer, "/spec/templates/1");
  EXPECT_EQ(a.pod.spec.tolerations.size(), 1U);
  const PodSet& b = read.pod_sets[1];
  EXPECT_EQ(Fixed(b, NodeLabel::kAccelerator), "tpu7x");
  EXPECT_EQ(Fixed(b, NodeLabel::kTopology), "") << "a selector of its own replaces the workflow's";
  EXPECT_EQ(b.selector_pointer, "/spec/templates/2");
  EXPECT_EQ(b.pod.spec.tolerations[0].key, "other");
  EXPECT_EQ(read.pod_sets[2].use, TpuUse::kSelects);
}

TEST(ArgoTemplates, TakeFromTheTemplateDefaultsWhatTheyDoNotSay) {
  Reading reading;
  const json workflow = {
      {"spec",
       {{"nodeSelector", {{kAccelerator, "tpu7x"}, {kTopology, "2x2x1"}}},
        {"templateDefaults",
         {{"nodeSelector", {{kAccelerator, "tpu-v6e-slice"}, {kTopology, "4x4"}}},
          {"tolerations", json::array({{{"key", "google.com/tpu"}, {"operator", "Exists"}}})}}},
        {"templates",
         json::array({{{"name", "a"}, {"container", kContainer}},
                      {{"name", "all"},
                       {"container", kContainer},
                       {"nodeSelector", {{kAccelerator, "tpu-v6e-slice"}, {kTopology, "2x2"}}},
                       {"tolerations", json::array({{{"key", "other"}}})}},
                      {{"name", "half"},
                       {"container", kContainer},
                       {"nodeSelector", {{kTopology, "2x2"}}}}})}}}};
  const Workload read = reading.Of("argoproj.io", "Workflow", workflow);
  ASSERT_EQ(read.pod_sets.size(), 3U);
  const PodSet& a = read.pod_sets[0];
  EXPECT_EQ(Fixed(a, NodeLabel::kTopology), "4x4") << "they come before the workflow";
  EXPECT_EQ(a.selector_pointer, "/spec/templateDefaults");
  EXPECT_EQ(a.pod.spec.tolerations.size(), 1U);
  EXPECT_FALSE(a.is_patched);
  const PodSet& all = read.pod_sets[1];
  EXPECT_EQ(Fixed(all, NodeLabel::kTopology), "2x2");
  EXPECT_EQ(all.selector_pointer, "/spec/templates/1");
  EXPECT_EQ(all.pod.spec.tolerations.size(), 2U);
  EXPECT_FALSE(all.is_patched);
  EXPECT_TRUE(read.pod_sets[2].is_patched) << "its accelerator stands elsewhere";
}

TEST(ArgoTemplates, MayBePatchedByEachLevel) {
  const json step = {{"name", "a"}, {"container", kContainer}};
  const auto is_patched = [&](const std::string& pointer) {
    Reading reading;
    const json workflow = {{"spec", {{"templates", json::array({step})}}}};
    const Workload read =
        reading.Of("argoproj.io", "Workflow",
                   pointer.empty() ? workflow : Put(workflow, pointer, "nodeSelector: {a: b}"));
    return read.pod_sets.size() == 1 && read.pod_sets[0].is_patched;
  };
  EXPECT_FALSE(is_patched(""));
  EXPECT_TRUE(is_patched("/spec/podSpecPatch"));
  EXPECT_TRUE(is_patched("/spec/templateDefaults/podSpecPatch"));
  EXPECT_TRUE(is_patched("/spec/templates/0/podSpecPatch"));
}

// One field of the template, the other of the workflow.
TEST(ArgoTemplates, OfTwoPlacesAreNotKnownAsAWhole) {
  Reading reading;
  const json affinity = {
      {"nodeAffinity",
       {{"requiredDuringSchedulingIgnoredDuringExecution",
         {{"nodeSelectorTerms",
           json::array(
               {{{"matchExpressions", json::array({{{"key", kTopology},
                                                    {"operator", "In"},
                                                    {"values", json::array({"2x2"})}}})}}})}}}}}};
  const json workflow = {
      {"spec",
       {{"nodeSelector", {{kAccelerator, "tpu-v6e-slice"}}},
        {"templates", json::array({{{"container", kContainer}, {"affinity", affinity}}})}}}};
  const Workload read = reading.Of("argoproj.io", "Workflow", workflow);
  ASSERT_EQ(read.pod_sets.size(), 1U);
  EXPECT_TRUE(read.pod_sets[0].is_patched);
}

TEST(FlinkTemplates, TakeFromTheCommonOneWhatTheyDoNotSay) {
  const json selects = {{"nodeSelector", {{kAccelerator, "tpu-v6e-slice"}, {kTopology, "2x2"}}}};
  const json asks = {{"containers", json::array({kContainer})}};
  const auto of = [&](Reading& reading, const json& common, const json& workers) {
    json spec = {{"podTemplate", {{"spec", common}}}};
    if (!workers.is_null()) spec["taskManager"]["podTemplate"]["spec"] = workers;
    return reading.Of("flink.apache.org", "FlinkDeployment", {{"spec", spec}});
  };
  Reading first;
  const Workload split = of(first, selects, asks);
  ASSERT_EQ(split.pod_sets.size(), 1U) << "the common template is no pod of its own";
  EXPECT_EQ(split.pod_sets[0].use, TpuUse::kChips);
  EXPECT_EQ(Fixed(split.pod_sets[0], NodeLabel::kTopology), "2x2");
  EXPECT_EQ(split.pod_sets[0].selector_pointer, "/spec/podTemplate/spec");
  EXPECT_EQ(split.pod_sets[0].spec_pointer, "/spec/taskManager/podTemplate/spec");
  Reading second;
  const Workload other = of(second, asks, selects);
  ASSERT_EQ(other.pod_sets.size(), 1U);
  EXPECT_EQ(other.pod_sets[0].use, TpuUse::kChips);
  EXPECT_EQ(other.pod_sets[0].spec_pointer, "/spec/podTemplate/spec");
  EXPECT_EQ(other.pod_sets[0].selector_pointer, "/spec/taskManager/podTemplate/spec");
  Reading third;
  const Workload common = of(third, asks, nullptr);
  ASSERT_EQ(common.pod_sets.size(), 1U);
  EXPECT_EQ(common.pod_sets[0].pointer, "/spec/podTemplate");
}

struct ArgoContainer {
  std::string name;
  json content;
  std::string list;
  bool stays = true;
};

class ArgoContainers : public testing::TestWithParam<ArgoContainer> {};

TEST_P(ArgoContainers, AreSeenWhereverTheyStand) {
  Reading reading;
  const json workflow = {{"spec", {{"templates", json::array({GetParam().content})}}}};
  const Workload read = reading.Of("argoproj.io", "Workflow", workflow);
  ASSERT_EQ(read.pod_sets.size(), 1U);
  ASSERT_EQ(read.pod_sets[0].pod.spec.containers.size(), 1U);
  EXPECT_EQ(read.pod_sets[0].pod.spec.containers[0].list, GetParam().list);
  EXPECT_EQ(read.pod_sets[0].chips_per_pod, GetParam().stays ? 4 : 0);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ArgoContainers,
    testing::Values(
        ArgoContainer{"Container", {{"container", kContainer}}, "container"},
        ArgoContainer{"Script", {{"script", kContainer}}, "script"},
        ArgoContainer{
            "Set", {{"containerSet", {{"containers", {kContainer}}}}}, "containerSet/containers"},
        ArgoContainer{"Sidecar", {{"sidecars", {kContainer}}}, "sidecars"},
        ArgoContainer{"Init", {{"initContainers", {kContainer}}}, "initContainers", false}),
    CaseName());

TEST(ArgoTemplates, ALonelyContainerHasNoIndex) {
  Reading reading;
  const Workload read =
      reading.Of("argoproj.io", "Workflow",
                 {{"spec", {{"templates", json::array({{{"container", kContainer}}})}}}});
  EXPECT_EQ(read.pod_sets[0].pod.spec.containers[0].index, k8s::Container::kAlone);
}

TEST(Choices, OfAComputeClassAreItsTpuPriorities) {
  Reading reading;
  const json compute_class = {
      {"spec",
       {{"priorities",
         json::array({{{"machineFamily", "n4"}},
                      {{"tpu", {{"type", "tpu-v6e-slice"}, {"topology", "4x4"}, {"count", 4}}},
                       {"machineType", "ct6e-standard-4t"}},
                      {{"tpu", {{"type", "tpu7x"}, {"count", "{{ n }}"}}}}})}}}};
  const Workload read = reading.Of("cloud.google.com", "ComputeClass", compute_class);
  ASSERT_EQ(read.pod_sets.size(), 2U);
  const PodSet& first = read.pod_sets[0];
  EXPECT_EQ(first.use, TpuUse::kChoice);
  EXPECT_EQ(first.pointer, "/spec/priorities/1");
  EXPECT_EQ(Fixed(first, NodeLabel::kMachineType), "ct6e-standard-4t");
  EXPECT_EQ(first.nodes.choices[0][NodeLabel::kMachineType].pointer,
            "/spec/priorities/1/machineType");
  EXPECT_EQ(Fixed(first, NodeLabel::kAccelerator), "tpu-v6e-slice");
  EXPECT_EQ(Fixed(first, NodeLabel::kTopology), "4x4");
  EXPECT_EQ(Fixed(first, NodeLabel::kAcceleratorCount), "4");
  EXPECT_EQ(first.chips_per_pod, 4);
  EXPECT_EQ(first.nodes.choices[0][NodeLabel::kTopology].pointer,
            "/spec/priorities/1/tpu/topology");
  EXPECT_EQ(Fixed(read.pod_sets[1], NodeLabel::kAcceleratorCount), "") << "a placeholder";
  EXPECT_TRUE(read.kind->serves_others);
}

std::vector<std::string_view> ZonesOf(const PodSet& set) {
  std::vector<std::string_view> zones;
  for (const NodeChoice& choice : set.nodes.choices) {
    zones.push_back(choice[NodeLabel::kZone].pointer);
  }
  return zones;
}

// A priority's own zones go before those of all; each is an alternative.
TEST(Choices, OfAComputeClassAreItsZones) {
  using testing::ElementsAre;
  Reading reading;
  const json tpu = {{"type", "tpu-v6e-slice"}, {"topology", "4x4"}};
  json zones = json::array({"a-b-c", "a-b-d"});
  const json priorities =
      json::array({{{"tpu", tpu}, {"location", {{"zones", zones}}}}, {{"tpu", tpu}}});
  json compute_class = {
      {"spec",
       {{"priorityDefaults", {{"location", {{"zones", {"a-b-e"}}}}}}, {"priorities", priorities}}}};
  const Workload read = reading.Of("cloud.google.com", "ComputeClass", compute_class);
  ASSERT_EQ(read.pod_sets.size(), 2U);
  EXPECT_THAT(ZonesOf(read.pod_sets[0]), ElementsAre("/spec/priorities/0/location/zones/0",
                                                     "/spec/priorities/0/location/zones/1"));
  EXPECT_THAT(ZonesOf(read.pod_sets[1]), ElementsAre("/spec/priorityDefaults/location/zones/0"));
  for (int i = 0; i < 40; ++i) zones.push_back("a-b-" + std::to_string(i));
  compute_class["spec"]["priorities"][0]["location"]["zones"] = zones;
  Reading crowded;
  const Workload many = crowded.Of("cloud.google.com", "ComputeClass", compute_class);
  EXPECT_TRUE(many.pod_sets[0].nodes.too_many) << "more zones than can be judged one by one";
}

TEST(Choices, OfAModelAreThoseOfItsProfilesName) {
  struct Profile {
    std::string name;
    std::string_view topology;
    std::int64_t chips;
  };
  for (const auto& [name, topology, chips] :
       {Profile{"google-tpu-v5e-2x2:4", "2x2", 4}, Profile{"google-tpu-v5e-2x4", "2x4", 1},
        Profile{"google-tpu-v5e-1x1:x", "1x1", 0}, Profile{"google-tpu-v5e-2x2:-4", "2x2", -4}}) {
    Reading reading;
    const Workload read =
        reading.Of("kubeai.org", "Model", {{"spec", {{"resourceProfile", name}}}});
    ASSERT_EQ(read.pod_sets.size(), 1U) << name;
    EXPECT_EQ(Fixed(read.pod_sets[0], NodeLabel::kTopology), topology) << name;
    EXPECT_EQ(Fixed(read.pod_sets[0], NodeLabel::kAccelerator), "tpu-v5-lite-podslice") << name;
    EXPECT_EQ(read.pod_sets[0].chips_per_pod, chips) << name;
  }
  for (const std::string other :
       {"", "cpu:2", "google-tpu-v6e-2x2:4", "google-tpu-v5e-4x4:16", "nvidia-gpu-l4:1"}) {
    Reading reading;
    EXPECT_TRUE(reading.Of("kubeai.org", "Model", {{"spec", {{"resourceProfile", other}}}})
                    .pod_sets.empty())
        << other;
  }
}

// A node selector says what `type` and `topology` do not.
TEST(Choices, OfAPathwaysJobAreThoseOfItsNodeSelectorToo) {
  Reading reading;
  const json worker = {{"type", "ct6e-standard-4t"},
                       {"topology", "4x4"},
                       {"numSlices", 2},
                       {"nodeSelector",
                        {{kTopology, "2x4"},
                         {kAccelerator, "tpu7x"},
                         {"topology.kubernetes.io/zone", "us-east5-b"}}}};
  const Workload read = reading.Of(
      "pathways-job.pathways.domain", "PathwaysJob",
      {{"spec", {{"workers", json::array({worker})}, {"controller", {{"elasticSlices", 3}}}}}});
  ASSERT_EQ(read.pod_sets.size(), 1U);
  const PodSet& set = read.pod_sets[0];
  EXPECT_EQ(Fixed(set, NodeLabel::kTopology), "4x4");
  EXPECT_EQ(Fixed(set, NodeLabel::kAccelerator), "") << "the machine says which";
  EXPECT_EQ(Fixed(set, NodeLabel::kZone), "us-east5-b");
  EXPECT_EQ(set.nodes.choices[0][NodeLabel::kZone].pointer,
            "/spec/workers/0/nodeSelector/topology.kubernetes.io~1zone");
  EXPECT_EQ(set.scale.slices.value, 2);
  EXPECT_EQ(set.scale.elastic_slices.value, 3);
  EXPECT_EQ(set.scale.elastic_slices.pointer(), "/spec/controller/elasticSlices");
}

TEST(Choices, OfAResourceFlavorAreItsNodeLabels) {
  Reading reading;
  const json labels = {{kAccelerator, "tpu-v6e-slice"},
                       {"topology.kubernetes.io/zone", "us-east5-b"},
                       {"other", "x"}};
  const Workload read =
      reading.Of("kueue.x-k8s.io", "ResourceFlavor", {{"spec", {{"nodeLabels", labels}}}});
  ASSERT_EQ(read.pod_sets.size(), 1U);
  EXPECT_EQ(Fixed(read.pod_sets[0], NodeLabel::kZone), "us-east5-b");
  EXPECT_EQ(read.pod_sets[0].nodes.choices[0][NodeLabel::kAccelerator].pointer,
            "/spec/nodeLabels/cloud.google.com~1gke-tpu-accelerator");
  const json gpus = {{"cloud.google.com/gke-accelerator", "nvidia-l4"}};
  EXPECT_TRUE(reading.Of("kueue.x-k8s.io", "ResourceFlavor", {{"spec", {{"nodeLabels", gpus}}}})
                  .pod_sets.empty());
}

TEST(Choices, OfAPathwaysJobAreMachineTypes) {
  Reading reading;
  const json job = {
      {"spec",
       {{"workers",
         json::array({{{"type", "ct6e-standard-4t"}, {"topology", "4x4"}, {"numSlices", 2}}})}}}};
  const Workload read = reading.Of("pathways-job.pathways.domain", "PathwaysJob", job);
  ASSERT_EQ(read.pod_sets.size(), 1U);
  EXPECT_EQ(Fixed(read.pod_sets[0], NodeLabel::kMachineType), "ct6e-standard-4t");
  EXPECT_EQ(read.pod_sets[0].chips_per_pod, 0);
  EXPECT_EQ(read.pod_sets[0].scale.counting, Counting::kElsewhere);
}

// v1 and v1beta2 have the request under `exactly`; v1beta1 has it plain.
TEST(DeviceClaims, AreReadInEveryVersion) {
  Reading reading;
  const json request = {{"deviceClassName", "tpu.google.com"},
                        {"allocationMode", "ExactCount"},
                        {"count", 2},
                        {"selectors", json::array({{{"cel", {{"expression", "true"}}}}})}};
  json plain = request;
  plain["name"] = "two";
  const json nic = {{"name", "nic"}, {"exactly", {{"deviceClassName", "net.example.com"}}}};
  for (const json& two : {json{{"name", "two"}, {"exactly", request}}, plain}) {
    const json spec = {{"devices", {{"requests", json::array({nic, two})}}}};
    const Workload read =
        reading.Of("resource.k8s.io", "ResourceClaimTemplate", {{"spec", {{"spec", spec}}}});
    ASSERT_EQ(read.pod_sets.size(), 1U);
    EXPECT_EQ(read.pod_sets[0].use, TpuUse::kDeviceClaim);
    ASSERT_EQ(read.pod_sets[0].device_requests.size(), 1U);
    const DeviceRequest& found = read.pod_sets[0].device_requests[0];
    EXPECT_EQ(found.index, 1U);
    EXPECT_EQ(found.name, "two");
    EXPECT_EQ(found.count, 2);
    EXPECT_FALSE(found.all);
    EXPECT_TRUE(found.has_selectors);
  }
}

TEST(DeviceClaims, OfAllDevicesAndOfOneByDefault) {
  Reading reading;
  const auto claim = [&](const json& request) {
    const json requests = json::array({{{"name", "tpu"}, {"exactly", request}}});
    return reading.Of("resource.k8s.io", "ResourceClaim",
                      {{"spec", {{"devices", {{"requests", requests}}}}}});
  };
  json request = {{"deviceClassName", "tpu.google.com"}};
  EXPECT_EQ(claim(request).pod_sets[0].device_requests[0].count, 1);
  request["allocationMode"] = "All";
  EXPECT_TRUE(claim(request).pod_sets[0].device_requests[0].all);
  request["deviceClassName"] = "gpu.example.com";
  EXPECT_TRUE(claim(request).pod_sets.empty());
}

// How many TPUs are chosen then, nobody knows.
TEST(DeviceClaims, WhoseTpusTheSchedulerChoosesAreNotRead) {
  Reading reading;
  const auto sets = [&](const std::string& first) {
    const json plain = {{"name", "a"}, {"exactly", {{"deviceClassName", "tpu.google.com"}}}};
    const json choice = {{"name", "b"},
                         {"firstAvailable", json::array({{{"deviceClassName", first}}})}};
    const json spec = {{"devices", {{"requests", json::array({plain, choice})}}}};
    return reading.Of("resource.k8s.io", "ResourceClaim", {{"spec", spec}}).pod_sets.size();
  };
  EXPECT_EQ(sets("tpu.google.com"), 0U);
  EXPECT_EQ(sets("net.example.com"), 1U);
}

struct UseCase {
  std::string name;
  json change;  // merged into the spec of a pod without TPUs
  std::optional<TpuUse> use;
};

class Uses : public testing::TestWithParam<UseCase> {};

TEST_P(Uses, SayWhatAPodHasToDoWithTpus) {
  Reading reading;
  json pod = {{"spec", PodSpecOf(0)}};
  pod["spec"].merge_patch(GetParam().change);
  const Workload read = reading.Of("", "Pod", pod);
  ASSERT_EQ(read.pod_sets.size(), GetParam().use ? 1U : 0U);
  if (GetParam().use) {
    EXPECT_EQ(read.pod_sets[0].use, *GetParam().use);
  }
}

const json kSelector = {{"nodeSelector", {{kTopology, "2x2"}}}};
const json kToleration = {
    {"tolerations", json::array({{{"key", "google.com/tpu"}, {"operator", "Exists"}}})}};

INSTANTIATE_TEST_SUITE_P(
    Cases, Uses,
    testing::Values(UseCase{"Nothing", json::object(), std::nullopt},
                    UseCase{"Chips", PodSpecOf(), TpuUse::kChips},
                    UseCase{"Selects", kSelector, TpuUse::kSelects},
                    UseCase{"Claims",
                            {{"nodeSelector", {{kTopology, "2x2"}}},
                             {"resourceClaims", json::array({{{"name", "c"}}})}},
                            TpuUse::kClaims},
                    UseCase{"ClaimsOfOtherThings",
                            {{"resourceClaims", json::array({{{"name", "c"}}})}},
                            std::nullopt},
                    UseCase{"Tolerates", kToleration, TpuUse::kTolerates},
                    UseCase{"ToleratesEverything",
                            {{"tolerations", json::array({{{"operator", "Exists"}}})}},
                            std::nullopt},
                    UseCase{"Legacy", json::parse(R"({"containers":[{"name":"c",
                                "resources":{"limits":{"cloud-tpus.google.com/v2":"8"}}}]})"),
                            TpuUse::kLegacy}),
    CaseName());

}  // namespace
}  // namespace tpu_admission::workload::choices_test
