// Nodes become shapes: what is counted, remembered and forgotten.
#include "controller/node_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpu_admission::controller::node_table_test {
namespace {

using std::chrono::hours;
using tpu::SeenShape;
using tpu::SeenShapes;

const Clock::Wall kNow = WallOf(1'795'262'400);  // 2026-11-21T12:00:00Z

Node NodeOf(const std::string& name, const std::string& topology, const std::string& pool = "a") {
  return {.name = name, .pool = pool, .shape = {"tpu-v6e-slice", topology, 4}};
}

SeenShape ShapeOf(NodeTable& table, std::string_view topology) {
  const auto record = table.Record();
  for (const SeenShape& shape : record ? record->shapes : std::vector<SeenShape>()) {
    if (shape.topology == topology) return shape;
  }
  return {};
}

TEST(NodeTable, IsNotKnownBeforeTheFirstList) {
  NodeTable table;
  EXPECT_FALSE(table.Record());
  table.Touch(kNow);
  EXPECT_FALSE(table.Record());
  table.Replace({}, kNow);
  ASSERT_TRUE(table.Record());
  EXPECT_TRUE(table.Record()->shapes.empty());
  EXPECT_FALSE(table.Record()->autoscaler);
}

TEST(NodeTable, CountsNodesAndPools) {
  NodeTable table;
  table.Replace({NodeOf("1", "4x4"),
                 NodeOf("2", "4x4"),
                 NodeOf("3", "4x4", "b"),
                 NodeOf("4", "2x4", "c"),
                 {.name = "5", .pool = "d", .shape = {"tpu", "", 4}}},
                kNow);
  EXPECT_EQ(ShapeOf(table, "4x4"), (SeenShape{"tpu-v6e-slice", "4x4", 4, 3, 3, 2, "a", {}}));
  EXPECT_EQ(table.Record()->shapes.size(), 2U) << "a node without a topology has no shape";
  EXPECT_EQ(WallOf(table.Record()->current), kNow);
}

TEST(NodeTable, FollowsEvents) {
  NodeTable table;
  table.Replace({NodeOf("1", "4x4")}, kNow);
  table.Put(NodeOf("2", "4x4", "b"), kNow);
  table.Put(NodeOf("2", "4x4", "b"), kNow);
  EXPECT_EQ(ShapeOf(table, "4x4").nodes, 2) << "a node that is told of twice is one";
  table.Put(NodeOf("2", "2x4", "b"), kNow);
  EXPECT_EQ(ShapeOf(table, "4x4").nodes, 1);
  EXPECT_EQ(ShapeOf(table, "2x4").nodes, 1);
  table.Remove("1", kNow + hours(24));
  table.Remove("unknown", kNow);
  EXPECT_EQ(ShapeOf(table, "4x4"),
            (SeenShape{"tpu-v6e-slice", "4x4", 4, 0, 2, 0, "a", Day{2026, 11, 22}}));
}

TEST(NodeTable, AListTakesAwayWhatItDoesNotName) {
  NodeTable table;
  table.Replace({NodeOf("1", "4x4"), NodeOf("2", "2x4")}, kNow);
  table.Replace({NodeOf("2", "2x4")}, kNow + hours(1));
  EXPECT_EQ(ShapeOf(table, "4x4").nodes, 0);
  EXPECT_EQ(ShapeOf(table, "4x4").seen, (Day{2026, 11, 21}));
  EXPECT_EQ(ShapeOf(table, "2x4").nodes, 1);
  EXPECT_FALSE(ShapeOf(table, "2x4").seen);
}

TEST(NodeTable, AShapeWithoutNodesIsRememberedForThirtyDays) {
  NodeTable table;
  table.Replace({NodeOf("1", "4x4")}, kNow);
  table.Replace({}, kNow);
  table.Touch(kNow + 30 * hours(24));
  EXPECT_EQ(table.Record()->shapes.size(), 1U);
  table.Touch(kNow + 31 * hours(24));
  EXPECT_TRUE(table.Record()->shapes.empty());
}

TEST(NodeTable, GoesOnFromAnEarlierRecord) {
  SeenShapes earlier;
  earlier.current = std::chrono::system_clock::to_time_t(kNow - hours(48));
  earlier.shapes = {{"tpu-v6e-slice", "2x4", 8, 0, 7, 0, "old", Day{2026, 11, 1}},
                    {"tpu-v6e-slice", "4x4", 4, 9, 9, 3, "a", {}}};
  NodeTable table;
  table.Replace({NodeOf("1", "2x2")}, kNow);
  table.Remember(earlier);
  EXPECT_EQ(ShapeOf(table, "2x4"),
            (SeenShape{"tpu-v6e-slice", "2x4", 8, 0, 7, 0, "old", Day{2026, 11, 1}}));
  EXPECT_EQ(ShapeOf(table, "4x4"),
            (SeenShape{"tpu-v6e-slice", "4x4", 4, 0, 9, 0, "a", Day{2026, 11, 19}}))
      << "it was there when the record was written";
  EXPECT_EQ(ShapeOf(table, "2x2").nodes, 1);
}

TEST(NodeTable, ForgetsWhatIsNowAndNotWhatWas) {
  NodeTable table;
  table.Replace({NodeOf("1", "4x4")}, kNow);
  table.Forget();
  EXPECT_FALSE(table.Record());
  table.Replace({}, kNow);
  EXPECT_EQ(ShapeOf(table, "4x4").most_nodes, 1);
}

TEST(NodeTable, WhatDoesNotFitMakesNothingCertain) {
  NodeTable table;
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < SeenShapes::kMost; ++i) {
    nodes.push_back(NodeOf(std::to_string(i), std::to_string(i) + "x1"));
  }
  table.Replace(nodes, kNow);
  EXPECT_FALSE(table.Record()->autoscaler);
  table.Put(NodeOf("more", "4x4"), kNow);
  EXPECT_EQ(table.Record()->shapes.size(), SeenShapes::kMost);
  EXPECT_TRUE(table.Record()->autoscaler);
  table.Replace({NodeOf("more", "4x4")}, kNow);
  EXPECT_GT(ShapeOf(table, "4x4").nodes, 0) << "those that have nodes come first";
}

// Memory is bounded by nodes, of which no cluster may have so many.
TEST(NodeTable, AMillionNodesAreNotKept) {
  NodeTable table;
  table.Replace({}, kNow);
  for (int i = 0; i < 1'000'000; ++i) table.Put(NodeOf(std::to_string(i), "4x4"), kNow);
  EXPECT_EQ(ShapeOf(table, "4x4").nodes, std::int64_t(NodeTable::kMostNodes));
  EXPECT_TRUE(table.Record()->autoscaler);
}

// One node that is another each time leaves as many shapes.
TEST(NodeTable, NorAreAMillionShapes) {
  NodeTable table;
  table.Replace({}, kNow);
  table.Put(NodeOf("a", "4x4"), kNow);
  for (std::size_t i = 0; i <= NodeTable::kMostNodes; ++i) {
    table.Put(NodeOf("b", std::to_string(i) + "x1"), kNow);
  }
  EXPECT_TRUE(table.Record()->autoscaler);
  table.Put(NodeOf("a", "4x4"), kNow);
  EXPECT_EQ(ShapeOf(table, "4x4").nodes, 1) << "what is known goes on";
  table.Put(NodeOf("b", "8x8"), kNow);
  EXPECT_EQ(ShapeOf(table, "8x8").nodes, 0);
}

}  // namespace
}  // namespace tpu_admission::controller::node_table_test
