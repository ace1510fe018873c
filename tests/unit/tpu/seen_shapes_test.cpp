// The record of a cluster's nodes: written, read again, believed or not.
#include "tpu_admission/tpu/seen_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpu_admission::tpu::seen_shapes_test {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kNow = 1'795'262'400;  // 2026-11-21T12:00:00Z

SeenShapes Example() {
  SeenShapes seen;
  seen.since = kNow - 5 * 3600;
  seen.current = kNow;
  seen.autoscaler = false;
  for (int i = 0; i < 3; ++i) seen.Count("tpu-v6e-slice", "4x4", 4, "b");
  seen.Count("tpu-v5-lite-podslice", "2x4", 8, "a");
  seen.Count("tpu-v5-lite-podslice", "2x4", 4, "c");
  seen.shapes[1].nodes = 0;
  seen.shapes[1].seen = Day{2026, 11, 20};
  return seen;
}

TEST(SeenShapes, CountsByShapeInOrder) {
  const SeenShapes seen = Example();
  ASSERT_EQ(seen.shapes.size(), 3U);
  EXPECT_EQ(seen.shapes[0].chips, 4);
  EXPECT_EQ(seen.shapes[1].chips, 8);
  EXPECT_EQ(seen.shapes[2].nodes, 3);
  EXPECT_EQ(seen.shapes[2].most_nodes, 3);
}

TEST(SeenShapes, KnowsWhatThereIsAndWas) {
  const SeenShapes seen = Example();
  EXPECT_TRUE(seen.Has("tpu-v6e-slice", "4x4"));
  EXPECT_TRUE(seen.Has("tpu-v5-lite-podslice", "2x4"));
  EXPECT_FALSE(seen.Has("tpu-v6e-slice", "2x4"));
  EXPECT_FALSE(seen.Has("tpu-v5-lite-podslice", "4x4"));
  EXPECT_FALSE(seen.Has("tpu-v6e-slice", ""));
  EXPECT_FALSE(SeenShapes().Has("tpu-v6e-slice", "4x4"));
}

TEST(SeenShapes, AreReadAsTheyWereWritten) {
  const SeenShapes seen = Example();
  const auto read = SeenShapes::Load(seen.Text(), "nodes.yaml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->shapes, seen.shapes);
  EXPECT_EQ(read->since, seen.since);
  EXPECT_EQ(read->current, seen.current);
  EXPECT_FALSE(read->autoscaler);
  EXPECT_EQ(read->Text(), seen.Text());
}

TEST(SeenShapes, WithoutAnyAreARecordToo) {
  SeenShapes none;
  none.since = none.current = kNow;
  const auto read = SeenShapes::Load(none.Text(), "nodes.yaml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->shapes.empty());
  EXPECT_TRUE(read->autoscaler) << "nobody has said that there is none";
}

TEST(SeenShapes, TextsOfStrangersStayTexts) {
  SeenShapes seen = Example();
  seen.Count("a\"b\n- {x: 1}", "{4x4}", 4, "p\\");
  const auto read = SeenShapes::Load(seen.Text(), "nodes.yaml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->shapes, seen.shapes);
  EXPECT_EQ(Listed(read->shapes, 9).find('\n'), std::string::npos);
}

TEST(SeenShapes, WhatIsNoRecordIsRefused) {
  for (const char* const text :
       {"", "[]", "since: 2026-11-22T05:37:02Z", "shapes: 7",
        "{since: today, current: '2026-11-22T05:37:02Z', autoscaler: false, shapes: []}",
        "{since: '2026-11-22T05:37:02Z', current: '2026-11-22T05:37:02Z', autoscaler: false, "
        "shapes: [{accelerator: a}]}",
        "{since: '2026-11-22T05:37:02Z', current: '2026-11-22T05:37:02Z', autoscaler: false, "
        "shapes: [{accelerator: a, topology: b, chips: -1, nodes: 0, most: 0, pools: 0}]}"}) {
    EXPECT_FALSE(SeenShapes::Load(text, "nodes.yaml")) << text;
  }
}

TEST(SeenShapes, MoreThanThereAreAreRefused) {
  SeenShapes seen = Example();
  for (std::size_t i = 0; i < SeenShapes::kMost; ++i) {
    seen.Count("tpu-v6e-slice", std::to_string(i), 4, "a");
  }
  const auto read = SeenShapes::Load(seen.Text(), "nodes.yaml");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("has more than 256"));
}

TEST(SeenShapes, AreBelievedWhenSettledAndOfNow) {
  const auto minutes = [](std::int64_t count) { return count * 60; };
  SeenShapes seen = Example();
  seen.since = kNow - minutes(9);
  EXPECT_FALSE(seen.IsSettled(kNow));
  EXPECT_TRUE(seen.IsSettled(kNow + minutes(1)));
  EXPECT_TRUE(seen.IsCurrent(kNow));
  EXPECT_TRUE(seen.IsCurrent(kNow + minutes(20)));
  EXPECT_FALSE(seen.IsCurrent(kNow + minutes(21)));
  EXPECT_FALSE(seen.IsCurrent(kNow - minutes(21))) << "one of the two clocks is wrong";
}

TEST(SeenShapes, AreToldInALine) {
  const SeenShapes seen = Example();
  EXPECT_EQ(Listed(seen.shapes, 5),
            "tpu-v5-lite-podslice 2x4 (1 node of 4 chips), tpu-v6e-slice 4x4 (3 nodes of 4 chips) "
            "and tpu-v5-lite-podslice 2x4 (none now, 1 node until 2026-11-20)");
  EXPECT_EQ(Listed(seen.shapes, 1), "tpu-v5-lite-podslice 2x4 (1 node of 4 chips) and 2 more");
  EXPECT_EQ(Listed({}, 5), "");
}

}  // namespace
}  // namespace tpu_admission::tpu::seen_shapes_test
