#include "tpu_admission/cluster/reports.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace tpu_admission::cluster::reports_test {
namespace {

using nlohmann::json;
using rules::Mode;

ScannedWorkload Workload(Mode mode = Mode::kDeny) {
  ScannedWorkload workload;
  workload.namespace_name = "ml";
  workload.api_version = "batch/v1";
  workload.kind = "Job";
  workload.name = "train";
  workload.uid = "0b1c";
  ScanFinding finding;
  finding.rule = rules::AllRules().front();
  finding.mode = mode;
  finding.summary = "a is b";
  finding.change = "make it c";
  workload.findings.push_back(finding);
  return workload;
}

TEST(Report, IsNamedByTheUidAndOwnedByTheWorkload) {
  const ReportObject report = ReportOf(kOpenReports, Workload(), 1000);
  EXPECT_EQ(report.name, "0b1c");
  EXPECT_EQ(report.namespace_name, "ml");
  const json object = json::parse(report.text);
  EXPECT_EQ(object["apiVersion"], "openreports.io/v1alpha1");
  EXPECT_EQ(object["kind"], "Report");
  EXPECT_EQ(object["source"], "tpu-admission");
  EXPECT_EQ(object["metadata"]["ownerReferences"][0]["uid"], "0b1c");
  EXPECT_EQ(object["scope"]["name"], "train");
  EXPECT_EQ(object["summary"]["fail"], 1);
  EXPECT_EQ(object["results"][0]["result"], "fail");
  EXPECT_EQ(object["results"][0]["timestamp"]["seconds"], 1000);
}

TEST(Report, OfTheFormerGroupHasNoMemberThatItsSchemaLacks) {
  const json object = json::parse(ReportOf(kPolicyReports, Workload(Mode::kWarn), 0).text);
  EXPECT_EQ(object["apiVersion"], "wgpolicyk8s.io/v1alpha2");
  EXPECT_EQ(object["kind"], "PolicyReport");
  EXPECT_FALSE(object.contains("source"));
  EXPECT_EQ(object["results"][0]["source"], "tpu-admission");
  EXPECT_EQ(object["results"][0]["result"], "warn");
}

TEST(Report, HasTheSameContentUntilAFindingChanges) {
  const std::string content = ReportOf(kOpenReports, Workload(), 1).content;
  EXPECT_EQ(content, ReportOf(kOpenReports, Workload(), 2).content);
  EXPECT_NE(content, ReportOf(kOpenReports, Workload(Mode::kWarn), 1).content);
  const json object = json::parse(ReportOf(kOpenReports, Workload(), 1).text);
  EXPECT_EQ(object["metadata"]["annotations"][kContentAnnotation], content);
}

TEST(Report, IsNotMadeOfWhatIsOnlyEverRecorded) {
  ScannedWorkload workload = Workload(Mode::kAudit);
  workload.findings[0].would_be = Mode::kAudit;
  EXPECT_FALSE(IsReported(workload));
  workload.findings[0].would_be = Mode::kDeny;  // the policy's default is audit
  EXPECT_TRUE(IsReported(workload));
  EXPECT_TRUE(IsReported(Workload(Mode::kWarn)));
}

TEST(Report, HasABoundedNumberOfResults) {
  ScannedWorkload workload = Workload();
  workload.findings.resize(3 * kMostResults, workload.findings.front());
  const json object = json::parse(ReportOf(kOpenReports, workload, 1).text);
  EXPECT_EQ(object["results"].size(), kMostResults);
  EXPECT_EQ(object["summary"]["fail"], kMostResults);
}

TEST(CapacityReport, RemembersSinceWhen) {
  const std::vector<TpuNode> nodes = {{"n", "a", "tpu-v6e-slice", "2x2", 4, true}};
  const Capacity capacity = FindWaste(nodes, {}, {}, 1'795'262'400);
  const ReportObject report = ReportOf(kOpenReports, capacity, 1);
  EXPECT_EQ(report.namespace_name, "");
  EXPECT_EQ(json::parse(report.text)["kind"], "ClusterReport");
  EXPECT_EQ(json::parse(report.text)["results"][0]["properties"]["since"], "2026-11-21T12:00:00Z");
  const auto since = SinceOf(report.text);
  EXPECT_EQ(since.at("idle-chips a"), 1'795'262'400);
  EXPECT_EQ(FindWaste(nodes, {}, since, 1'900'000'000).found[0].since, 1'795'262'400);
}

TEST(CapacityReport, OfSomebodyElseIsNoTrouble) {
  for (const char* text : {"", "[]", "{", R"({"results": 7})", R"({"results": [1, null, {}]})",
                           R"({"results": [{"properties": {"since": 3}}]})",
                           R"({"results": [{"properties": {"since": "x"}, "rule": []}]})"}) {
    EXPECT_TRUE(SinceOf(text).empty()) << text;
  }
}

}  // namespace
}  // namespace tpu_admission::cluster::reports_test
