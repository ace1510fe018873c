#include "net/byte_budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace tpu_admission::net::byte_budget_test {
namespace {

constexpr std::size_t kFree = ByteBudget::kFreeBytes;

TEST(ByteBudget, SmallBodiesAreFree) {
  ByteBudget budget(0);
  ByteBudget::Lease lease(budget);
  EXPECT_TRUE(lease.Cover(kFree));
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_FALSE(lease.Cover(kFree + 1));
}

TEST(ByteBudget, ALeaseGrowsToWhatItCoversAndGivesItBack) {
  ByteBudget budget(1000);
  {
    ByteBudget::Lease lease(budget);
    lease.Prove();
    EXPECT_TRUE(lease.Cover(kFree + 100));
    EXPECT_TRUE(lease.Cover(kFree + 50));  // covered already
    EXPECT_EQ(budget.used(), 100u);
    EXPECT_TRUE(lease.Cover(kFree + 1000));
    EXPECT_EQ(budget.used(), 1000u);
    lease.Release();
    EXPECT_EQ(budget.used(), 0u);
    EXPECT_TRUE(lease.Cover(kFree + 7));
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST(ByteBudget, AtTheCapNothingIsTaken) {
  ByteBudget budget(1000);
  ByteBudget::Lease first(budget);
  ByteBudget::Lease second(budget);
  first.Prove();
  second.Prove();
  EXPECT_TRUE(first.Cover(kFree + 900));
  EXPECT_FALSE(second.Cover(kFree + 101));
  EXPECT_EQ(budget.used(), 900u);
  EXPECT_TRUE(second.Cover(kFree + 100));
  EXPECT_FALSE(first.Cover(static_cast<std::size_t>(-1)));  // a Content-Length of 2^64-1
  EXPECT_EQ(budget.used(), 1000u);
}

TEST(ByteBudget, AQuarterIsKeptForProvenPeers) {
  ByteBudget budget(1000);
  ByteBudget::Lease stranger(budget);
  ByteBudget::Lease proven(budget);
  proven.Prove();
  EXPECT_FALSE(stranger.Cover(kFree + 751));
  EXPECT_TRUE(stranger.Cover(kFree + 750));
  EXPECT_TRUE(proven.Cover(kFree + 250));
  proven.Release();
  EXPECT_TRUE(proven.Cover(kFree + 100));
  stranger.Release();
  EXPECT_TRUE(proven.Cover(kFree + 1000));
}

TEST(ByteBudget, ThreadsTogetherNeverPassTheCap) {
  ByteBudget budget(1000);
  std::atomic<std::size_t> most{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        ByteBudget::Lease lease(budget);
        if (lease.Cover(kFree + 400)) most = std::max(most.load(), budget.used());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(most, 0u);
  EXPECT_LE(most, 1000u);
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace tpu_admission::net::byte_budget_test
