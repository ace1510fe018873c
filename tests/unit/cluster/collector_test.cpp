#include "tpu_admission/cluster/collector.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/fake_cluster.h"
#include "support/settings.h"

namespace tpu_admission::cluster::collector_test {
namespace {

using nlohmann::json;
using support::FakeCluster;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr Day kToday = {2026, 11, 21};

json Object(const std::string& version, const std::string& kind, const std::string& name) {
  return {{"apiVersion", version},
          {"kind", kind},
          {"metadata", {{"name", name}, {"namespace", "ml"}, {"uid", kind + name}}}};
}

json PodOf(const std::string& owner_kind, const std::string& owner, const std::string& name) {
  json pod = Object("v1", "Pod", name);
  pod["metadata"]["ownerReferences"] = json::array(
      {{{"kind", owner_kind}, {"name", owner}, {"uid", owner_kind + owner}, {"controller", true}}});
  return pod;
}

json EventAbout(const json& object, const std::string& reason) {
  json event = Object("v1", "Event", "e-" + reason);
  event["involvedObject"] = {{"kind", object["kind"]},
                             {"name", object["metadata"]["name"]},
                             {"uid", object["metadata"]["uid"]}};
  event["reason"] = reason;
  return event;
}

TEST(Collector, AsksForTheObjectAndWhatBelongsToIt) {
  const json job = Object("batch/v1", "Job", "train");
  const json pod = PodOf("Job", "train", "train-0");
  FakeCluster cluster(
      json::array({job, pod, PodOf("Job", "other", "other-0"), EventAbout(pod, "Ours"),
                   EventAbout(Object("v1", "Pod", "x"), "Other")}));
  Collector collector(support::StandardSettings(), kToday);
  ASSERT_TRUE(collector.ReadCluster(cluster, {"job", "train", "ml"}));
  const Result<Snapshot> snapshot = collector.Finish();
  ASSERT_TRUE(snapshot);
  ASSERT_THAT(snapshot->pods, SizeIs(1));
  EXPECT_EQ(snapshot->pods[0].name, "train-0");
  ASSERT_THAT(snapshot->events, SizeIs(1));
  EXPECT_EQ(snapshot->events[0].reason, "Ours");
  EXPECT_THAT(snapshot->not_read, IsEmpty());
  EXPECT_THAT(
      cluster.calls(),
      ElementsAre("get job train -o json -n ml", "api-resources --verbs=list -o name",
                  "get jobs.batch -n ml --chunk-size=500 -o json",
                  "get pods -n ml --chunk-size=500 -o json",
                  "get events -n ml --chunk-size=500 -o json",
                  "get nodes -l cloud.google.com/gke-tpu-accelerator --chunk-size=500 -o json"));
}

TEST(Collector, SaysWhatItMayNotReadAndGoesOn) {
  const json job = Object("batch/v1", "Job", "train");
  FakeCluster cluster(json::array({job, PodOf("Job", "train", "train-0")}));
  cluster.Forbid("nodes");
  cluster.Forbid("events");
  Collector collector(support::StandardSettings(), kToday);
  ASSERT_TRUE(collector.ReadCluster(cluster, {"job", "train", "ml"}));
  const Result<Snapshot> snapshot = collector.Finish();
  ASSERT_TRUE(snapshot);
  EXPECT_FALSE(snapshot->nodes_known);
  EXPECT_THAT(snapshot->pods, SizeIs(1));
  EXPECT_THAT(snapshot->not_read, ElementsAre(HasSubstr("events"), HasSubstr("nodes")));
}

// Prints the object that is asked about, and nothing else.
class Mute final : public Kubectl {
 public:
  Status Run(const std::vector<std::string>& arguments, const Take& take) override {
    const bool says = arguments[0] == "api-resources" || arguments[1] == "job";
    return says ? cluster_.Run(arguments, take) : take("\n");
  }

 private:
  FakeCluster cluster_{json::array({Object("batch/v1", "Job", "train")})};
};

TEST(Collector, TakesNothingForNoAnswer) {
  Mute cluster;
  Collector collector(support::StandardSettings(), kToday);
  ASSERT_TRUE(collector.ReadCluster(cluster, {"job", "train", "ml"}));
  const Result<Snapshot> snapshot = collector.Finish();
  ASSERT_TRUE(snapshot);
  EXPECT_THAT(snapshot->not_read, Contains(HasSubstr("nodes: kubectl printed nothing")));
  EXPECT_FALSE(snapshot->pods_known);
  EXPECT_FALSE(snapshot->nodes_known);
}

TEST(Collector, EndsWhereTheObjectIsNotThere) {
  FakeCluster cluster;
  Collector collector(support::StandardSettings(), kToday);
  const Status status = collector.ReadCluster(cluster, {"job", "train", "ml"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, std::errc::no_such_file_or_directory);
}

TEST(Collector, AsksKueueOnlyForWhatIsQueued) {
  json job = Object("batch/v1", "Job", "train");
  job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "team";
  const json queue = Object("kueue.x-k8s.io/v1beta1", "LocalQueue", "team");
  FakeCluster queued(json::array({job, queue}));
  Collector collector(support::StandardSettings(), kToday);
  ASSERT_TRUE(collector.ReadCluster(queued, {"job", "train", "ml"}));
  EXPECT_THAT(queued.calls(), Contains(HasSubstr("localqueues.kueue.x-k8s.io")));

  FakeCluster plain(json::array({Object("batch/v1", "Job", "train"), queue}));
  Collector other(support::StandardSettings(), kToday);
  ASSERT_TRUE(other.ReadCluster(plain, {"job", "train", "ml"}));
  EXPECT_THAT(plain.calls(), Not(Contains(HasSubstr("kueue"))));
}

// The pods of others do not take the place of ours, however many there are.
TEST(Collector, FindsItsPodsAmongManyOthers) {
  json objects = json::array({Object("batch/v1", "Job", "train")});
  constexpr std::size_t kMost = 10;
  for (std::size_t i = 0; i < kMost; ++i) {
    objects.push_back(PodOf("Job", "other", "o" + std::to_string(i)));
  }
  objects.push_back(PodOf("Job", "train", "train-0"));
  FakeCluster cluster(objects);
  Collector collector(support::StandardSettings(), kToday, kMost);
  ASSERT_TRUE(collector.ReadCluster(cluster, {"job", "train", "ml"}));
  const Result<Snapshot> snapshot = collector.Finish();
  ASSERT_TRUE(snapshot);
  EXPECT_THAT(snapshot->pods, SizeIs(1));
  EXPECT_EQ(snapshot->left_out, 0U);
}

TEST(Collector, KeepsNoPodsOfOtherNamespacesInTheirPlace) {
  constexpr std::size_t kMost = 10;
  Collector collector(support::StandardSettings(), kToday, kMost);
  collector.LookFor({"job", "train", "ml"});
  for (std::size_t i = 0; i < kMost; ++i) {
    json other = PodOf("Job", "other", "o" + std::to_string(i));
    other["metadata"]["namespace"] = "other";
    collector.Take(other.dump());
  }
  collector.Take(PodOf("Job", "train", "train-0").dump());
  collector.Take(Object("batch/v1", "Job", "train").dump());
  const Result<Snapshot> snapshot = collector.Finish();
  ASSERT_TRUE(snapshot);
  EXPECT_THAT(snapshot->pods, SizeIs(1));
  EXPECT_EQ(snapshot->left_out, 0U);
}

// LeaderWorkerSet: a pod owns the StatefulSet of its workers.
TEST(Collector, FindsPodsThatBelongToItByAnotherPod) {
  const auto owned = [](json object, const std::string& kind, const std::string& name) {
    object["metadata"]["ownerReferences"] =
        json::array({{{"kind", kind}, {"name", name}, {"uid", kind + name}, {"controller", true}}});
    return object;
  };
  FakeCluster cluster(json::array(
      {Object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "serve"),
       owned(Object("apps/v1", "StatefulSet", "serve"), "LeaderWorkerSet", "serve"),
       owned(Object("apps/v1", "StatefulSet", "serve-0"), "Pod", "serve-0"),
       PodOf("StatefulSet", "serve", "serve-0"), PodOf("StatefulSet", "serve-0", "serve-0-1"),
       PodOf("Job", "other", "other-0")}));
  Collector collector(support::StandardSettings(), kToday);
  ASSERT_TRUE(collector.ReadCluster(cluster, {"leaderworkerset", "serve", "ml"}));
  const Result<Snapshot> snapshot = collector.Finish();
  ASSERT_TRUE(snapshot);
  EXPECT_THAT(snapshot->pods, SizeIs(2));
}

TEST(Collector, KeepsABoundedNumberOfEach) {
  constexpr std::size_t kMost = 50;
  Collector collector(support::StandardSettings(), kToday, kMost);
  collector.LookFor({"job", "train", "ml"});
  collector.Take(Object("batch/v1", "Job", "train").dump());
  for (std::size_t i = 0; i < kMost + 100; ++i) {
    collector.Take(PodOf("Job", "train", "p" + std::to_string(i)).dump());
  }
  const Result<Snapshot> snapshot = collector.Finish();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->pods.size(), kMost);
  EXPECT_EQ(snapshot->left_out, 100U);
}

TEST(Collector, KeepsTheNewestEvents) {
  const json job = Object("batch/v1", "Job", "train");
  json objects = json::array({job});
  for (int i = 0; i < 60; ++i) {
    objects.push_back(EventAbout(job, "R" + std::to_string(i)));
    objects.back()["lastTimestamp"] =
        "2026-11-21T10:00:" + std::to_string(i < 10 ? 10 + i : i) + "Z";
  }
  FakeCluster cluster(objects);
  Collector collector(support::StandardSettings(), kToday, 10);
  ASSERT_TRUE(collector.ReadCluster(cluster, {"job", "train", "ml"}));
  const Result<Snapshot> snapshot = collector.Finish();
  ASSERT_TRUE(snapshot);
  EXPECT_LT(snapshot->events.size(), 20U);
  EXPECT_EQ(snapshot->events.back().reason, "R59");
  EXPECT_EQ(snapshot->events.size() + snapshot->left_out, 60U);
}

// Owners without end, the last before the first, each a pass of its own.
TEST(Collector, FollowsNoChainWithoutEnd) {
  Collector collector(support::StandardSettings(), kToday);
  collector.LookFor({"job", "train", "ml"});
  for (int i = 3000; i > 0; --i) {
    json job = Object("batch/v1", "Job", "j" + std::to_string(i));
    const std::string owner = i == 1 ? "Jobtrain" : "Jobj" + std::to_string(i - 1);
    job["metadata"]["ownerReferences"] = json::array({{{"kind", "Job"}, {"uid", owner}}});
    collector.Take(job.dump());
  }
  collector.Take(Object("batch/v1", "Job", "train").dump());
  const Result<Snapshot> snapshot = collector.Finish();
  ASSERT_TRUE(snapshot);
  EXPECT_LT(snapshot->owners.size(), 50U);
}

// An object of another shape than its kind's is no harm.
TEST(Collector, PassesOverWhatItCannotRead) {
  Collector collector(support::StandardSettings(), kToday);
  collector.LookFor({"job", "train", "ml"});
  for (const char* text :
       {"", "[]", "{\"kind\":\"Pod\"",
        "{\"kind\":\"Pod\",\"metadata\":[],\"spec\":7,\"status\":null}",
        "{\"kind\":\"Node\",\"metadata\":{\"labels\":[1]},\"status\":{\"conditions\":{}}}",
        "{\"kind\":\"Event\",\"involvedObject\":\"x\",\"message\":{}}",
        "{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cluster-autoscaler-status\"},"
        "\"data\":{\"status\":\"nodeGroups: [1, {scaleUp: 3}, {name: [x]}]\"}}",
        "{\"kind\":\"ClusterQueue\",\"apiVersion\":\"kueue.x-k8s.io/v1\",\"metadata\":3,"
        "\"spec\":{\"resourceGroups\":[{\"flavors\":[{\"resources\":[{\"name\":\"google.com/tpu\","
        "\"nominalQuota\":\"-1e9999999\"}]}]}]}}"}) {
    collector.Take(text);
  }
  collector.Take(Object("batch/v1", "Job", "train").dump());
  EXPECT_TRUE(collector.Finish());
}

}  // namespace
}  // namespace tpu_admission::cluster::collector_test
