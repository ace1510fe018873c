#include "app/open_reports.h"

#include <iostream>

#include "app/streams.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/cluster/reports.h"

namespace tpu_admission::app {

void PrintOpenReports(const cluster::ScanReport& report, Clock::Wall now) {
  const std::int64_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  std::cout << "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"List\",\n";
  {
    JsonList items("items");
    for (const cluster::ScannedWorkload& workload : report.told) {
      if (!cluster::IsReported(workload)) continue;
      items.AddText(cluster::ReportOf(cluster::kOpenReports, workload, seconds).text);
    }
  }
  std::cout << "\n}\n";
  for (const std::string& error : report.errors) {
    std::cerr << "tpu-admission: not read: " << Printable(error, 2048) << '\n';
  }
}

}  // namespace tpu_admission::app
