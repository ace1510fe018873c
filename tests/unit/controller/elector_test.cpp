// Leader election by a Lease: at most one leads, and somebody does soon.
#include "tpu_admission/controller/elector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>

#include "support/fake_clock.h"
#include "support/memory_api.h"
#include "unit/controller/recorder.h"

namespace tpu_admission::controller::elector_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using support::FakeClock;
using support::MemoryApi;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;

const kube::ObjectPath kLease = kube::LeasePath("tpu", "tpu-admission-controller");

struct Candidate {
  Candidate(MemoryApi& api, const std::string& name, const Clock& clock)
      : elector(api, kLease, name, {}, clock, seen) {}
  bool leading() const { return elector.leading(); }
  Recorder seen;
  Elector elector;
};

class ElectorTest : public ::testing::Test {
 protected:
  ElectorTest() { api_.Put(kLease, {{"metadata", {{"name", "tpu-admission-controller"}}}}); }

  void StepBoth() {
    a_.elector.Step();
    b_.elector.Step();
    EXPECT_FALSE(a_.leading() && b_.leading());
  }
  // Every 2 s, as the retry period is.
  template <typename Each>
  void Every2s(seconds time, Each each) {
    for (seconds passed{0}; passed < time; passed += seconds(2)) {
      clock_.Advance(seconds(2));
      each();
      EXPECT_FALSE(a_.leading() && b_.leading());
    }
  }
  const MemoryApi::Json& spec() const { return api_.object(kLease)["spec"]; }

  FakeClock clock_;
  MemoryApi api_;
  Candidate a_{api_, "a", clock_}, b_{api_, "b", clock_};
};

TEST_F(ElectorTest, TakesTheEmptyLeaseOfTheChart) {
  EXPECT_FALSE(a_.leading());
  StepBoth();
  EXPECT_TRUE(a_.leading());
  EXPECT_EQ(spec()["holderIdentity"], "a");
  EXPECT_EQ(spec()["leaseDurationSeconds"], 15);
  EXPECT_EQ(spec()["leaseTransitions"], 1);
  constexpr const char* kMicroTime = "2026-11-21T12:00:00\\.000000Z";
  EXPECT_THAT(spec()["renewTime"].get<std::string>(), MatchesRegex(kMicroTime));
  EXPECT_THAT(spec()["acquireTime"].get<std::string>(), MatchesRegex(kMicroTime));
  EXPECT_THAT(a_.seen.leadership, ElementsAre(true));
  EXPECT_TRUE(b_.seen.leadership.empty());
}

// Found by fuzzing: the counts of a Lease may be any integers of JSON.
TEST_F(ElectorTest, IsNotConfusedByAbsurdCounts) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const MemoryApi::Json& count : {MemoryApi::Json(kMost), MemoryApi::Json(kMost << 20),
                                       MemoryApi::Json(-kMost), MemoryApi::Json("many")}) {
    const MemoryApi::Json lease = {{"leaseTransitions", count}, {"leaseDurationSeconds", count}};
    api_.Put(kLease, {{"metadata", {{"name", "tpu-admission-controller"}}}, {"spec", lease}});
    a_.elector.Step();
    EXPECT_TRUE(a_.leading()) << count;
    EXPECT_GT(spec()["leaseTransitions"].get<std::int64_t>(), 0) << count;
    EXPECT_LE(spec()["leaseTransitions"].get<std::int64_t>(), kMost) << count;
    a_.elector.Release();
  }
}

TEST_F(ElectorTest, KeepsTheLeadByRenewing) {
  Every2s(seconds(120), [&] { StepBoth(); });
  EXPECT_TRUE(a_.leading());
  EXPECT_EQ(spec()["leaseTransitions"], 1);
  EXPECT_EQ(spec()["acquireTime"], "2026-11-21T12:00:02.000000Z");
  EXPECT_EQ(spec()["renewTime"], "2026-11-21T12:02:00.000000Z");
}

TEST_F(ElectorTest, AnotherTakesOverFromOneThatDied) {
  StepBoth();
  Every2s(seconds(12), [&] { b_.elector.Step(); });
  EXPECT_FALSE(b_.leading()) << "the lease is still running";
  EXPECT_FALSE(a_.leading()) << "could not renew for 10 s";
  Every2s(seconds(6), [&] { b_.elector.Step(); });
  EXPECT_TRUE(b_.leading());
  EXPECT_EQ(spec()["leaseTransitions"], 2);
  a_.elector.Step();
  EXPECT_FALSE(a_.leading());
  EXPECT_THAT(a_.seen.leadership, ElementsAre(true, false));
}

TEST_F(ElectorTest, HandsOverAtOnceWhenReleased) {
  StepBoth();
  a_.elector.Release();
  EXPECT_FALSE(a_.leading());
  EXPECT_FALSE(spec().contains("holderIdentity"));
  EXPECT_EQ(spec()["leaseDurationSeconds"], 1);
  b_.elector.Step();
  EXPECT_TRUE(b_.leading());
}

TEST_F(ElectorTest, ReleasesOnlyWhatItHolds) {
  StepBoth();
  const auto before = api_.object(kLease);
  b_.elector.Release();
  EXPECT_EQ(api_.object(kLease), before);
}

TEST_F(ElectorTest, TwoThatTryAtOnceDoNotBothLead) {
  api_.before_write = [&](const kube::ObjectPath&) {
    api_.before_write = nullptr;
    b_.elector.Step();
  };
  a_.elector.Step();
  EXPECT_FALSE(a_.leading());
  EXPECT_TRUE(b_.leading());
  EXPECT_TRUE(a_.seen.errors.empty()) << "to lose a race is no error";
}

TEST_F(ElectorTest, StopsLeadingWhenTheApiServerIsGone) {
  StepBoth();
  api_.fail = [](const std::string&, const kube::ObjectPath&) {
    return kube::Outcome::kUnreachable;
  };
  Every2s(seconds(8), [&] { StepBoth(); });
  EXPECT_TRUE(a_.leading());
  EXPECT_TRUE(a_.elector.in_contact());
  Every2s(seconds(2), [&] { StepBoth(); });
  EXPECT_FALSE(a_.leading());
  EXPECT_FALSE(a_.elector.in_contact());
  EXPECT_GT(a_.seen.errors[Operation::kElect], 0);
  EXPECT_THAT(a_.seen.leadership, ElementsAre(true, false));
  api_.fail = nullptr;
  StepBoth();
  EXPECT_TRUE(a_.leading()) << "the Lease is still its own";
}

TEST_F(ElectorTest, ALostAnswerCostsNothing) {
  StepBoth();
  clock_.Advance(seconds(2));
  api_.lose_next_answer = true;
  StepBoth();
  EXPECT_TRUE(a_.leading());
  Every2s(seconds(30), [&] { StepBoth(); });
  EXPECT_TRUE(a_.leading());
  EXPECT_THAT(a_.seen.leadership, ElementsAre(true));
}

TEST_F(ElectorTest, TrustsNoOthersClock) {
  FakeClock wrong;
  wrong.SetWrong(std::chrono::hours(-1000));
  Candidate c(api_, "c", wrong);
  c.elector.Step();
  ASSERT_TRUE(c.leading());
  for (int i = 0; i < 30; ++i) {  // its renewTime is long ago, but it changes
    wrong.Advance(seconds(2));
    clock_.Advance(seconds(2));
    c.elector.Step();
    a_.elector.Step();
    EXPECT_TRUE(c.leading());
    EXPECT_FALSE(a_.leading());
  }
}

TEST_F(ElectorTest, OnlyTheLeaseItselfTellsThatAHolderLives) {
  StepBoth();
  Every2s(seconds(20), [&] {
    api_.Change(kLease, [&](auto& lease) { lease["metadata"]["labels"]["x"] = "y"; });
    b_.elector.Step();
  });
  EXPECT_TRUE(b_.leading());
}

TEST_F(ElectorTest, LeadsWithoutALeaseWhenNoneHasBeenThereForAWhile) {
  api_.Remove(kLease);
  Every2s(seconds(14), [&] { a_.elector.Step(); });
  EXPECT_FALSE(a_.leading()) << "it may be about to be made";
  EXPECT_TRUE(a_.elector.in_contact());
  Every2s(seconds(60), [&] { a_.elector.Step(); });
  EXPECT_TRUE(a_.leading());
  EXPECT_THAT(a_.seen.leadership, ElementsAre(true));
  EXPECT_THAT(a_.seen.notes, ElementsAre(::testing::HasSubstr("no Lease")));
  EXPECT_TRUE(a_.seen.errors.empty());
}

TEST_F(ElectorTest, ALeaseThatComesIsCompetedFor) {
  api_.Remove(kLease);
  Every2s(seconds(30), [&] { a_.elector.Step(); });
  api_.Put(kLease, {{"metadata", {{"name", "tpu-admission-controller"}}}});
  b_.elector.Step();
  a_.elector.Step();
  EXPECT_TRUE(b_.leading());
  EXPECT_FALSE(a_.leading());
  EXPECT_THAT(a_.seen.leadership, ElementsAre(true, false));
}

TEST_F(ElectorTest, WhoLedByALeaseThatWasDeletedHasStoppedWhenAnotherBegins) {
  StepBoth();
  api_.Remove(kLease);
  Every2s(seconds(10), [&] { b_.elector.Step(); });
  EXPECT_FALSE(a_.leading());
  Every2s(seconds(10), [&] { b_.elector.Step(); });
  EXPECT_TRUE(b_.leading());
}

TEST_F(ElectorTest, ALeadThatWasTakenAwayEndsAtOnce) {
  StepBoth();
  api_.Change(kLease, [](auto& lease) { lease["spec"]["holderIdentity"] = "someone"; });
  clock_.Advance(seconds(2));
  a_.elector.Step();
  EXPECT_FALSE(a_.leading());
}

}  // namespace
}  // namespace tpu_admission::controller::elector_test
