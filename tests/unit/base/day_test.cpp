#include "tpu_admission/base/day.h"

#include <gtest/gtest.h>

#include "tpu_admission/base/clock.h"

namespace tpu_admission::day_test {
namespace {

TEST(Day, ReadsWhatItWrites) {
  for (const char* text : {"2026-12-31", "2024-02-29", "2000-02-29", "0001-01-01", "9999-10-09"}) {
    const std::optional<Day> day = ParseDay(text);
    ASSERT_TRUE(day) << text;
    EXPECT_EQ(Text(*day), text);
  }
}

TEST(Day, RefusesWhatIsNoDay) {
  for (const char* text : {"", "2026", "2026-1-01", "2026-00-10", "2026-13-01", "2026-01-00",
                           "2026-01-32", "2026-04-31", "2026-02-29", "1900-02-29", "2026/01/01",
                           "2026-01-01Z", "-026-01-01", "2026-+1-01", "20x6-01-01"}) {
    EXPECT_FALSE(ParseDay(text)) << text;
  }
}

TEST(Day, Orders) {
  EXPECT_LT((Day{2026, 12, 31}), (Day{2027, 1, 1}));
  EXPECT_LT((Day{2026, 1, 31}), (Day{2026, 2, 1}));
  EXPECT_EQ((Day{2026, 2, 1}), (Day{2026, 2, 1}));
}

TEST(Day, IsThatOfUtc) {
  using namespace std::chrono;
  const Clock::Wall midnight = sys_days(year(2026) / 3 / 1);
  EXPECT_EQ(DayOf(midnight), (Day{2026, 3, 1}));
  EXPECT_EQ(DayOf(midnight - milliseconds(1)), (Day{2026, 2, 28}));
}

TEST(Utc, ReadsWhatItWrites) {
  for (const char* text :
       {"1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "2199-12-31T00:00:01Z"}) {
    const auto time = ReadUtc(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(UtcText(*time), text);
    EXPECT_EQ(UtcText(*time + std::chrono::milliseconds(999)), text);
  }
  EXPECT_EQ(ReadUtc("2026-11-21T12:00:00.123456Z"), ReadUtc("2026-11-21T12:00:00Z"));
  EXPECT_EQ(ReadUtc("2026-11-21T12:00:00Z"), WallOf(1'795'262'400));
}

TEST(Utc, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "Z", "yesterday", "2026-13-41T12:00:00Z", "2026-11-21T12:00:00", "2026-11-21T99:00:00Z",
        "2026-11-21T12:60:00Z", "2026-11-21T12:00:61Z", "2026-11-21T12:00:-1Z",
        "2026-11-21T12:00:00+0Z", "2026-11-21 12:00:00Z", "1969-12-31T23:59:59Z",
        "2200-01-01T00:00:00Z", "9999-01-01T00:00:00Z"}) {
    EXPECT_FALSE(ReadUtc(text)) << text;
  }
}

}  // namespace
}  // namespace tpu_admission::day_test
