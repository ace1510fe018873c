#include "net/trace_parent.h"

#include <gtest/gtest.h>

#include <string>

namespace tpu_admission::net::trace_parent_test {
namespace {

constexpr std::string_view kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr std::string_view kGood = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::string With(std::size_t at, char c) {
  std::string text(kGood);
  text[at] = c;
  return text;
}

TEST(TraceParent, OfAGoodOneTheTraceId) {
  EXPECT_EQ(TraceIdOf(kGood), kTrace);
  EXPECT_EQ(TraceIdOf(With(54, '0')), kTrace) << "not sampled";
  EXPECT_EQ(TraceIdOf(With(53, 'f')), kTrace) << "flags that nobody knows yet";
}

TEST(TraceParent, AnythingElseIsNone) {
  const std::string good(kGood);
  const std::string bad[] = {
      "",
      "00",
      good.substr(0, 54),
      good + "0",
      good + "-00",
      good + std::string(10'000, 'a'),
      " " + good.substr(0, 54),
      With(1, '1'),  // another version
      "ff" + good.substr(2),
      With(2, '_'),
      With(35, '_'),
      With(52, '_'),
      With(3, 'A'),  // upper case
      With(36, 'F'),
      With(54, 'A'),
      With(3, 'g'),
      With(10, '-'),
      With(10, '"'),
      With(10, '\n'),
      With(10, '\t'),
      With(10, '\0'),
      With(10, '\x7f'),
      With(10, '\xc3'),
      With(53, ' '),
      "00-" + std::string(32, '0') + good.substr(35),
      good.substr(0, 36) + std::string(16, '0') + "-01",
  };
  for (const std::string& text : bad) EXPECT_EQ(TraceIdOf(text), "") << text.substr(0, 80);
}

// Whatever one byte is changed to, what comes out is a trace id or nothing.
TEST(TraceParent, NoByteGetsThroughThatIsNoHexDigit) {
  for (std::size_t at = 0; at < kGood.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      const std::string text = With(at, static_cast<char>(byte));
      const std::string_view trace = TraceIdOf(text);
      ASSERT_TRUE(trace.empty() || trace.size() == 32) << at << ": " << byte;
      ASSERT_EQ(trace.find_first_not_of("0123456789abcdef"), std::string_view::npos)
          << at << ": " << byte;
    }
  }
}

}  // namespace
}  // namespace tpu_admission::net::trace_parent_test
