#include "net/connection_list.h"

#include <gtest/gtest.h>

#include <set>

#include "net/connection_gate.h"
#include "support/recording_observer.h"

namespace tpu_admission::net::connection_list_test {
namespace {

using support::RecordingObserver;
using Time = Connection::Time;

class FakeConnection final : public Connection {
 public:
  void CheckDeadline(Time) override {}
  void EndIfIdle() override {}
  void Evict() override { evicted = true; }
  bool evicted = false;
};

Time At(int seconds) { return Time(std::chrono::seconds(seconds)); }

TEST(ConnectionList, WhoHasDoneNothingForLongestIsEvictedFirst) {
  ConnectionList list;
  FakeConnection a, b, c;
  const auto at_a = list.Add(a, At(1));
  list.Add(b, At(2));
  list.Add(c, At(3));
  list.MarkWaiting(at_a, At(4));
  EXPECT_EQ(list.CandidatesAt(At(5)).newcomer, At(2));
  EXPECT_TRUE(list.EvictNewcomer(At(5)));
  EXPECT_TRUE(b.evicted);
  EXPECT_TRUE(list.EvictNewcomer(At(5)));
  EXPECT_TRUE(c.evicted);
  EXPECT_TRUE(list.EvictNewcomer(At(5)));
  EXPECT_TRUE(a.evicted);
  EXPECT_FALSE(list.EvictNewcomer(At(5)));
}

TEST(ConnectionList, TheProvenAreAQueueOfTheirOwn) {
  ConnectionList list;
  FakeConnection proven, newcomer;
  const auto entry = list.Add(proven, At(1));
  list.Add(newcomer, At(2));
  list.Prove(entry);
  list.Prove(entry);
  const auto found = list.CandidatesAt(At(3));
  EXPECT_EQ(found.newcomers, 1u);
  EXPECT_EQ(found.newcomer, At(2));
  EXPECT_EQ(found.proven, At(1));
  EXPECT_TRUE(list.EvictNewcomer(At(3)));
  EXPECT_FALSE(proven.evicted);
  EXPECT_TRUE(list.EvictProven(At(3)));
  EXPECT_TRUE(proven.evicted);
}

TEST(ConnectionList, AnAnswerHasAMomentToBeRead) {
  ConnectionList list;
  FakeConnection reader, other;
  const auto entry = list.Add(reader, At(1));
  list.MarkAnswering(entry, At(2));
  EXPECT_FALSE(list.EvictNewcomer(At(2)));
  list.Add(other, At(2));
  EXPECT_TRUE(list.EvictNewcomer(At(2)));
  EXPECT_TRUE(other.evicted);
  EXPECT_TRUE(list.EvictNewcomer(At(2) + ConnectionList::kAnswerGrace));
  EXPECT_TRUE(reader.evicted);
}

TEST(ConnectionList, VisitsAllUntilTheyAreRemoved) {
  ConnectionList list;
  FakeConnection newcomer, proven, evicted, gone;
  list.Add(evicted, At(1));
  list.EvictNewcomer(At(1));
  list.Add(newcomer, At(1));
  list.Prove(list.Add(proven, At(2)));
  const auto removed = list.Add(gone, At(3));
  list.Prove(removed);
  list.Remove(removed);
  std::set<Connection*> seen;
  list.ForEach([&](Connection& connection) { seen.insert(&connection); });
  EXPECT_EQ(seen, (std::set<Connection*>{&newcomer, &proven, &evicted}));
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
}  // namespace tpu_admission::net::connection_list_test
