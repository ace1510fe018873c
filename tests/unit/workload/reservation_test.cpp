#include "tpu_admission/workload/reservation.h"

#include <gtest/gtest.h>

#include <string>

namespace tpu_admission::workload::reservation_test {
namespace {

// "name project block sub-block", or "-".
std::string Read(std::string_view text) {
  const auto found = ReadReservation(text);
  if (!found) return "-";
  std::string all;
  for (const std::string_view part :
       {found->name, found->project, found->block, found->sub_block}) {
    all.append(all.empty() ? "" : " ").append(part.empty() ? "." : part);
  }
  return all;
}

TEST(Reservation, IsNamedByItsNameOrPath) {
  EXPECT_EQ(Read("tpus"), "tpus . . .");
  EXPECT_EQ(Read("projects/p/reservations/r"), "r p . .");
  EXPECT_EQ(Read("projects/p/zones/us-east5-a/reservations/r"), "r p . .");
  EXPECT_EQ(Read("reservations/r"), "r . . .");
  EXPECT_EQ(Read("r/reservationBlocks/b"), "r . b .");
  EXPECT_EQ(Read("projects/p/reservations/r/reservationBlocks/b/reservationSubBlocks/s"),
            "r p b s");
}

TEST(Reservation, IsNothingElse) {
  for (const char* const text : {"",
                                 "/",
                                 "/r",
                                 "r/",
                                 "a/b",
                                 "a//b",
                                 "projects/p",
                                 "projects/p/reservations",
                                 "projects/p/reservations/",
                                 "projects//reservations/r",
                                 "PROJECTS/p/reservations/r",
                                 "r/reservationBlocks/b/c",
                                 "r/reservationBlocks",
                                 "r/reservationSubBlocks/s",
                                 "projects/p/r",
                                 "zones/z/reservations/r",
                                 "p:r",
                                 "r r",
                                 "R",
                                 "1r",
                                 "r-",
                                 "r\n",
                                 "projects/example.com:p/reservations/r",
                                 "projects/p/zones/$(id)/reservations/r",
                                 "projects/p/zones/z z/reservations/r"}) {
    EXPECT_EQ(Read(text), "-") << text;
  }
  EXPECT_NE(Read(std::string(63, 'a')), "-");
  EXPECT_EQ(Read(std::string(64, 'a')), "-");
}

}  // namespace
}  // namespace tpu_admission::workload::reservation_test
