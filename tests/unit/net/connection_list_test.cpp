#include "net/connection_list.h"

#include <gtest/gtest.h>

#include <set>

#include "net/connection_gate.h"
#include "support/recording_observer.h"

namespace tpu_admission::net {
namespace {

using testing::RecordingObserver;
using Time = Connection::Time;

class FakeConnection final : public Connection {
 public:
  void CheckDeadline(Time) override {}
  void EndIfIdle() override {}
  void Evict() override { evicted = true; }
  bool evicted = false;
};

Time At(int seconds) { return Time(std::chrono::seconds(seconds)); }

TEST(ConnectionList, EvictsTheLongestIdleFirst) {
  ConnectionList list;
  FakeConnection a, b, c;
  const auto at_a = list.Add(a, At(1));
  list.Add(b, At(2));
  list.Add(c, At(3));
  list.MarkBusy(at_a);
  list.MarkIdle(at_a, At(4));  // idle again, but only just
  EXPECT_EQ(list.LongestIdleSince(), At(2));
  EXPECT_TRUE(list.EvictLongestIdle());
  EXPECT_TRUE(b.evicted);
  EXPECT_TRUE(list.EvictLongestIdle());
  EXPECT_TRUE(c.evicted);
  EXPECT_TRUE(list.EvictLongestIdle());
  EXPECT_TRUE(a.evicted);
  EXPECT_FALSE(list.EvictLongestIdle());
}

TEST(ConnectionList, ABusyConnectionIsNeverEvicted) {
  ConnectionList list;
  FakeConnection busy;
  const auto entry = list.Add(busy, At(1));
  list.MarkBusy(entry);
  EXPECT_EQ(list.LongestIdleSince(), std::nullopt);
  EXPECT_FALSE(list.EvictLongestIdle());
  EXPECT_FALSE(busy.evicted);
}

TEST(ConnectionList, VisitsBusyAndIdleUntilTheyAreRemoved) {
  ConnectionList list;
  FakeConnection idle, busy, gone;
  list.Add(idle, At(1));
  list.MarkBusy(list.Add(busy, At(2)));
  const auto removed = list.Add(gone, At(3));
  list.MarkBusy(removed);
  list.Remove(removed);
  std::set<Connection*> seen;
  list.ForEach([&](Connection& connection) { seen.insert(&connection); });
  EXPECT_EQ(seen, (std::set<Connection*>{&idle, &busy}));
}

TEST(ConnectionGate, CountsPassesOnceHoweverTheyEnd) {
  RecordingObserver observer;
  ConnectionGate gate(2, observer);
  ConnectionGate::Pass first(gate);
  EXPECT_FALSE(gate.full());
  {
    ConnectionGate::Pass second(gate);
    const ConnectionGate::Pass moved(std::move(second));
    EXPECT_TRUE(gate.full());
    EXPECT_EQ(observer.connections, 2);
  }
  EXPECT_EQ(gate.count(), 1u);
  first.Return();
  first.Return();
  EXPECT_EQ(gate.count(), 0u);
  EXPECT_EQ(observer.connections, 0);
}

}  // namespace
}  // namespace tpu_admission::net
