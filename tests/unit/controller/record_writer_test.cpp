// What is written into the ConfigMap, when, and what is made of what others wrote there.
#include "controller/record_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/memory_api.h"
#include "unit/controller/recorder.h"

namespace tpu_admission::controller::record_writer_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using support::FakeClock;
using support::MemoryApi;
using tpu::SeenShapes;

const kube::ObjectPath kRecord = kube::ConfigMapPath("tpu", "tpu-admission-nodes");
const kube::ObjectPath kStatus = kube::ConfigMapPath("kube-system", "cluster-autoscaler-status");

class RecordWriterTest : public ::testing::Test {
 protected:
  RecordWriterTest() { api_.Put(kRecord, {{"metadata", {{"name", "tpu-admission-nodes"}}}}); }

  void Put(const std::string& name, const std::string& topology = "4x4") {
    table_.Put({name, "a", {"tpu-v6e-slice", topology, 4}}, clock_.Now());
  }
  // Called every second, with a watch that is alive.
  void Run(seconds time) {
    for (seconds passed{0}; passed < time; passed += seconds(1)) {
      clock_.Advance(seconds(1));
      if (alive_) table_.Touch(clock_.Now());
      writer_.Step();
    }
  }
  std::int64_t Seconds() const { return std::chrono::system_clock::to_time_t(clock_.Now()); }
  SeenShapes Written() const {
    const auto& object = api_.object(kRecord);
    if (!object.contains("data")) return {};
    const auto record = SeenShapes::Load(object["data"]["nodes.yaml"].get<std::string>(), "x");
    if (!record) ADD_FAILURE() << record.error().message;
    return record ? *record : SeenShapes();
  }

  FakeClock clock_;
  MemoryApi api_{&clock_};
  NodeTable table_;
  Recorder seen_;
  bool leading_ = true;
  bool alive_ = true;
  RecordWriter writer_{api_, kRecord, table_, clock_, [this] { return leading_; }, seen_};
};

TEST_F(RecordWriterTest, WritesNothingBeforeTheFirstList) {
  Run(seconds(60));
  EXPECT_TRUE(api_.calls().empty());
  table_.Replace({}, clock_.Now());
  Run(seconds(1));
  EXPECT_EQ(api_.writes(), 1);
  EXPECT_TRUE(Written().shapes.empty());
  EXPECT_EQ(WallOf(Written().since), clock_.Now());
  EXPECT_FALSE(Written().autoscaler);
}

TEST_F(RecordWriterTest, WritesOnChangeAtMostEveryTenSeconds) {
  table_.Replace({}, clock_.Now());
  Run(seconds(30));
  EXPECT_EQ(api_.writes(), 1);
  for (int i = 0; i < 100; ++i) {
    Put(std::to_string(i));
    Run(seconds(1));
  }
  EXPECT_LE(api_.writes(), 12);
  Run(seconds(10));
  EXPECT_EQ(Written().shapes.front().nodes, 100);
}

TEST_F(RecordWriterTest, WithoutAChangeItIsBroughtUpEveryFiveMinutes) {
  table_.Replace({}, clock_.Now());
  Put("n");
  Run(hours(1));
  EXPECT_GE(api_.writes(), 12);
  EXPECT_LE(api_.writes(), 14);
  EXPECT_TRUE(Written().IsCurrent(Seconds() + 600));
}

TEST_F(RecordWriterTest, AClockThatIsSetBackIsBelievedAtOnce) {
  clock_.SetWrong(hours(2));
  table_.Replace({}, clock_.Now());
  Put("n");
  Run(seconds(20));
  clock_.SetWrong(-hours(2));
  Run(seconds(20));
  EXPECT_TRUE(Written().IsCurrent(Seconds()));
  EXPECT_LE(Written().since, Seconds());
  EXPECT_EQ(api_.writes(), 2);
  Run(seconds(600));
  EXPECT_EQ(api_.writes(), 4) << "and every five minutes";
  EXPECT_TRUE(Written().IsSettled(Seconds()));
}

TEST_F(RecordWriterTest, WithoutAWatchItGrowsOld) {
  table_.Replace({}, clock_.Now());
  Run(seconds(2));
  alive_ = false;
  Run(minutes(30));
  EXPECT_EQ(api_.writes(), 1);
  EXPECT_FALSE(Written().IsCurrent(Seconds()));
}

TEST_F(RecordWriterTest, ARestartGoesOnWithTheRecord) {
  table_.Replace({}, clock_.Now());
  Put("n");
  Run(seconds(20));
  const std::int64_t since = Written().since;
  clock_.Advance(minutes(5));
  NodeTable table;
  table.Replace({}, clock_.Now());
  RecordWriter next(
      api_, kRecord, table, clock_, [] { return true; }, seen_);
  next.Step();
  EXPECT_EQ(Written().since, since);
  ASSERT_EQ(Written().shapes.size(), 1U);
  EXPECT_EQ(Written().shapes.front().nodes, 0);
  EXPECT_EQ(Written().shapes.front().most_nodes, 1) << "what is gone is remembered";
}

TEST_F(RecordWriterTest, AfterALongPauseItBeginsAnew) {
  table_.Replace({}, clock_.Now());
  Put("n");
  Run(seconds(20));
  clock_.Advance(hours(2));
  NodeTable table;
  table.Replace({}, clock_.Now());
  RecordWriter next(
      api_, kRecord, table, clock_, [] { return true; }, seen_);
  next.Step();
  EXPECT_EQ(WallOf(Written().since), clock_.Now());
  EXPECT_EQ(Written().shapes.size(), 1U);
}

TEST_F(RecordWriterTest, WhatOthersWroteIsReplaced) {
  for (const char* const text : {"", "nonsense: [", "shapes: 7"}) {
    api_.Change(kRecord, [&](auto& object) { object["data"] = {{"nodes.yaml", text}}; });
    NodeTable table;
    table.Replace({}, clock_.Now());
    RecordWriter writer(
        api_, kRecord, table, clock_, [] { return true; }, seen_);
    writer.Step();
    EXPECT_EQ(WallOf(Written().since), clock_.Now()) << text;
  }
  api_.Change(kRecord, [](auto& object) { object["data"] = {{"nodes.yaml", 7}, {"other", "x"}}; });
  table_.Replace({}, clock_.Now());
  writer_.Step();
  EXPECT_EQ(WallOf(Written().since), clock_.Now());
  EXPECT_EQ(api_.object(kRecord)["data"]["other"], "x") << "and what is not ours stays";
}

TEST_F(RecordWriterTest, AConflictIsReadAndWrittenAgain) {
  table_.Replace({}, clock_.Now());
  Run(seconds(11));
  api_.Change(kRecord, [](auto& object) { object["metadata"]["labels"]["a"] = "b"; });
  Put("n");
  Run(seconds(30));
  EXPECT_EQ(Written().shapes.front().nodes, 1);
  EXPECT_EQ(api_.object(kRecord)["metadata"]["labels"]["a"], "b");
  EXPECT_TRUE(seen_.errors.empty());
}

TEST_F(RecordWriterTest, OnlyWhoLeadsReadsAndWrites) {
  leading_ = false;
  table_.Replace({}, clock_.Now());
  Run(minutes(10));
  EXPECT_TRUE(api_.calls().empty());
}

TEST_F(RecordWriterTest, WithoutAConfigMapItSaysSoEveryTenSeconds) {
  api_.Remove(kRecord);
  table_.Replace({}, clock_.Now());
  Run(seconds(60));
  EXPECT_EQ(api_.writes(), 0);
  EXPECT_EQ(seen_.errors[Operation::kReadNodeRecord], 6);
}

TEST_F(RecordWriterTest, AWriteThatFailsIsTriedAgainTenSecondsLater) {
  api_.fail = [](const std::string& verb, const kube::ObjectPath&) {
    return verb == "PATCH" ? kube::Outcome::kUnreachable : kube::Outcome::kOk;
  };
  table_.Replace({}, clock_.Now());
  Run(seconds(60));
  EXPECT_EQ(seen_.errors[Operation::kWriteNodeRecord], 6);
  api_.fail = nullptr;
  Run(seconds(10));
  EXPECT_EQ(api_.writes(), 1);
}

TEST_F(RecordWriterTest, AnAutoscalerIsSeenByItsStatus) {
  table_.Replace({}, clock_.Now());
  Run(seconds(5));
  EXPECT_FALSE(Written().autoscaler);
  api_.Put(kStatus, {{"metadata", {{"name", "cluster-autoscaler-status"}}}});
  Run(seconds(70));
  EXPECT_TRUE(Written().autoscaler);
  api_.Remove(kStatus);
  Run(seconds(70));
  EXPECT_FALSE(Written().autoscaler);
}

TEST_F(RecordWriterTest, WhereTheAutoscalersStatusMayNotBeReadThereMayBeOne) {
  api_.fail = [](const std::string&, const kube::ObjectPath& path) {
    return path == kStatus ? kube::Outcome::kRefused : kube::Outcome::kOk;
  };
  table_.Replace({}, clock_.Now());
  Run(seconds(5));
  EXPECT_TRUE(Written().autoscaler);
  EXPECT_EQ(seen_.errors[Operation::kReadNodeRecord], 1);
}

}  // namespace
}  // namespace tpu_admission::controller::record_writer_test
