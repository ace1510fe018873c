#include "tpu_admission/net/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/case_name.h"
#include "tpu_admission/base/memory_files.h"

namespace tpu_admission::net::processors_test {
namespace {

struct Quota {
  std::string name;
  std::vector<std::pair<std::string, std::string>> files;  // below /sys/fs/cgroup, but the first
  int allowed;
  int usable;
};

class Quotas : public testing::TestWithParam<Quota> {};

TEST_P(Quotas, BoundTheProcessorsThatAreWorthAThread) {
  MemoryFiles files;
  bool is_first = true;
  for (const auto& [path, text] : GetParam().files) {
    files.Put(std::exchange(is_first, false) ? path : "/sys/fs/cgroup" + path, text);
  }
  EXPECT_EQ(UsableProcessors(files, GetParam().allowed), GetParam().usable);
}

const std::string kGroups = "/proc/self/cgroup";

INSTANTIATE_TEST_SUITE_P(
    Cases, Quotas,
    testing::Values(
        Quota{"NoGroups", {}, 4, 4}, Quota{"NoFiles", {{kGroups, "0::/a\n"}}, 4, 4},
        Quota{"Unlimited", {{kGroups, "0::/\n"}, {"/cpu.max", "max 100000\n"}}, 4, 4},
        Quota{"OfAContainer", {{kGroups, "0::/\n"}, {"/cpu.max", "200000 100000\n"}}, 4, 2},
        Quota{"ABegunOneIsWhole", {{kGroups, "0::/\n"}, {"/cpu.max", "110000 100000\n"}}, 4, 2},
        Quota{"LessThanOneIsOne", {{kGroups, "0::/\n"}, {"/cpu.max", "5000 100000\n"}}, 4, 1},
        Quota{"MoreThanAllowed", {{kGroups, "0::/\n"}, {"/cpu.max", "800000 100000\n"}}, 4, 4},
        Quota{"OfAGroupAround",
              {{kGroups, "0::/pods/one\n"},
               {"/pods/one/cpu.max", "max 100000\n"},
               {"/pods/cpu.max", "150000 50000\n"}},
              8,
              3},
        Quota{"PathOfTheHostInAContainer",
              {{kGroups, "0::/kubepods/pod1/box\n"}, {"/cpu.max", "100000 100000\n"}},
              4,
              1},
        Quota{"Version1",
              {{kGroups, "5:memory:/x\n4:cpu,cpuacct:/box\n0::/\n"},
               {"/cpu,cpuacct/box/cpu.cfs_quota_us", "250000\n"},
               {"/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n"}},
              4,
              3},
        Quota{"Version1Alone",
              {{kGroups, "1:cpu:/box\n"},
               {"/cpu/box/cpu.cfs_quota_us", "100000\n"},
               {"/cpu/box/cpu.cfs_period_us", "100000\n"}},
              4,
              1},
        Quota{"Version1Unlimited",
              {{kGroups, "1:cpu:/\n"},
               {"/cpu/cpu.cfs_quota_us", "-1\n"},
               {"/cpu/cpu.cfs_period_us", "100000\n"}},
              4,
              4},
        Quota{"Nonsense",
              {{kGroups, "::::\n\nx\n0::no/slash\n1:cpu\n"}, {"/cpu.max", "0 0\n"}},
              4,
              4},
        Quota{"NoPeriod", {{kGroups, "0::/\n"}, {"/cpu.max", "100000\n"}}, 4, 4}),
    CaseName());

TEST(Processors, AffinityIsHeeded) {
  std::thread([] {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    EXPECT_EQ(AllowedProcessors(), CPU_COUNT(&all));
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
      if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(AllowedProcessors(), 1);
  }).join();
}

}  // namespace
}  // namespace tpu_admission::net::processors_test
