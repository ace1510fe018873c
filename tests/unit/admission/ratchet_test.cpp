// An UPDATE never asks for more than what it changes: a fault that was there before warns.
#include <gtest/gtest.h>

#include "support/asker.h"
#include "support/case_name.h"

namespace tpu_admission::admission::ratchet_test {
namespace {

using nlohmann::json;

const std::string kSpec = "/spec/template/spec";
const std::string kTopology = kSpec + "/nodeSelector/cloud.google.com~1gke-tpu-topology";
const std::string kChips = kSpec + "/containers/0/resources/limits/google.com~1tpu";

json Chips(json job, const std::string& chips) {
  for (const char* list : {"requests", "limits"}) {
    job =
        With(std::move(job), kSpec + "/containers/0/resources/" + list + "/google.com~1tpu", chips);
  }
  return job;
}
json Parallelism(json job, int pods) {
  return With(With(std::move(job), "/spec/parallelism", pods), "/spec/completions", pods);
}

json WithSidecarBefore(json job) {
  json& containers = job["spec"]["template"]["spec"]["containers"];
  const json sidecar = {{"name", "sidecar"}, {"image", "example.com/sidecar"}};
  containers.insert(containers.begin(), sidecar);
  return job;
}

// Two containers that share the 4 chips of a host, which one takes whole.
json TwoThatShare(json job) {
  job = Chips(std::move(job), "2");
  json& containers = job["spec"]["template"]["spec"]["containers"];
  containers.push_back(containers[0]);
  containers[1]["name"] = "eval";
  return job;
}

// A cluster whose one group has so many hosts of a 4x4, which has 4.
json RayCluster(const std::string& group, int hosts, const std::string& image) {
  json pod = {{"spec", TpuJob()["spec"]["template"]["spec"]}};
  pod["spec"]["containers"][0]["image"] = image;
  const json workers = {{"groupName", group}, {"replicas", 1}, {"numOfHosts", hosts}};
  json cluster = {
      {"apiVersion", "ray.io/v1"}, {"kind", "RayCluster"}, {"metadata", {{"name", "r"}}}};
  cluster["spec"]["workerGroupSpecs"] = json::array({With(workers, "/template", pod)});
  return cluster;
}

struct Update {
  std::string name;
  json before;
  json after;
  bool allowed;
  std::string findings;  // with their modes, in order
};

class Ratchet : public testing::TestWithParam<Update> {};

TEST_P(Ratchet, JudgesTheChange) {
  Asker asker;
  const Answer answer = asker.Validate(Review(GetParam().after).Update(GetParam().before));
  ASSERT_TRUE(answer.valid()) << answer.text;
  EXPECT_EQ(answer.allowed(), GetParam().allowed);
  EXPECT_EQ(answer.findings(), GetParam().findings);
  EXPECT_EQ(answer.warnings().empty(), GetParam().findings.find("=warn") == std::string::npos);
}

const json kSound = TpuJob();
const json kTooManyChips = Chips(kSound, "8");
const json kTooFewPods = Parallelism(kSound, 2);
const json kImage = With(kTooManyChips, kSpec + "/containers/0/image", "example.com/jax:2");

INSTANTIATE_TEST_SUITE_P(
    Cases, Ratchet,
    testing::Values(
        Update{"NothingChanged", kTooManyChips, kTooManyChips, true, ""},
        Update{"LabelOnAFaultyObject", kTooManyChips,
               With(kTooManyChips, "/metadata/labels", {{"a", "b"}}), true, ""},
        Update{"FinalizerOnAFaultyObject", kTooManyChips,
               With(kTooManyChips, "/metadata/finalizers", {"x"}), true, ""},
        Update{"SameFaultAfterAnotherChange", kTooManyChips, kImage, true, "TPU301=warn"},
        Update{"SameFaultWithAnotherValue", kTooManyChips, Chips(kSound, "3"), true, "TPU301=warn"},
        Update{"NewFault", kSound, kTooManyChips, false, "TPU301=deny"},
        Update{"NewFaultBesideAnOldOne", kTooManyChips, With(kTooManyChips, kTopology, "3x3"),
               false, "TPU203=deny"},
        Update{"RenamedContainer", kTooManyChips,
               With(kTooManyChips, kSpec + "/containers/0/name", "torch"), true, "TPU301=warn"},
        Update{"RenamedContainerBehindANewOne", kTooManyChips,
               WithSidecarBefore(With(kTooManyChips, kSpec + "/containers/0/name", "torch")), true,
               "TPU301=warn"},
        Update{"RenamedGroup", RayCluster("workers", 3, "example.com/ray:1"),
               RayCluster("tpus", 3, "example.com/ray:2"), true, "TPU401=warn"},
        Update{"NewFaultOfARenamedGroup", RayCluster("workers", 4, "example.com/ray:1"),
               RayCluster("tpus", 3, "example.com/ray:2"), false, "TPU401=deny"},
        Update{"NewContainersThatShare", kSound, TwoThatShare(kSound), false, "TPU303=deny"},
        Update{"OneOfTwoThatShared", TwoThatShare(kSound), Chips(kSound, "2"), true, "TPU301=warn"},
        Update{"CountWarnsAtMost", kSound, kTooFewPods, true, "TPU401=warn"},
        Update{"CountWithTheShape", kSound, With(kTooFewPods, kTopology, "2x4"), true,
               "TPU305=audit"},
        Update{"ShapeUnderTheSameCount", kSound, With(kSound, kTopology, "4x8"), false,
               "TPU401=deny"},
        Update{"CountOfAFaultyOne", kTooFewPods, Parallelism(kSound, 3), true, "TPU401=warn"},
        Update{"SubSliceAnnotationIsAShape", kSound,
               With(kSound,
                    "/spec/template/metadata/annotations/"
                    "cloud.google.com~1gke-tpu-slice-topology",
                    "4x8"),
               false, "TPU207=deny TPU401=deny"},
        Update{"Mended", kTooManyChips, kSound, true, ""}),
    CaseName());

TEST(Ratchet, WithoutAnOldObjectItIsJudgedAsNew) {
  Asker asker;
  EXPECT_FALSE(asker.Validate(Review(kTooManyChips).Update(nullptr)).allowed());
}

TEST(Ratchet, OldObjectThatCannotBeReadExcusesNothing) {
  Asker asker;
  const json broken = With(kSound, kSpec + "/containers", "x");
  EXPECT_FALSE(asker.Validate(Review(kTooManyChips).Update(broken)).allowed());
  EXPECT_TRUE(asker.Validate(Review(kSound).Update(broken)).allowed());
}

TEST(Ratchet, OldObjectWithoutChipsExcusesNothing) {
  Asker asker;
  const json before = With(kSound, kSpec + "/containers/0/resources", json::object());
  EXPECT_FALSE(asker.Validate(Review(kTooManyChips).Update(before)).allowed());
}

TEST(Ratchet, WhatIsBeingDeletedIsAllowed) {
  Asker asker;
  const json dying = With(kTooManyChips, "/metadata/deletionTimestamp", "2026-01-01T00:00:00Z");
  EXPECT_TRUE(asker.Validate(Review(dying).Update(kSound)).allowed());
}

TEST(Ratchet, Case41OldObjectOfTheUserDoesNotHideANewFault) {
  // The old object claims the fault in another container.
  Asker asker;
  json before = kSound;
  before["spec"]["template"]["spec"]["containers"].push_back(TpuContainer("other", 8));
  EXPECT_FALSE(asker.Validate(Review(kTooManyChips).Update(before)).allowed());
}

TEST(Ratchet, CountOfAStatefulSetIsItsReplicas) {
  Asker asker;
  json set = {{"apiVersion", "apps/v1"}, {"kind", "StatefulSet"}, {"metadata", {{"name", "s"}}}};
  set["spec"] = {{"replicas", 4}, {"serviceName", "s"}, {"template", kSound["spec"]["template"]}};
  const json scaled = With(set, "/spec/replicas", 3);
  const Answer answer = asker.Validate(Review(scaled).Update(set));
  EXPECT_TRUE(answer.allowed());
  EXPECT_EQ(answer.findings(), "TPU401=warn");
  EXPECT_EQ(asker.Validate(Review(With(set, "/spec/replicas", 0)).Update(set)).findings(), "");
}

}  // namespace
}  // namespace tpu_admission::admission::ratchet_test
