// Findings as the reports that policy engines write, for tools that show those: OpenReports
// (https://github.com/openreports/reports-api v0.2.1) and its predecessor, the reports of the
// Kubernetes policy working group (https://github.com/kubernetes-sigs/wg-policy-prototypes).
// Denied is `fail`, warned `warn`, what is only recorded `skip`. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tpu_admission/cluster/capacity.h"
#include "tpu_admission/cluster/scan.h"

namespace tpu_admission::cluster {

// Of every result and report: what tools group by, and what we know our own by.
inline constexpr const char* kReportSource = "tpu-admission";
inline constexpr const char* kReportLabel = "app.kubernetes.io/managed-by";
// The name of the report of FindWaste().
inline constexpr const char* kCapacityReport = "tpu-admission-capacity";
// On what an audit writes: it says whether a report would be written anew for nothing.
inline constexpr const char* kContentAnnotation = "tpu-admission.io/content";
inline constexpr std::size_t kMostResults = 500;  // of one report; the hardest come first

struct ReportApi {
  std::string_view group;
  std::string_view version;
  std::string_view kind;      // in a namespace; of the cluster it is Cluster...
  std::string_view resource;  // reports, clusterreports
  bool has_source = false;    // of the report as a whole

  std::string ApiVersion() const { return std::string(group).append("/").append(version); }
};
inline constexpr ReportApi kOpenReports = {"openreports.io", "v1alpha1", "Report", "reports", true};
inline constexpr ReportApi kPolicyReports = {"wgpolicyk8s.io", "v1alpha2", "PolicyReport",
                                             "policyreports"};

struct ReportObject {
  std::string namespace_name;  // empty: of the cluster
  std::string name;
  std::string text;     // JSON
  std::string content;  // the same for the same findings, whenever they were found
};

// Whether it has a finding that warns or denies, or would without the policy's default. What is
// only ever recorded makes no report by itself.
bool IsReported(const ScannedWorkload& workload);

// Of a workload with findings. It goes with the workload, if that has a uid. `seconds` is the time.
ReportObject ReportOf(const ReportApi& api, const ScannedWorkload& workload, std::int64_t seconds);
// Of all that is found; to be written only if something is.
ReportObject ReportOf(const ReportApi& api, const Capacity& capacity, std::int64_t seconds);
// WasteFound::since by WasteFound::Key(), of the text of a capacity report.
std::map<std::string, std::int64_t> SinceOf(const std::string& report);

}  // namespace tpu_admission::cluster
