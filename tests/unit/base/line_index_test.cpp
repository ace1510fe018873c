#include "tpu_admission/base/line_index.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace tpu_admission::line_index_test {
namespace {

std::string LineColumn(const YamlMark& mark) {
  return std::to_string(mark.line) + ":" + std::to_string(mark.column);
}

TEST(LineIndex, CountsTheEndsOfLinesThatEditorsCount) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a\nb\r\nc\rd\xC2\x85"
      "e\xE2\x80\xA8"
      "f\xE2\x80\xA9"
      "g";
  const LineIndex lines(text);
  const auto at = [&](char c) { return LineColumn(lines.At(text.find(c))); };
  EXPECT_EQ(at('a'), "1:1");
  EXPECT_EQ(at('b'), "2:1");
  EXPECT_EQ(at('c'), "3:1");
  EXPECT_EQ(at('d'), "4:1");
  EXPECT_EQ(at('g'), "4:7");
  EXPECT_EQ(lines.At(0).line, 1U);
  EXPECT_EQ(LineColumn(lines.At(9999)), "4:8");
  EXPECT_EQ(LineColumn(LineIndex("ab\nc", {7, 5, 100}).At(1)), "7:6");
  EXPECT_EQ(LineIndex("ab\nc", {7, 5, 100}).At(3).offset, 103U);
}

TEST(LineIndex, SaysTheSameAsOneStepAfterTheOther) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "line \xC3\xA4\r\n" + std::string(std::size_t(i), 'x') + (i % 3 ? "\n" : "\r");
  const LineIndex lines(text);
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at > 0 && at < text.size() && text[at - 1] == '\r' && text[at] == '\n') continue;
    EXPECT_EQ(LineColumn(lines.At(at)), LineColumn(Advanced({}, text.substr(0, at)))) << at;
  }
}

// What YAML takes for the end of a line shifts no line that is told.
TEST(LineIndex, IsThatOfMarks) {
  for (const std::string end : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    const std::string text =
        "a: \"x" + end + end + "y\"\r\nb: 1\rc: [2,\n  3]\n---\nd: " + end + " 4\n";
    const YamlStream stream = ReadYaml(text);
    ASSERT_EQ(stream.documents.size(), 2U);
    EXPECT_EQ(LineColumn(stream.documents[0].PlaceOf("/b").value), "2:4");
    EXPECT_EQ(LineColumn(stream.documents[0].PlaceOf("/c/1").value), "4:3");
    EXPECT_EQ(LineColumn(stream.documents[1].PlaceOf("/d").key), "6:1");
    const YamlStream broken = ReadYaml("a: \"" + end + "\"\nb: *none\n");
    ASSERT_EQ(broken.errors.size(), 1U);
    EXPECT_EQ(broken.errors[0].mark.line, 2U);
  }
}

TEST(LineIndex, JsonCountsLoneReturnsToo) {
  const YamlStream stream = ReadYaml("{\r\"a\": 1,\r\n\"b\":\n\r2}");
  ASSERT_EQ(stream.documents.size(), 1U);
  EXPECT_EQ(LineColumn(stream.documents[0].PlaceOf("/a").value), "2:6");
  EXPECT_EQ(LineColumn(stream.documents[0].PlaceOf("/b").value), "5:1");
}

TEST(LineIndex, OneLongLineTakesLinearTime) {
  std::string text = "[\"\xE2\x80\xA8\"";
  for (int i = 0; i < 200'000; ++i) text += ",1";
  const auto begin = std::chrono::steady_clock::now();
  const YamlStream stream = ReadYaml("? " + text + "]\n: 1\n", {.max_depth = 200});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace tpu_admission::line_index_test
