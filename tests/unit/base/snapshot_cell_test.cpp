#include "tpu_admission/base/snapshot_cell.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tpu_admission::snapshot_cell_test {
namespace {

struct Pair {
  int left = 0;
  int right = 0;
};

TEST(SnapshotCellTest, ReaderSeesTheFirstAndTheNewest) {
  SnapshotCell<int> cell(std::make_shared<const int>(1));
  SnapshotCell<int>::Reader reader(cell);
  EXPECT_EQ(reader.Get(), 1);
  cell.Set(std::make_shared<const int>(2));
  cell.Set(std::make_shared<const int>(3));
  EXPECT_EQ(reader.Get(), 3);
}

TEST(SnapshotCellTest, SnapshotLivesUntilItsLastReaderLooksAgain) {
  auto first = std::make_shared<const int>(1);
  const std::weak_ptr<const int> watch = first;
  SnapshotCell<int> cell(std::move(first));
  SnapshotCell<int>::Reader reader(cell);
  const int& seen = reader.Get();
  cell.Set(std::make_shared<const int>(2));
  EXPECT_EQ(seen, 1);
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(reader.Get(), 2);
  EXPECT_TRUE(watch.expired());
}

// Run under tsan, this is the proof that no reader sees half a snapshot or an older one than
// before.
TEST(SnapshotCellTest, ManyReadersAndOneWriter) {
  constexpr int kLast = 2000;
  SnapshotCell<Pair> cell(std::make_shared<const Pair>());
  std::atomic<int> wrong{0};
  std::vector<std::jthread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      SnapshotCell<Pair>::Reader reader(cell);
      for (int seen = 0; seen < kLast;) {
        const Pair& pair = reader.Get();
        if (pair.left != pair.right || pair.left < seen) ++wrong;
        seen = pair.left;
      }
    });
  }
  for (int i = 1; i <= kLast; ++i) cell.Set(std::make_shared<const Pair>(Pair{i, i}));
  readers.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tpu_admission::snapshot_cell_test
