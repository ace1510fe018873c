#include "observability/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace tpu_admission::observability {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily Family(MetricType type, const char* name, const char* help, double value) {
  MetricFamily family{name, help, type, {}};
  prometheus::ClientMetric& metric = family.metric.emplace_back();
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  return family;
}

double SecondsOf(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// The fields of proc(5) stat from the third on: the second, a name, may hold anything.
struct Stat {
  double start_ticks = 0;  // since boot
  double virtual_bytes = 0;
  double resident_pages = 0;
};
bool Read(Stat& stat) {
  std::ifstream file("/proc/self/stat");
  file.ignore(std::numeric_limits<std::streamsize>::max(), ')');
  std::string skipped;
  for (int field = 3; field < 22; ++field) file >> skipped;
  return static_cast<bool>(file >> stat.start_ticks >> stat.virtual_bytes >> stat.resident_pages);
}

}  // namespace

MetricFamily CounterFamily(const char* name, const char* help, double value) {
  return Family(MetricType::Counter, name, help, value);
}

std::vector<MetricFamily> ProcessFamilies() {
  std::vector<MetricFamily> families;
  const auto gauge = [&](const char* name, const char* help, double value) {
    families.push_back(Family(MetricType::Gauge, name, help, value));
  };
  families.push_back(CounterFamily("process_cpu_seconds_total",
                                   "User and system CPU time spent in seconds.",
                                   SecondsOf(CLOCK_PROCESS_CPUTIME_ID)));
  if (Stat stat; Read(stat)) {
    const double age =
        SecondsOf(CLOCK_BOOTTIME) - stat.start_ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
    gauge("process_start_time_seconds", "Start time of the process since 1970 in seconds.",
          SecondsOf(CLOCK_REALTIME) - age);
    gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", stat.virtual_bytes);
    gauge("process_resident_memory_bytes", "Resident memory size in bytes.",
          stat.resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
  }
  std::error_code error;
  using Entries = std::filesystem::directory_iterator;
  if (const Entries open("/proc/self/fd", error); !error) {
    // One of them is that of the folder itself.
    gauge("process_open_fds", "Number of open file descriptors.",
          static_cast<double>(std::distance(begin(open), end(open)) - 1));
  }
  if (rlimit limit{}; getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    gauge("process_max_fds", "Maximum number of open file descriptors.",
          static_cast<double>(limit.rlim_cur));
  }
  return families;
}

}  // namespace tpu_admission::observability
