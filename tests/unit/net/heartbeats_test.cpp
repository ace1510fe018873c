#include "net/heartbeats.h"

#include <gtest/gtest.h>

namespace tpu_admission::net::heartbeats_test {
namespace {

using std::chrono::seconds;

Heartbeats::Time At(int time) { return Heartbeats::Time(seconds(time)); }

TEST(Heartbeats, TellOfTheSlowestThreadThatRuns) {
  Heartbeats beats(3);
  EXPECT_EQ(beats.LongestStall(At(100)), seconds(0)) << "none runs yet";
  beats.Beat(0, At(90));
  beats.Beat(1, At(97));
  EXPECT_EQ(beats.LongestStall(At(100)), seconds(10));
  beats.Beat(0, At(99));
  EXPECT_EQ(beats.LongestStall(At(100)), seconds(3));
  beats.Stop(1);
  EXPECT_EQ(beats.LongestStall(At(100)), seconds(1));
}

}  // namespace
}  // namespace tpu_admission::net::heartbeats_test
