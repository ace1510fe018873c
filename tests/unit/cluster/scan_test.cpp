#include "tpu_admission/cluster/scan.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/fake_cluster.h"
#include "support/settings.h"
#include "tpu_admission/cluster/object_splitter.h"

namespace tpu_admission::cluster::scan_test {
namespace {

using nlohmann::json;
using rules::Mode;
using support::FakeCluster;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

constexpr Day kToday = {2026, 11, 21};

using support::SettingsOf;

// A pod template for a slice of v6e 4x4, whose hosts have 4 chips.
json Template(int chips) {
  json pods = json::parse(R"({"spec": {
    "restartPolicy": "Never",
    "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                     "cloud.google.com/gke-tpu-topology": "4x4"},
    "containers": [{"name": "jax", "image": "i",
                    "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {}}}]}})");
  pods["spec"]["containers"][0]["resources"]["limits"]["google.com/tpu"] = chips;
  return pods;
}

json Job(const std::string& space, const std::string& name, int chips) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}, {"namespace", space}, {"uid", "u-" + name}}},
          {"spec",
           {{"parallelism", 4},
            {"completions", 4},
            {"completionMode", "Indexed"},
            {"template", Template(chips)}}}};
}

json PodOf(const json& job) {
  json pod = Template(8);
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  pod["metadata"] = {{"name", "p"}, {"namespace", job["metadata"]["namespace"]}};
  json owner = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"controller", true}};
  owner["name"] = job["metadata"]["name"];
  owner["uid"] = job["metadata"]["uid"];
  pod["metadata"]["ownerReferences"] = json::array({owner});
  return pod;
}

ScanReport ScanOf(FakeCluster& cluster, const std::string& space = "") {
  const admission::Settings settings = SettingsOf();
  Scanner scanner(settings, nullptr, kToday);
  const Status status = scanner.ReadCluster(cluster, space, [](const std::string&) {});
  EXPECT_TRUE(status);
  return scanner.TakeReport();
}

TEST(Scan, JudgesWhatStandsAtTheTopByNamespaceAndName) {
  const json wrong = Job("b", "wrong", 8);
  FakeCluster cluster(
      json::array({wrong, PodOf(wrong), Job("a", "wrong", 8), Job("a", "good", 4)}));
  const ScanReport report = ScanOf(cluster);
  EXPECT_EQ(report.objects, 4U);
  EXPECT_EQ(report.workloads, 3U);  // the pod is the Job's
  EXPECT_EQ(report.Count(Mode::kDeny), 2U);
  ASSERT_GE(report.told.size(), 2U);
  std::vector<std::string> denied;
  for (const ScannedWorkload& told : report.told) {
    if (told.mode() == Mode::kDeny) denied.push_back(told.namespace_name + "/" + told.name);
  }
  EXPECT_THAT(denied, ElementsAre("a/wrong", "b/wrong"));
  EXPECT_THAT(report.errors, IsEmpty());
}

ScanReport ScanOfStream(const std::vector<json>& objects) {
  const admission::Settings settings = SettingsOf();
  Scanner scanner(settings, nullptr, kToday);
  for (const json& object : objects) EXPECT_TRUE(scanner.Read(object.dump()));
  EXPECT_TRUE(scanner.FinishReading());
  return scanner.TakeReport();
}

json OwnedBy(json object, const json& owner) {
  object["metadata"]["ownerReferences"] = json::array({{{"apiVersion", owner["apiVersion"]},
                                                        {"kind", owner["kind"]},
                                                        {"name", owner["metadata"]["name"]},
                                                        {"uid", owner["metadata"]["uid"]},
                                                        {"controller", true}}});
  return object;
}

TEST(Scan, SaysOnceWhatIsNotCheckedOrCannotBeRead) {
  json slip = Job("a", "slip", 4);
  slip["spec"]["parallelism"] = "4";
  slip["metadata"]["annotations"]["tpu-admission.io/ignore"] = "TPU999=x";
  json crowd = Job("a", "crowd", 4);
  json& pods = crowd["spec"]["template"]["spec"];
  pods.erase("nodeSelector");
  json& terms = pods["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
                    ["nodeSelectorTerms"];
  for (int i = 1; i <= 40; ++i) {
    json term = json::parse(R"({"matchExpressions": [
      {"key": "cloud.google.com/gke-tpu-accelerator", "operator": "In", "values": ["tpu-v6e-slice"]},
      {"key": "cloud.google.com/gke-tpu-topology", "operator": "In", "values": []}]})");
    term["matchExpressions"][1]["values"].push_back("2x" + std::to_string(i));
    terms.push_back(std::move(term));
  }
  const ScanReport report = ScanOfStream({crowd, slip});
  ASSERT_EQ(report.told.size(), 2U);
  EXPECT_THAT(report.told[0].notes,
              ElementsAre("not checked: its choice of nodes, which has more than 32 alternatives"));
  EXPECT_THAT(report.told[1].notes,
              UnorderedElementsAre("parallelism is a string; write 4 without quotes",
                                   HasSubstr("there is no rule \"TPU999\"")));
}

// `kubectl get pods -A -o json | tpu-admission scan -`
TEST(Scan, JudgesPodsWhoseOwnersWereNotRead) {
  const json pod = PodOf(Job("a", "wrong", 8));
  const json other = PodOf(Job("a", "other", 8));
  const ScanReport report = ScanOfStream({pod, pod, pod, other});
  EXPECT_EQ(report.workloads, 4U);
  EXPECT_EQ(report.Count(Mode::kDeny), 2U) << "one for each owner";
  std::string notes;
  for (const ScannedWorkload& told : report.told) {
    for (const std::string& note : told.notes) notes += note + "\n";
  }
  EXPECT_THAT(notes, HasSubstr("its owner, Job \"other\", is not among what was read\n"));
  EXPECT_THAT(notes, HasSubstr("Job \"wrong\", is not among what was read; 2 more of this owner"));
}

TEST(Scan, LeavesOutPodsWhoseOwnersWereReadWhicheverComesFirst) {
  const json job = Job("a", "wrong", 8);
  json by_name = PodOf(job);
  by_name["metadata"]["ownerReferences"][0].erase("uid");
  for (const auto& objects :
       {std::vector<json>{PodOf(job), by_name, job}, std::vector<json>{job, PodOf(job), by_name}}) {
    const ScanReport report = ScanOfStream(objects);
    EXPECT_EQ(report.workloads, 1U);
    ASSERT_EQ(report.told.size(), 1U);
    EXPECT_EQ(report.told[0].kind, "Job");
  }
  json elsewhere = by_name;
  elsewhere["metadata"]["namespace"] = "b";
  EXPECT_EQ(ScanOfStream({elsewhere, job}).told.size(), 2U);
}

// Whatever is at the top of what was read is told, and nothing below it.
TEST(Scan, OfAChainTellsTheFirstThatWasRead) {
  json set = Job("a", "set", 8);
  set["apiVersion"] = "jobset.x-k8s.io/v1alpha2";
  set["kind"] = "JobSet";
  set["spec"] = {
      {"replicatedJobs", json::array({{{"name", "w"}, {"template", {{"spec", set["spec"]}}}}})}};
  const json job = OwnedBy(Job("a", "set-w-0", 8), set);
  const json pod = PodOf(job);
  const auto told = [](const std::vector<json>& objects) {
    std::vector<std::string> kinds;
    for (const auto& each : ScanOfStream(objects).told) kinds.push_back(each.kind);
    return kinds;
  };
  EXPECT_THAT(told({pod, job, set}), ElementsAre("JobSet"));
  EXPECT_THAT(told({pod, job}), ElementsAre("Job"));
  EXPECT_THAT(told({pod}), ElementsAre("Pod"));
}

TEST(Scan, JudgesPodsInThePlaceOfOwnersThatMayNotBeRead) {
  const json job = Job("a", "wrong", 8);
  FakeCluster cluster(json::array({job, PodOf(job)}));
  cluster.Forbid("jobs.batch");
  const ScanReport report = ScanOf(cluster);
  ASSERT_EQ(report.told.size(), 1U);
  EXPECT_EQ(report.told[0].kind, "Pod");
  EXPECT_EQ(report.Count(Mode::kDeny), 1U);
}

TEST(Scan, AsksOnlyForKindsThatTheServerHasAndPageByPage) {
  FakeCluster cluster(json::array({Job("a", "good", 4)}));
  ScanOf(cluster);
  EXPECT_THAT(cluster.calls(), ElementsAre("api-resources --verbs=list -o name",
                                           "get jobs.batch -o json --chunk-size=500 -A"));
}

TEST(Scan, OfOneNamespaceLeavesTheOthersAlone) {
  FakeCluster cluster(json::array({Job("a", "wrong", 8), Job("b", "wrong", 8)}));
  EXPECT_EQ(ScanOf(cluster, "a").Count(Mode::kDeny), 1U);
  EXPECT_THAT(cluster.calls(), Contains(HasSubstr("-n a")));
  EXPECT_THAT(cluster.calls(), Not(Contains(HasSubstr("-A"))));
}

TEST(Scan, TellsWhatItMayNotReadAndJudgesTheRest) {
  FakeCluster cluster(json::array({Job("a", "wrong", 8)}));
  cluster.Forbid("pods");
  const ScanReport report = ScanOf(cluster);
  EXPECT_THAT(report.errors, ElementsAre(HasSubstr("(Forbidden)")));
  EXPECT_EQ(report.Count(Mode::kDeny), 1U);
}

// Of a server that is gone, or refuses for want of time, not every kind is asked for.
TEST(Scan, GivesUpAfterThreeKindsWithoutAnAnswer) {
  json objects = json::array();
  for (const char* kind : {"DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"}) {
    objects.push_back({{"apiVersion", "apps/v1"}, {"kind", kind}, {"metadata", {{"name", "a"}}}});
  }
  FakeCluster cluster(objects);
  cluster.FailAllLists("Error from server (TooManyRequests): try again later");
  const ScanReport report = ScanOf(cluster);
  EXPECT_EQ(cluster.calls().size(), 1U + 3U);
  ASSERT_EQ(report.errors.size(), 4U);
  EXPECT_THAT(report.errors[0], HasSubstr("TooManyRequests"));
  EXPECT_THAT(report.errors[3], HasSubstr("gave up after three kinds in a row"));

  FakeCluster forbidding(objects);
  forbidding.FailAllLists("Error from server (Forbidden): you may not");
  EXPECT_EQ(ScanOf(forbidding).errors.size(), 4U) << "that is an answer";
}

TEST(Scan, NamesTheKindWhoseListCannotBeRead) {
  FakeCluster cluster(json::array({Job("a", "good", 4)}));
  const std::string large(ObjectSplitter::kMostBytes, 'x');
  for (const std::string& text : {std::string("<html>"), std::string("{\"items\": [{\"a\": 1}"),
                                  std::string("\n"), std::string("{}"), "{\"a\": \"" + large}) {
    cluster.AnswerAllLists(text);
    EXPECT_THAT(ScanOf(cluster).errors, Contains(StartsWith("jobs.batch: "))) << text.substr(0, 9);
  }
}

// A list that goes in circles is bounded by the time of the call, and what is kept of it by this.
TEST(Scan, KeepsNoMoreWorkloadsThanItCanTell) {
  const admission::Settings settings = SettingsOf();
  Scanner scanner(settings, nullptr, kToday, 3);
  const std::string job = Job("a", "good", 4).dump();
  for (int i = 0; i < 5; ++i) scanner.Take(job);
  const ScanReport report = scanner.TakeReport();
  EXPECT_EQ(report.told.size(), 3U);
  EXPECT_EQ(report.workloads, 5U);
  EXPECT_THAT(report.errors, ElementsAre(HasSubstr("2 more workloads have findings")));
  EXPECT_THAT(scanner.TakeReport().errors, IsEmpty());
}

TEST(Scan, TellsWhatIsFixedInNewPods) {
  FakeCluster cluster(json::array({Job("a", "good", 4)}));
  const ScanReport report = ScanOf(cluster);
  ASSERT_EQ(report.CountFixed(), 1U);  // nothing tolerates the taint of TPU nodes
  EXPECT_EQ(report.Count(Mode::kDeny), 0U);
}

TEST(Scan, OfTwoPoliciesTellsOnlyTheDifference) {
  const admission::Settings audit = SettingsOf("default: audit\n");
  const admission::Settings deny = SettingsOf();
  const std::string text = Job("a", "wrong", 8).dump() + Job("a", "good", 4).dump();
  Scanner stricter(deny, &audit, kToday);
  ASSERT_TRUE(stricter.Read(text) && stricter.FinishReading());
  const ScanReport report = stricter.TakeReport();
  ASSERT_FALSE(report.told.empty());
  const ScannedWorkload& wrong = report.told.back();
  EXPECT_EQ(wrong.name, "wrong");
  EXPECT_EQ(wrong.findings.front().mode, Mode::kDeny);
  EXPECT_EQ(wrong.findings.front().mode_before, Mode::kAudit);

  Scanner same(deny, &deny, kToday);
  ASSERT_TRUE(same.Read(text) && same.FinishReading());
  EXPECT_THAT(same.TakeReport().told, IsEmpty());
}

const admission::Settings& WithOwnKind() {
  static const admission::Settings settings = SettingsOf(R"(kinds:
- group: training.example.com
  versions: [v1]
  kind: Experiment
  resource: experiments
  podSets: [{path: spec/template}]
)");
  return settings;
}

json Experiment() {
  json own = Job("a", "own", 3);
  own["apiVersion"] = "training.example.com/v1";
  own["kind"] = "Experiment";
  return own;
}

TEST(Scan, OfTwoPoliciesTellsAlsoOfAnOwnKindThatTheSecondDrops) {
  const admission::Settings without = SettingsOf();
  FakeCluster cluster(json::array({Experiment()}));
  Scanner scanner(without, &WithOwnKind(), kToday);
  ASSERT_TRUE(scanner.ReadCluster(cluster, "", [](const std::string&) {}));
  const ScanReport report = scanner.TakeReport();
  ASSERT_EQ(report.told.size(), 1U);
  ASSERT_FALSE(report.told[0].findings.empty());
  EXPECT_EQ(report.told[0].findings[0].mode_before, Mode::kDeny);
  EXPECT_EQ(report.told[0].findings[0].mode, Mode::kOff);
  EXPECT_THAT(report.told[0].repairs, IsEmpty());

  Scanner back(WithOwnKind(), &without, kToday);
  ASSERT_TRUE(back.Read(Experiment().dump()) && back.FinishReading());
  EXPECT_EQ(back.TakeReport().Count(Mode::kDeny), 1U);
}

TEST(Scan, OfTwoPoliciesTellsAlsoOfFixes) {
  const admission::Settings fixing = SettingsOf();
  const admission::Settings other = SettingsOf("fixes: {TPU104: false}\n");
  const auto notes = [](const admission::Settings& after, const admission::Settings& before) {
    Scanner scanner(after, &before, kToday);
    EXPECT_TRUE(scanner.Read(Job("a", "good", 4).dump()) && scanner.FinishReading());
    const ScanReport report = scanner.TakeReport();
    return report.told.empty() ? std::vector<std::string>() : report.told[0].notes;
  };
  EXPECT_THAT(notes(other, fixing), ElementsAre("TPU104 is no longer fixed in its new pods"));
  EXPECT_THAT(notes(fixing, other), ElementsAre("TPU104 was not fixed in its new pods"));
  EXPECT_THAT(notes(fixing, fixing), IsEmpty());
}

TEST(Scan, OfAStreamKeepsToOneNamespace) {
  json anywhere = Job("c", "anywhere", 8);
  anywhere["metadata"].erase("namespace");
  json of_cluster = {{"apiVersion", "trainer.kubeflow.org/v1alpha1"},
                     {"kind", "ClusterTrainingRuntime"},
                     {"metadata", {{"name", "runtime"}}}};
  of_cluster["spec"]["template"]["spec"]["replicatedJobs"] =
      json::array({{{"name", "node"}, {"template", {{"spec", Job("", "", 8)["spec"]}}}}});
  const admission::Settings settings = SettingsOf();
  const auto names = [&](const std::string& space) {
    Scanner scanner(settings, nullptr, kToday);
    scanner.KeepTo(space);
    for (const json& each : {Job("a", "x", 8), Job("b", "y", 8), anywhere, of_cluster}) {
      EXPECT_TRUE(scanner.Read(each.dump()));
    }
    EXPECT_TRUE(scanner.FinishReading());
    std::vector<std::string> told;
    for (const ScannedWorkload& workload : scanner.TakeReport().told) told.push_back(workload.name);
    return told;
  };
  EXPECT_THAT(names("b"), ElementsAre("anywhere", "y"));
  EXPECT_EQ(names("").size(), 4U);
}

std::size_t ResidentKib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") return status >> word ? std::stoul(word) : 0;
  }
  return 0;
}

// As many pods as a large cluster has cost no memory: what was judged with its owner is not kept.
TEST(Scan, KeepsNothingOfPodsThatHaveOwners) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers use memory of their own";
#endif
  const admission::Settings settings = SettingsOf();
  Scanner scanner(settings, nullptr, kToday);
  const std::string pod = PodOf(Job("a", "good", 4)).dump();
  ASSERT_TRUE(scanner.Read("{\"items\":[" + pod));
  const std::size_t before = ResidentKib();
  constexpr std::size_t kPods = 10'000;
  for (std::size_t i = 0; i < kPods; ++i) ASSERT_TRUE(scanner.Read("," + pod));
  ASSERT_TRUE(scanner.Read("]}") && scanner.FinishReading());
  EXPECT_LT(ResidentKib(), before + 4096);  // the stream has 8 MiB
  EXPECT_EQ(scanner.TakeReport().objects, kPods + 1);
}

TEST(Scan, JudgesWhatStandsBehindAnObjectThatIsTooLarge) {
  const admission::Settings settings = SettingsOf();
  Scanner scanner(settings, nullptr, kToday);
  const std::string large = "{\"a\": \"" + std::string(ObjectSplitter::kMostBytes, '}') + "\"}";
  ASSERT_TRUE(scanner.Read("{\"items\": [" + large + ",\n" + Job("a", "wrong", 8).dump() + "]}"));
  ASSERT_TRUE(scanner.FinishReading());
  const ScanReport report = scanner.TakeReport();
  EXPECT_THAT(report.errors, ElementsAre("an object in line 1 is larger than 8 MiB"));
  EXPECT_EQ(report.Count(Mode::kDeny), 1U);
}

TEST(Scan, TellsOfAnObjectThatCannotBeRead) {
  const admission::Settings settings = SettingsOf();
  Scanner scanner(settings, nullptr, kToday);
  ASSERT_TRUE(scanner.Read("{\"a\": tru} " + Job("a", "wrong", 8).dump()));
  const ScanReport report = scanner.TakeReport();
  EXPECT_THAT(report.errors, ElementsAre(HasSubstr("cannot be read")));
  EXPECT_EQ(report.Count(Mode::kDeny), 1U);
}

}  // namespace
}  // namespace tpu_admission::cluster::scan_test
