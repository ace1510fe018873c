#include "app/open_reports.h"

#include <iostream>

#include "tpu_admission/base/text.h"
#include "tpu_admission/cluster/reports.h"

namespace tpu_admission::app {

void PrintOpenReports(const cluster::ScanReport& report, Clock::Wall now) {
  const std::int64_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  std::cout << cluster::ReportList(report, seconds) << '\n';
  for (const std::string& error : report.errors) {
    std::cerr << "tpu-admission: not read: " << Printable(error, 2048) << '\n';
  }
}

}  // namespace tpu_admission::app
