// What a server makes of the record of nodes: it is believed or not, and never in the way.
#include "app/node_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tpu_admission/base/memory_files.h"

namespace tpu_admission::app::node_record_test {
namespace {

using std::chrono::minutes;
using ::testing::HasSubstr;

std::int64_t Seconds(Clock::Wall time) { return std::chrono::system_clock::to_time_t(time); }

class NodeRecordTest : public ::testing::Test {
 protected:
  NodeRecordTest() { seen_.Count("tpu-v6e-slice", "4x4", 4, "a"); }

  // The controller writes what it has seen.
  void Write() {
    seen_.current = Seconds(now_);
    files_.Put("nodes.yaml", seen_.Text());
  }

  Clock::Wall now_ = WallOf(1'795'262'400);
  tpu::SeenShapes seen_{.since = Seconds(now_ - minutes(30)), .autoscaler = false};
  MemoryFiles files_;
  NodeRecord record_{"nodes.yaml", files_};
};

TEST_F(NodeRecordTest, WithoutAPathThereIsNone) {
  NodeRecord none("", files_);
  EXPECT_FALSE(none.Refresh(now_));
  EXPECT_EQ(none.shapes(), nullptr);
}

TEST_F(NodeRecordTest, IsWaitedForWithoutAWord) {
  EXPECT_FALSE(record_.Refresh(now_));
  EXPECT_EQ(record_.fault(), "");
  Write();
  EXPECT_TRUE(record_.Refresh(now_));
  ASSERT_NE(record_.shapes(), nullptr);
  EXPECT_TRUE(record_.shapes()->Has("tpu-v6e-slice", "4x4"));
}

TEST_F(NodeRecordTest, ANewOneIsNotBelievedForTenMinutes) {
  seen_.since = Seconds(now_ - minutes(9));
  Write();
  EXPECT_FALSE(record_.Refresh(now_));
  EXPECT_EQ(record_.shapes(), nullptr);
  EXPECT_EQ(record_.fault(), "");
  EXPECT_TRUE(record_.Refresh(now_ + minutes(1)));
  EXPECT_NE(record_.shapes(), nullptr);
}

TEST_F(NodeRecordTest, AnOldOneIsForgotten) {
  Write();
  EXPECT_TRUE(record_.Refresh(now_));
  EXPECT_FALSE(record_.Refresh(now_ + minutes(20)));
  EXPECT_TRUE(record_.Refresh(now_ + minutes(21)));
  EXPECT_EQ(record_.shapes(), nullptr);
  EXPECT_THAT(record_.fault(), HasSubstr("has not brought it up"));
  EXPECT_FALSE(record_.Refresh(now_ + minutes(22))) << "it is told once";
}

TEST_F(NodeRecordTest, OnlyWhatRulesWouldSayIsAChange) {
  Write();
  EXPECT_TRUE(record_.Refresh(now_));
  now_ += minutes(5);
  Write();
  EXPECT_FALSE(record_.Refresh(now_)) << "it was brought up";
  seen_.Count("tpu-v6e-slice", "2x4", 8, "b");
  Write();
  EXPECT_TRUE(record_.Refresh(now_));
  EXPECT_TRUE(record_.shapes()->Has("tpu-v6e-slice", "2x4"));
  seen_.autoscaler = true;
  Write();
  EXPECT_TRUE(record_.Refresh(now_));
}

TEST_F(NodeRecordTest, AFaultyOneMakesNodesUnknown) {
  Write();
  EXPECT_TRUE(record_.Refresh(now_));
  files_.Put("nodes.yaml", "shapes: 7");
  EXPECT_TRUE(record_.Refresh(now_));
  EXPECT_EQ(record_.shapes(), nullptr);
  EXPECT_THAT(record_.fault(), HasSubstr("nodes.yaml:1"));
  files_.Break("nodes.yaml", std::errc::is_a_directory, "is a folder");
  EXPECT_TRUE(record_.Refresh(now_));
  EXPECT_THAT(record_.fault(), HasSubstr("is a folder"));
  files_.Put("nodes.yaml", std::string((1 << 20) + 1, '#'));
  EXPECT_TRUE(record_.Refresh(now_));
  EXPECT_THAT(record_.fault(), HasSubstr("too large"));
  Write();
  EXPECT_TRUE(record_.Refresh(now_));
  EXPECT_EQ(record_.fault(), "");
  EXPECT_NE(record_.shapes(), nullptr);
}

}  // namespace
}  // namespace tpu_admission::app::node_record_test
