#include "tpu_admission/base/text.h"

#include <gtest/gtest.h>

#include "tpu_admission/base/json_string.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace tpu_admission::text_test {
namespace {

constexpr std::string_view kBad = "\xEF\xBF\xBD";  // U+FFFD

std::string WithBad(std::string_view before, std::string_view after) {
  return std::string(before).append(kBad).append(after);
}

TEST(PrintableTest, KeepsWhatIsSafe) {
  for (const std::string_view text : {"", "4x4", "a b", "caf\xC3\xA9", "\xE6\x97\xA5\xE6\x9C\xAC",
                                      "\xF0\x9F\x98\x80", "\"quoted\""}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(PrintableTest, ReplacesWhatCouldForgeOrHide) {
  const std::array<std::string_view, 12> kUnsafe = {"\n",           "\r",           "\x1B",
                                                    "\x7F",         "\xC2\x85",     "\xC2\xAD",
                                                    "\xE2\x80\xA8", "\xE2\x80\xAE", "\xE2\x81\xA6",
                                                    "\xE2\x80\x8B", "\xE2\x80\x8F", "\xEF\xBB\xBF"};
  for (const std::string_view unsafe : kUnsafe) {
    EXPECT_EQ(Printable(std::string("a").append(unsafe).append("b")), WithBad("a", "b"));
  }
}

TEST(PrintableTest, ReplacesBytesThatAreNoUtf8) {
  const std::array<std::string_view, 6> kBroken = {"\xFF", "\x80",     "\xC3",
                                                   "\xC0", "\xE2\x82", "\xF4"};
  for (const std::string_view broken : kBroken) {
    EXPECT_FALSE(IsUtf8(broken));
    EXPECT_TRUE(IsUtf8(Printable(broken)));
    EXPECT_TRUE(Printable(broken).starts_with(kBad));
  }
}

TEST(PrintableTest, CutsAtACharacter) {
  EXPECT_EQ(Printable("abcdef", 6), "abcdef");
  EXPECT_EQ(Printable("abcdefg", 6), "abc...");
  EXPECT_EQ(Printable("ab\xC3\xA9"
                      "defgh",
                      6),
            "ab...");
  EXPECT_EQ(Printable(std::string(10'000'000, 'x'), 64).size(), 64U);
  EXPECT_LE(Printable(std::string(100, '\n'), 64).size(), 64U);
}

TEST(PrintableTest, HasNoCommandOfTheOldForm) {
  EXPECT_EQ(Printable("a ##[error]b"), WithBad("a #", "[error]b"));
  EXPECT_EQ(Printable("###[a]##[b]"), WithBad(WithBad("##", "[a]#"), "[b]"));
  EXPECT_EQ(Printable("#[a] # #[b] ##a["), "#[a] # #[b] ##a[");
  EXPECT_EQ(Printable("##\xE2\x80\x8B[a]").find("##["), std::string::npos);
}

TEST(ShownPathTest, BeginsNoCommandAfterAnyWhiteSpace) {
  for (const std::string space : {"", " ", "\xC2\xA0", "\xE3\x80\x80 ", "\xE2\x80\xAF"}) {
    EXPECT_EQ(ShownPath(space + "::error::a"), "./" + space + "::error::a");
    EXPECT_EQ(ShownPath(space + "a::"), space + "a::");
  }
}

TEST(ShownLinesTest, KeepsLinesAndNothingElse) {
  EXPECT_EQ(ShownLines(""), "");
  EXPECT_EQ(ShownLines("a\n\n  b\n"), "a\n\n  b\n");
  EXPECT_EQ(ShownLines("a\n ::error::\x1B\n##[b]"),
            "a\n" + WithBad("", " ::error::") + WithBad("", "\n#") + WithBad("", "[b]"));
  const std::string bytes(5000, '\xFF');
  EXPECT_EQ(ShownLines(bytes).size(), 15000U) << "nothing is cut";
}

TEST(HasWorkflowCommandTest, SeesWhatTheRunnerSees) {
  for (const char* text : {"::a::", "a\n  ::a", "a\r::a", "\t::a", "\xC2\xA0::a", "a ##[b]",
                           "##\xC2\xAD[b]", ":\xE2\x80\x8D:a", "\xE2\x80\x8F::a"}) {
    EXPECT_TRUE(HasWorkflowCommand(text)) << text;
  }
  for (const char* text : {"", "a ::b::", "+::a", "# #[a]", "\xFF::a", "a: :b"}) {
    EXPECT_FALSE(HasWorkflowCommand(text)) << text;
  }
}

TEST(CutTest, NeverLongerThanAsked) {
  for (std::size_t max = 0; max < 12; ++max) {
    const std::string cut = Cut("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", max);
    EXPECT_LE(cut.size(), max);
    EXPECT_TRUE(IsUtf8(cut)) << max;
  }
}

TEST(QuotedTest, EscapesQuotesAndBackslashes) {
  EXPECT_EQ(Quoted("4x4"), R"("4x4")");
  EXPECT_EQ(Quoted(R"(a"b\c)"), R"("a\"b\\c")");
  EXPECT_EQ(Quoted(""), R"("")");
}

TEST(Joined, PutsTheSameBetween) {
  EXPECT_EQ(Joined({}, ", "), "");
  EXPECT_EQ(Joined(std::vector<std::string>{"a", "b"}, ", "), "a, b");
}

TEST(JoinOrTest, ReadsAsASentence) {
  EXPECT_EQ(JoinOr({}), "");
  EXPECT_EQ(JoinOr(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(JoinOr(std::vector<std::string>{"a", "b"}), "a or b");
  EXPECT_EQ(JoinOr(std::vector<std::string>{"a", "b", "c"}), "a, b or c");
}

TEST(Trimmed, TakesBlanksOffBothEnds) {
  EXPECT_EQ(Trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(Trimmed(" \r\n"), "");
  EXPECT_EQ(Trimmed(""), "");
  EXPECT_EQ(Trimmed(" a\r ", " "), "a\r");
}

TEST(SameButForCase, IsOfAsciiLettersAlone) {
  EXPECT_EQ(LowerCase("JobSet_1\xC3\x84"), "jobset_1\xC3\x84");
  EXPECT_TRUE(SameButForCase("Content-Length", "content-LENGTH"));
  EXPECT_FALSE(SameButForCase("Content-Length", "Content\rLength"));
  EXPECT_FALSE(SameButForCase("Content", "Content-Length"));
}

TEST(NearestTest, FindsTheFewestEdits) {
  constexpr std::array<std::string_view, 3> kLabels = {"tpu-v5p-slice", "tpu-v6e-slice", "tpu7x"};
  EXPECT_EQ(Nearest("tpu-v6e-slise", kLabels, 3), "tpu-v6e-slice");
  EXPECT_EQ(Nearest("TPU-V6E-SLICE", kLabels, 0), "tpu-v6e-slice");
  EXPECT_EQ(Nearest("tpu-v5-slice", kLabels, 3), "tpu-v5p-slice");
  EXPECT_EQ(Nearest("nvidia-l4", kLabels, 3), "");
  EXPECT_EQ(Nearest("tpu-v5e-slice", kLabels, 1), "tpu-v5p-slice") << "the first wins a tie";
  EXPECT_EQ(Nearest(std::string(1'000'000, 'x'), kLabels, 3), "");
  EXPECT_EQ(Nearest("tpu7x", {}, 3), "");
}

// The whole table, without a thought of what it costs.
std::size_t Distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::size_t replaced =
      Distance(a.substr(1), b.substr(1)) + (a.front() == b.front() ? 0 : 1);
  return std::min({replaced, Distance(a.substr(1), b) + 1, Distance(a, b.substr(1)) + 1});
}

TEST(NearestTest, CountsAsTheWholeTableDoes) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string words[2];
    for (std::string& word : words) {
      for (auto left = random() % 7; left > 0; --left) word += "abc"[random() % 3];
    }
    const std::size_t distance = Distance(words[0], words[1]);
    const std::array<std::string_view, 1> other = {words[1]};
    for (std::size_t most = 0; most < 7; ++most) {
      const bool near = Nearest(words[0], other, most).data() == words[1].data();
      EXPECT_EQ(near, distance <= most) << words[0] << ' ' << words[1] << ' ' << most;
    }
  }
}

TEST(PrintableTest, NoInvisibleCharacterIsShown) {
  for (const std::string_view character :
       {"\u061C", "\u180E", "\u2028", "\u2029", "\u202E", "\u2066", "\uFFF9", "\uFFFB",
        "\U000E0001", "\U000E0041", "\U000E007F", "\u200B", "\uFEFF", "\u0085", "\u00AD"}) {
    EXPECT_EQ(Quoted("a" + std::string(character) + "b"),
              "\"a\uFFFD"
              "b\"")
        << character;
  }
  EXPECT_EQ(Printable("\u00e9 \u65e5\u672c \U0001F600"), "\u00e9 \u65e5\u672c \U0001F600");
}

TEST(JsonStringTest, InvisibleCharactersAreEscaped) {
  std::string json;
  AppendJsonString(json, "\u0085\u061C\u2028\u202E\U000E0041\u00e9\x7F\n");
  EXPECT_EQ(json, "\"\\u0085\\u061c\\u2028\\u202e\\udb40\\udc41\u00e9\\u007f\\n\"");
}

TEST(ShownPath, IsSafeOnATerminalAndNoCommand) {
  EXPECT_EQ(ShownPath("a b/\u00e4.yaml"), "a b/\u00e4.yaml");
  EXPECT_EQ(ShownPath("a\n\x1b[31m\xff.yaml"), "a\uFFFD\uFFFD[31m\uFFFD.yaml");
  EXPECT_EQ(ShownPath("::error::x.yaml"), "./::error::x.yaml");
  EXPECT_EQ(ShownPath("  ::error::x.yaml"), "./  ::error::x.yaml");
  EXPECT_EQ(ShownPath("a::b.yaml"), "a::b.yaml");
}

}  // namespace
}  // namespace tpu_admission::text_test
