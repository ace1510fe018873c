// What a pass reads, writes and deletes.
#include "tpu_admission/audit/auditor.h"

#include <gmock/gmock.h>

#include "support/fake_clock.h"
#include "support/settings.h"
#include "tpu_admission/tpu/catalog.h"
#include "unit/audit/fake_server.h"

namespace tpu_admission::audit::auditor_test {
namespace {

using nlohmann::json;
using rules::Mode;
using support::FakeServer;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kReports = "/apis/openreports.io/v1alpha1";
const std::string kOfWrong = kReports + "/namespaces/ml/reports/u-wrong";
const std::string kOfCapacity = kReports + "/clusterreports/tpu-admission-capacity";

json Job(const std::string& name, int chips) {
  json job = json::parse(R"({"metadata": {"namespace": "ml"},
    "spec": {"parallelism": 4, "completions": 4, "completionMode": "Indexed", "template": {"spec": {
      "restartPolicy": "Never", "subdomain": "s",
      "tolerations": [{"key": "google.com/tpu", "operator": "Exists"}],
      "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                       "cloud.google.com/gke-tpu-topology": "4x4"},
      "containers": [{"name": "jax", "image": "i", "resources": {
        "requests": {"cpu": "1", "memory": "1Gi"}, "limits": {}}}]}}}})");
  job["metadata"]["name"] = name;
  job["metadata"]["uid"] = "u-" + name;
  job["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["google.com/tpu"] = chips;
  return job;
}

json Node(const std::string& name) {
  return {{"metadata",
           {{"name", name},
            {"labels",
             {{"cloud.google.com/gke-tpu-accelerator", "tpu-v6e-slice"},
              {"cloud.google.com/gke-tpu-topology", "2x2"},
              {"cloud.google.com/gke-nodepool", "small"}}}}},
          {"status",
           {{"allocatable", {{"google.com/tpu", "4"}}},
            {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}};
}

class AuditorTest : public ::testing::Test {
 protected:
  AuditorTest() {
    server_.Serve("v1", "pods");
    server_.Serve("v1", "nodes");
    server_.Serve("batch/v1", "jobs");
    server_.Put("/apis/batch/v1/jobs", Job("wrong", 8));
    server_.Put("/apis/batch/v1/jobs", Job("good", 4));
    server_.Put("/api/v1/nodes", Node("n"));
  }

  Outcome Pass() { return Auditor(server_, clock_).Pass(settings_); }
  std::vector<std::string> Paths() const {
    std::vector<std::string> paths;
    for (const auto& [path, report] : server_.reports) paths.push_back(path);
    return paths;
  }

  const admission::Settings& settings_ = support::StandardSettings();
  support::FakeClock clock_;
  FakeServer server_;
};

TEST_F(AuditorTest, WritesAReportForWhatHasFindingsAndOneForTheCluster) {
  server_.ServeReports("openreports.io/v1alpha1", "reports");
  const Outcome outcome = Pass();
  EXPECT_THAT(outcome.errors, IsEmpty());
  EXPECT_EQ(outcome.workloads, 2U);
  EXPECT_EQ(outcome.told.at(Mode::kDeny), 1U);
  EXPECT_EQ(outcome.capacity.chips, 4);
  EXPECT_EQ(outcome.reports, "openreports.io");
  EXPECT_EQ(outcome.written, 2U);
  ASSERT_THAT(Paths(), ElementsAre(kOfCapacity, kOfWrong));
  const json& report = server_.reports.at(kOfWrong);
  EXPECT_EQ(report["metadata"]["ownerReferences"][0]["kind"], "Job");
  EXPECT_EQ(report["metadata"]["ownerReferences"][0]["apiVersion"], "batch/v1");
  EXPECT_THAT(report["results"][0]["rule"], HasSubstr("TPU301"));
  EXPECT_EQ(server_.reports.at(kOfCapacity)["results"][0]["rule"], "idle-chips");
}

TEST_F(AuditorTest, WritesNothingWhereNothingHasChanged) {
  server_.ServeReports("openreports.io/v1alpha1", "reports");
  Pass();
  clock_.Advance(std::chrono::hours(1));
  const Outcome again = Pass();
  EXPECT_EQ(again.written, 0U);
  EXPECT_EQ(again.deleted, 0U);
  EXPECT_EQ(server_.writes, 2);
}

TEST_F(AuditorTest, DeletesTheReportOfWhatIsCleanOrGone) {
  server_.ServeReports("openreports.io/v1alpha1", "reports");
  Pass();
  server_.Clear("/apis/batch/v1/jobs");
  server_.Put("/apis/batch/v1/jobs", Job("wrong", 4));
  server_.Clear("/api/v1/nodes");
  const Outcome outcome = Pass();
  EXPECT_EQ(outcome.deleted, 2U);
  EXPECT_THAT(Paths(), IsEmpty());
}

TEST_F(AuditorTest, KeepsReportsOfWhatItCouldNotRead) {
  server_.ServeReports("openreports.io/v1alpha1", "reports");
  Pass();
  server_.failing = {"/apis/batch/v1/jobs", "/api/v1/nodes"};
  const Outcome outcome = Pass();
  EXPECT_THAT(outcome.errors, Contains(HasSubstr("/apis/batch/v1/jobs: no")));
  EXPECT_THAT(Paths(), ElementsAre(kOfCapacity, kOfWrong));
}

TEST_F(AuditorTest, IsNotStoppedByAnObjectThatCannotBeRead) {
  json deep = json::array();
  for (int i = 0; i < 200; ++i) deep = json::array({deep});
  const json pod = {{"metadata", {{"name", "deep"}, {"namespace", "ml"}}}, {"spec", deep}};
  server_.Put("/api/v1/pods", pod);
  const Outcome outcome = Pass();
  EXPECT_TRUE(outcome.ok());
  EXPECT_THAT(outcome.unread, ElementsAre(HasSubstr("cannot be read")));
  EXPECT_EQ(outcome.told.at(Mode::kDeny), 1U);
}

// A Job on two slices, most of whose pods have ended.
TEST_F(AuditorTest, CountsPodsOfASliceThatHaveEnded) {
  server_.Clear("/api/v1/nodes");
  for (int i = 0; i < 8; ++i) {
    const std::string pool = i < 4 ? "a" : "b";
    json node = Node("n" + std::to_string(i));
    node["metadata"]["labels"]["cloud.google.com/gke-nodepool"] = pool;
    node["metadata"]["labels"]["cloud.google.com/gke-tpu-topology"] = "4x4";
    server_.Put("/api/v1/nodes", node);
    json pod = Job("", 4)["spec"]["template"];
    pod["metadata"] = {{"name", "p" + std::to_string(i)}, {"namespace", "ml"}};
    pod["metadata"]["ownerReferences"] = json::array({{{"apiVersion", "batch/v1"},
                                                       {"kind", "Job"},
                                                       {"name", "j"},
                                                       {"uid", "u-j"},
                                                       {"controller", true}}});
    pod["spec"]["nodeName"] = "n" + std::to_string(i);
    pod["status"]["phase"] = i % 4 == 0 ? "Running" : "Succeeded";
    server_.Put("/api/v1/pods", pod);
  }
  const Outcome outcome = Pass();
  EXPECT_EQ(outcome.capacity.Count(cluster::Waste::kHalfUsed), 2U);
  EXPECT_EQ(outcome.capacity.Count(cluster::Waste::kSplit), 0U);
}

TEST_F(AuditorTest, IsNotStoppedByANamespaceThatGoes) {
  server_.ServeReports("openreports.io/v1alpha1", "reports");
  server_.refusal = "unable to create new content in namespace ml because it is being terminated";
  EXPECT_TRUE(Pass().ok());
  server_.refusal = "forbidden";
  EXPECT_FALSE(Pass().ok());
}

TEST_F(AuditorTest, TakesTheFormerGroupWhereItIsTheOnlyOne) {
  server_.ServeReports("wgpolicyk8s.io/v1alpha2", "policyreports");
  EXPECT_EQ(Pass().reports, "wgpolicyk8s.io");
  EXPECT_THAT(
      Paths(),
      ElementsAre("/apis/wgpolicyk8s.io/v1alpha2/clusterpolicyreports/tpu-admission-capacity",
                  "/apis/wgpolicyk8s.io/v1alpha2/namespaces/ml/policyreports/u-wrong"));
  server_.ServeReports("openreports.io/v1alpha1", "reports");
  const Outcome outcome = Pass();
  EXPECT_EQ(outcome.reports, "openreports.io");
  EXPECT_EQ(outcome.deleted, 2U);
  EXPECT_THAT(Paths(), ElementsAre(kOfCapacity, kOfWrong));
}

TEST_F(AuditorTest, WithoutReportsStillCounts) {
  const Outcome outcome = Pass();
  EXPECT_THAT(outcome.errors, IsEmpty());
  EXPECT_EQ(outcome.reports, "");
  EXPECT_EQ(server_.writes, 0);
  EXPECT_EQ(outcome.told.at(Mode::kDeny), 1U);
  EXPECT_EQ(outcome.capacity.Chips(cluster::Waste::kIdle), 4);
}

TEST_F(AuditorTest, AsksForNodesOfTpusAndOnlyForKindsThatAreServed) {
  Pass();
  EXPECT_THAT(server_.reads(), Contains("/api/v1/nodes?limit=500&labelSelector=cloud.google.com%2F"
                                        "gke-tpu-accelerator"));
  EXPECT_THAT(server_.reads(), Not(Contains(HasSubstr("jobsets"))));
}

TEST_F(AuditorTest, CleansUpAllOfOurs) {
  server_.ServeReports("openreports.io/v1alpha1", "reports");
  server_.ServeReports("wgpolicyk8s.io/v1alpha2", "policyreports");
  Pass();
  const Outcome outcome = Auditor(server_, clock_).Clean();
  EXPECT_EQ(outcome.deleted, 2U);
  EXPECT_THAT(Paths(), IsEmpty());
}

// Whatever a list of reports has in it.
TEST_F(AuditorTest, DeletesNowhereElse) {
  server_.ServeReports("openreports.io/v1alpha1", "reports");
  const auto report = [](const char* space, const char* name) {
    return json{{"metadata", {{"namespace", space}, {"name", name}}}};
  };
  const std::string reports = kReports + "/reports";
  for (const char* space : {"../..", "..", "kube-system/pods?x=", "", "a/b", "A"}) {
    server_.Put(reports, report(space, "r"));
  }
  server_.Put(reports, report("ml", "../r"));
  server_.Put(reports, report("ml", "of-nobody"));
  server_.Put(kReports + "/clusterreports", report("kube-system", "c"));
  server_.Put(kReports + "/clusterreports", report("", "of-nobody"));
  Pass();
  EXPECT_THAT(server_.deletions, ElementsAre(kReports + "/clusterreports/of-nobody",
                                             kReports + "/namespaces/ml/reports/of-nobody"));
}

TEST_F(AuditorTest, WritesNowhereElseWhateverNamesObjectsHave) {
  server_.ServeReports("openreports.io/v1alpha1", "reports");
  json job = Job("wrong", 8);
  job["metadata"]["uid"] = "../../secrets/x";
  server_.Clear("/apis/batch/v1/jobs");
  server_.Put("/apis/batch/v1/jobs", job);
  EXPECT_THAT(Pass().errors, ElementsAre(HasSubstr("no uid")));
  EXPECT_THAT(Paths(), ElementsAre(kOfCapacity));
}

}  // namespace
}  // namespace tpu_admission::audit::auditor_test
