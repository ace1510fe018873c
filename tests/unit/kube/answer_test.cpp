#include "kube/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpu_admission::kube::answer_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(AnswerOf, TellsWhatAStatusMeans) {
  const std::pair<unsigned, Outcome> cases[] = {
      {200, Outcome::kOk},          {201, Outcome::kOk},          {404, Outcome::kNotFound},
      {409, Outcome::kConflict},    {401, Outcome::kRefused},     {403, Outcome::kRefused},
      {422, Outcome::kRefused},     {302, Outcome::kRefused},     {429, Outcome::kUnreachable},
      {500, Outcome::kUnreachable}, {503, Outcome::kUnreachable},
  };
  for (const auto& [status, outcome] : cases) {
    const Answer answer = AnswerOf("GET /x", status, "{}", "");
    EXPECT_EQ(answer.outcome, outcome) << status;
    EXPECT_EQ(answer.error.empty(), answer.ok());
    EXPECT_EQ(answer.body.empty(), !answer.ok());
  }
}

TEST(AnswerOf, ShowsTheServersMessageInOneLine) {
  const Answer answer = AnswerOf(
      "GET /x", 403, R"({"kind": "Status", "message": "secrets \"s\" is\nforbidden"})", "");
  EXPECT_THAT(answer.error, HasSubstr("GET /x: HTTP 403: secrets \"s\" is"));
  EXPECT_THAT(answer.error, Not(HasSubstr("\n")));
  EXPECT_THAT(AnswerOf("GET /x", 502, "<html>bad gateway", "").error, HasSubstr("bad gateway"));
  EXPECT_LT(AnswerOf("GET /x", 502, std::string(10'000, 'x'), "").error.size(), 600U);
}

// A tree of 4 MiB of brackets has 300 MiB.
TEST(AnswerOf, MakesNoTreeOfWhatIsNestedDeep) {
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  EXPECT_THAT(AnswerOf("GET /x", 403, R"({"message": "no", "z": )" + deep + "}", "").error,
              HasSubstr("HTTP 403: {\"message\""));
  EXPECT_LT(AnswerOf("GET /x", 500, std::string(4 << 20, '['), "").error.size(), 600U);
}

TEST(WithoutToken, TakesItOutWhereverItStands) {
  EXPECT_EQ(WithoutToken("<a>Bearer abc.de</a>abc.de", "Bearer abc.de"),
            "<a>Bearer [our token]</a>[our token]");
  EXPECT_EQ(WithoutToken("Bearer", "Bearer "), "Bearer");
  EXPECT_EQ(WithoutToken("abc", ""), "abc");
  EXPECT_EQ(WithoutToken("our token", "Bearer token"), "our [our token]");
}

TEST(ParseHttpDate, ReadsTheUsualForm) {
  const auto time = ParseHttpDate("Sat, 21 Nov 2026 12:00:01 GMT");
  ASSERT_TRUE(time);
  EXPECT_EQ(std::chrono::system_clock::to_time_t(*time), 1795262401);
  for (const char* text :
       {"", "now", "Sat, 21 Nov 2026 12:00:01", "Sat, 21 Nov 2026 12:00:01 GMTx"}) {
    EXPECT_FALSE(ParseHttpDate(text)) << text;
  }
}

// Found by fuzzing: a Wall ends in 2262.
TEST(ParseHttpDate, AYearThatNobodyLivesToSeeIsStillLater) {
  const auto now = ParseHttpDate("Sat, 21 Nov 2026 12:00:01 GMT");
  for (const char* text : {"Sat, 21 Nov 4052 12:00:00 GMT", "Sat, 21 Nov 9999 12:00:00 GMT"}) {
    const auto later = ParseHttpDate(text);
    ASSERT_TRUE(later) << text;
    EXPECT_GT(*later, *now) << text;
  }
}

}  // namespace
}  // namespace tpu_admission::kube::answer_test
