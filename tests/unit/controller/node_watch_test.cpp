// The watch of nodes: what it asks for, what it survives, and how seldom it lists.
#include "controller/node_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_nodes.h"
#include "unit/controller/recorder.h"

namespace tpu_admission::controller::node_watch_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using support::FakeClock;
using support::FakeNodes;

class NodeWatchTest : public ::testing::Test {
 protected:
  NodeWatchTest() {
    nodes_.Add("n1", "a", "tpu-v6e-slice", "4x4");
    nodes_.Add("n2", "a", "tpu-v6e-slice", "4x4");
  }

  milliseconds Step() {
    return watch_.Step([this] { return go_on_; }, 0.999);
  }
  // Steps with the waits between them.
  void Run(minutes time) {
    const Clock::Mono end = clock_.Elapsed() + time;
    while (clock_.Elapsed() < end) clock_.Advance(Step());
  }
  std::int64_t Nodes(std::string_view topology) {
    const auto record = table_.Record();
    std::int64_t nodes = 0;
    for (const auto& shape : record ? record->shapes : std::vector<tpu::SeenShape>()) {
      if (shape.topology == topology) nodes += shape.nodes;
    }
    return nodes;
  }

  FakeClock clock_;
  FakeNodes nodes_{clock_};
  NodeTable table_;
  Recorder seen_;
  bool go_on_ = true;
  NodeWatch watch_{nodes_, table_, clock_, seen_};
};

TEST_F(NodeWatchTest, ListsOnceAndThenWatches) {
  EXPECT_EQ(Step(), milliseconds(0));
  EXPECT_EQ(nodes_.selector, "cloud.google.com/gke-tpu-accelerator");
  EXPECT_EQ(Nodes("4x4"), 2);
  nodes_.Add("n3", "b", "tpu-v6e-slice", "2x4", "8");
  nodes_.Remove("n1");
  EXPECT_EQ(Step(), milliseconds(0));
  EXPECT_EQ(Nodes("4x4"), 1);
  EXPECT_EQ(Nodes("2x4"), 1);
  EXPECT_EQ(table_.Record()->shapes[0].chips, 8);
  Run(minutes(60));
  EXPECT_EQ(nodes_.lists, 1);
  EXPECT_LE(nodes_.watches, 20) << "one every four minutes";
  EXPECT_EQ(WallOf(table_.Record()->current), std::chrono::floor<seconds>(clock_.Now()));
  EXPECT_TRUE(seen_.errors.empty());
}

TEST_F(NodeWatchTest, AListOfNothingIsAList) {
  nodes_.Remove("n1");
  nodes_.Remove("n2");
  EXPECT_EQ(Step(), milliseconds(0));
  ASSERT_TRUE(table_.Record());
  EXPECT_TRUE(table_.Record()->shapes.empty());
}

TEST_F(NodeWatchTest, ALargeListComesInPages) {
  for (int i = 0; i < 4'998; ++i) {
    nodes_.Add("node-" + std::to_string(i), "p" + std::to_string(i / 4), "tpu-v5p-slice", "2x2x4");
  }
  Step();
  EXPECT_EQ(nodes_.pages, 10);
  EXPECT_EQ(Nodes("2x2x4"), 4'998);
  EXPECT_EQ(table_.Record()->shapes.front().pools, 1'250);
  EXPECT_LT(table_.Record()->Text().size(), 1'000U) << "and is a few lines in the end";
}

TEST_F(NodeWatchTest, PagesThatAreTooLargeBecomeSmaller) {
  nodes_.most_in_page = 100;
  for (int i = 0; i < 500; ++i) {
    nodes_.Add("node-" + std::to_string(i), "p", "tpu-v5p-slice", "2x2x4");
  }
  Run(minutes(5));
  EXPECT_EQ(Nodes("2x2x4"), 500);
  EXPECT_EQ(nodes_.lists, 4) << "of 500, 250, 125 and 62";
}

TEST_F(NodeWatchTest, AListThatGoesInCirclesEnds) {
  nodes_.circles = true;
  EXPECT_GE(Step(), milliseconds(500));
  EXPECT_EQ(nodes_.pages, 10'000);
  EXPECT_FALSE(table_.Record());
  EXPECT_THAT(seen_.last_error, ::testing::HasSubstr("the list has no end"));
  nodes_.circles = false;
  Step();
  EXPECT_EQ(Nodes("4x4"), 2);
}

// A restart of the API server, or a cut: the watch goes on where it was, without a list.
TEST_F(NodeWatchTest, AnApiServerThatIsAwayIsNotAskedForListsWhenItIsBack) {
  Step();
  nodes_.fail = [] { return FakeNodes::Failed(kube::Outcome::kUnreachable, 0); };
  Run(minutes(30));
  EXPECT_EQ(nodes_.lists, 1);
  EXPECT_LE(nodes_.watches, 40) << "once a minute after a few that come sooner";
  const Clock::Wall cut = WallOf(table_.Record()->current);
  EXPECT_GE(clock_.Now() - cut, minutes(30)) << "and the record says how old it is";
  nodes_.fail = nullptr;
  nodes_.Add("n3", "a", "tpu-v6e-slice", "4x4");
  Step();
  EXPECT_EQ(nodes_.lists, 1);
  EXPECT_EQ(Nodes("4x4"), 3);
  EXPECT_EQ(WallOf(table_.Record()->current), std::chrono::floor<seconds>(clock_.Now()));
}

TEST_F(NodeWatchTest, AWatchThatBreaksOffLosesNothing) {
  Step();
  nodes_.breaks = true;
  nodes_.Add("n3", "a", "tpu-v6e-slice", "4x4");
  EXPECT_GT(Step(), milliseconds(0));
  nodes_.breaks = false;
  nodes_.Remove("n2");
  Step();
  EXPECT_EQ(Nodes("4x4"), 2);
  EXPECT_EQ(nodes_.lists, 1);
}

TEST_F(NodeWatchTest, AnExpiredVersionCostsOneList) {
  Step();
  nodes_.Remove("n1");
  nodes_.Compact();
  const milliseconds wait = Step();
  EXPECT_GE(wait, milliseconds(500));
  EXPECT_LE(wait, seconds(1));
  Step();
  EXPECT_EQ(nodes_.lists, 2);
  EXPECT_EQ(Nodes("4x4"), 1);
  Step();
  EXPECT_EQ(nodes_.lists, 2);
}

TEST_F(NodeWatchTest, AnExpiredVersionMayBeAStatusToo) {
  Step();
  nodes_.fail = [] { return FakeNodes::Failed(kube::Outcome::kRefused, 410); };
  Step();
  nodes_.fail = nullptr;
  Step();
  EXPECT_EQ(nodes_.lists, 2);
}

// Whatever an API server says, lists do not become a storm.
TEST_F(NodeWatchTest, WhoSaysGoneAgainAndAgainIsListedOnceAMinute) {
  int calls = 0;
  nodes_.fail = [&]() -> std::optional<kube::Answer> {
    return ++calls % 2 == 0 ? std::optional(FakeNodes::Failed(kube::Outcome::kRefused, 410))
                            : std::nullopt;
  };
  Run(minutes(60));
  EXPECT_LE(nodes_.lists, 70);
  EXPECT_GE(nodes_.lists, 50) << "and it does not give up";
}

TEST_F(NodeWatchTest, AWatchThatEndsAtOnceIsNotAskedForInALoop) {
  nodes_.lasts = false;
  Run(minutes(60));
  EXPECT_EQ(nodes_.lists, 1);
  EXPECT_LE(nodes_.watches, 70);
}

TEST_F(NodeWatchTest, AListThatFailsIsRepeatedEverMoreSlowly) {
  nodes_.fail = [] { return FakeNodes::Failed(kube::Outcome::kRefused, 403); };
  Run(minutes(60));
  EXPECT_LE(nodes_.lists, 70);
  EXPECT_FALSE(table_.Record());
  EXPECT_EQ(seen_.errors[Operation::kWatchNodes], nodes_.lists);
  nodes_.fail = nullptr;
  Run(minutes(5));
  EXPECT_EQ(Nodes("4x4"), 2);
}

TEST_F(NodeWatchTest, APageThatFailsTakesNothingAway) {
  for (int i = 0; i < 600; ++i) {
    nodes_.Add("node-" + std::to_string(i), "p", "tpu-v5p-slice", "2x2x4");
  }
  Step();
  nodes_.Compact();
  Step();
  int calls = 0;
  nodes_.fail = [&]() -> std::optional<kube::Answer> {
    if (++calls == 1) return std::nullopt;
    return FakeNodes::Failed(kube::Outcome::kRefused, 410);  // the token has expired
  };
  EXPECT_GT(Step(), milliseconds(0));
  EXPECT_EQ(Nodes("2x2x4"), 600) << "the old list holds until another is whole";
  EXPECT_EQ(calls, 2);
}

TEST_F(NodeWatchTest, WhatIsNotUnderstoodEndsInAList) {
  for (const std::string event :
       {"", "nothing", "[]", "{\"type\":\"ADDED\"}", "{\"type\":7,\"object\":{}}",
        "{\"type\":\"ERROR\",\"object\":{\"code\":500,\"message\":\"boom\"}}"}) {
    nodes_.strange_events.clear();
    Step();
    const int lists = nodes_.lists;
    nodes_.strange_events = {event};
    EXPECT_GT(Step(), milliseconds(0)) << event;
    Step();
    EXPECT_EQ(nodes_.lists, lists + 1) << event;
    EXPECT_EQ(Nodes("4x4"), 2);
  }
}

// What no API server stores, and what a tree of it would take.
TEST_F(NodeWatchTest, AnEventThatIsNestedDeepIsNotUnderstood) {
  for (const bool closed : {true, false}) {
    Step();
    const int errors = seen_.errors[Operation::kWatchNodes];
    nodes_.strange_events = {
        R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"},"z":)" +
        std::string(200, '[') + (closed ? std::string(200, ']') + "}}" : "")};
    EXPECT_GT(Step(), milliseconds(0));
    EXPECT_EQ(seen_.errors[Operation::kWatchNodes], errors + 1);
    nodes_.strange_events.clear();
  }
}

TEST_F(NodeWatchTest, ANodeWithANameThatNoneCanHaveIsLeftOutAndToldOfOnce) {
  const std::string longest(253, 'n');
  nodes_.Add(longest, "a", "tpu-v6e-slice", "2x4");
  nodes_.Add(longest + "n", "a", "tpu-v6e-slice", "2x4");
  nodes_.Add("../n", "a", "tpu-v6e-slice", "2x4");
  Step();
  EXPECT_EQ(Nodes("2x4"), 1);
  EXPECT_EQ(Nodes("4x4"), 2);
  nodes_.Add(std::string(100'000, 'm'), "a", "tpu-v6e-slice", "2x4");
  nodes_.Add("n3", "a", "tpu-v6e-slice", "2x4");
  Step();
  EXPECT_EQ(Nodes("2x4"), 2);
  EXPECT_EQ(seen_.notes.size(), 1U);
  EXPECT_TRUE(seen_.errors.empty());
}

TEST_F(NodeWatchTest, BookmarksMoveOnAndStrangersTypesDoNoHarm) {
  Step();
  nodes_.strange_events = {
      R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"500"}}})",
      R"({"type":"NEW","object":{"metadata":{"resourceVersion":"501","name":"n1"}}})",
      R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"502","labels":7}}})",
      R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"503","name":"x","labels":
         {"cloud.google.com/gke-tpu-accelerator":"a","cloud.google.com/gke-tpu-topology":"b",
          "cloud.google.com/gke-accelerator-count":"many"}}}})"};
  Step();
  EXPECT_EQ(Nodes("4x4"), 2);
  EXPECT_EQ(Nodes("b"), 1);
  nodes_.Compact();
  Step();
  EXPECT_EQ(nodes_.lists, 1) << "the bookmark's version is newer than what is forgotten";
}

TEST_F(NodeWatchTest, EndsAtAnEventWhenItShall) {
  Step();
  nodes_.Add("n3", "a", "tpu-v6e-slice", "4x4");
  nodes_.Add("n4", "a", "tpu-v6e-slice", "4x4");
  go_on_ = false;
  Step();
  EXPECT_EQ(Nodes("4x4"), 3) << "the first event only";
  EXPECT_TRUE(seen_.errors.empty());
}

}  // namespace
}  // namespace tpu_admission::controller::node_watch_test
