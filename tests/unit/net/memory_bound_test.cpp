// M2: what the bounds of all parts add up to fits the memory limit of the chart.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tpu_admission/net/health.h"
#include "tpu_admission/net/server.h"

namespace tpu_admission::net::memory_bound_test {
namespace {

constexpr std::size_t kMiB = 1u << 20;

// The first `memory` under `limits` in the chart's values: that of the servers.
std::size_t ChartLimit() {
  std::ifstream file(TPU_ADMISSION_SOURCE_DIR "/charts/tpu-admission/values.yaml");
  std::stringstream text;
  text << file.rdbuf();
  const std::string values = text.str();
  const std::string key = "memory: ";
  const std::size_t at = values.find(key, values.find("  limits:\n"));
  if (at == values.npos) return 0;
  return std::stoul(values.substr(at + key.size())) * kMiB;
}

TEST(MemoryBound, OfAllPartsFitsTheChartsLimit) {
  constexpr int kThreads = 4;                  // what `serve` takes by itself
  constexpr std::size_t kReview = 16 * kMiB;   // of one review beyond its body, one a thread
  constexpr std::size_t kProcess = 20 * kMiB;  // an idle server, its log's queue, a scrape
  const std::size_t sum =
      MemoryBound({}, kThreads) + HealthServer::MemoryBound() + kThreads * kReview + kProcess;
  ASSERT_EQ(ChartLimit(), 256 * kMiB);
  EXPECT_LE(sum, ChartLimit()) << sum / kMiB << " MiB";
}

TEST(MemoryBound, CountsWhatTheLimitsSay) {
  ServerLimits more;
  more.connections += 1000;
  EXPECT_GT(MemoryBound(more, 1), MemoryBound({}, 1) + 90u * 1000 * 1024);
  more = {};
  more.bytes_in_flight += kMiB;
  EXPECT_EQ(MemoryBound(more, 1), MemoryBound({}, 1) + kMiB);
  EXPECT_GT(MemoryBound({}, 2), MemoryBound({}, 1));
}

}  // namespace
}  // namespace tpu_admission::net::memory_bound_test
