#include "offline/lsp_line.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace tpu_admission::offline::lsp_line_test {
namespace {

struct LineCase {
  std::string line;
  std::size_t at;
  std::string key;  // empty: nothing
  std::string value;
};

TEST(Line, FindsKeyAndValueAroundAPlace) {
  const std::array<LineCase, 17> cases = {{
      {"  a/b: 4x", 9, "a/b", "4x"},
      {"  a/b: ", 7, "a/b", ""},
      {"  a/b:", 6, "a/b", ""},
      {"  \"a/b\": \"4x\"", 11, "a/b", "4x"},
      {"- {a: 1, b: 2x3}", 14, "b", "2x3"},
      {"  a: 1  # b", 10, "", ""},
      {"  a", 3, "", ""},
      {"", 0, "", ""},
      {"a:b", 3, "", ""},
      {"c: [echo, \"a: \", python]", 14, "", ""},
      {"c: \"a: \"", 7, "", ""},
      {"c: 'it''s a: '", 13, "", ""},
      {"- \"x \\\" a: \"", 12, "", ""},
      {"# a: ", 5, "", ""},
      {"b: 1 # a: 2", 10, "", ""},
      {"b: it's, a: 2", 13, "a", "2"},
      {"{\"x: y\": 1, \"a\": \"2\"}", 19, "a", "2"},
  }};
  for (const LineCase& each : cases) {
    const auto found = KeyAndValueAt(each.line, each.at);
    ASSERT_EQ(found.has_value(), !each.key.empty()) << each.line;
    if (!found) continue;
    EXPECT_EQ(found->key, each.key) << each.line;
    EXPECT_EQ(found->value, each.value) << each.line;
  }
}

TEST(Line, TakesTheNearestValue) {
  const std::string text = "k: one\nx\nk: two\ny\nother-k: no\n";
  EXPECT_EQ(NearestValue(text, 0, "k"), "one");
  EXPECT_EQ(NearestValue(text, 16, "k"), "two");
  EXPECT_EQ(NearestValue(text, 0, "z"), "");
}

// `|` is the caret; what becomes of the line when the value, or key, is X.
struct EditCase {
  std::string line;
  std::string after;  // empty: nothing is proposed
};

struct Caret {
  std::string line;
  std::size_t at = 0;
};

Caret CaretOf(std::string line) {
  const std::size_t at = line.find('|');
  return {line.erase(at, 1), at};
}

std::string Edited(const Caret& caret, const LineEdit& edit) {
  EXPECT_LE(edit.begin, caret.at) << caret.line << ": editors want the caret in the edit";
  EXPECT_GE(edit.end, caret.at) << caret.line;
  std::string after = caret.line;
  return after.replace(edit.begin, edit.end - edit.begin, edit.before + "X" + edit.after);
}

void ExpectValues(const EditCase& each, bool is_text) {
  const Caret caret = CaretOf(each.line);
  const auto found = KeyAndValueAt(caret.line, caret.at);
  const auto edit = found ? EditOfValue(caret.line, caret.at, *found, is_text) : std::nullopt;
  EXPECT_EQ(edit ? Edited(caret, *edit) : "", each.after) << each.line;
}

TEST(Line, AValueLeavesTheRestOfItsLine) {
  const std::array<EditCase, 34> cases = {{
      {"a: |", "a: X"},
      {"a:|", "a: X"},
      {"a: |  # c", "a: X  # c"},
      {"a:   | # c", "a:   X # c"},
      {"a:   |# c", "a:   X # c"},
      {"a:| # c", "a: X # c"},
      {"a:|# c", "a: X # c"},
      {"a: # |c", ""},
      {"a:| 2 # c", "a: X # c"},
      {"a: |2 # c", "a: X # c"},
      {"a: 2|2 # c", "a: X # c"},
      {"a: 22| # c", "a: X # c"},
      {"a: | 2", "a:  X"},
      {"a: 2 # |c", ""},
      {"a:|\t# c", "a: X\t# c"},
      {"a:\t|# c", "a:\tX # c"},
      {"a: \"|\"", "a: \"X\""},
      {"a: |\"\"", "a: \"X\""},
      {"a:|\"\"", "a: \"X\""},
      {"a:\"|\"", "a: \"X\""},
      {"a: '2x|2'  # c", "a: 'X'  # c"},
      {"a: \"2x|", "a: \"X\""},
      {"a: '2x2, |4x4'", ""},
      {"a: '2x|2, 4x4'", "a: 'X, 4x4'"},
      {"  - a: |", "  - a: X"},
      {"- a:|", "- a: X"},
      {"{a: |}", "{a: X}"},
      {"{a:|}", "{a: X}"},
      {"{a: |, b: 2}", "{a: X, b: 2}"},
      {"{a: 1|0, b: 2}", "{a: X, b: 2}"},
      {"a: |{{ .Values.x }}", ""},
      {"a:| *b", ""},
      {"a: |[1]", ""},
      {"a: |&b 2", ""},
  }};
  for (const EditCase& each : cases) {
    ExpectValues(each, true);
    ExpectValues(each, false);
  }
}

TEST(Line, AValueOfJsonIsJson) {
  const std::array<EditCase, 10> cases = {{
      {"\"a\":|", "\"a\": \"X\""},
      {"\"a\": |", "\"a\": \"X\""},
      {"{\"a\":|}", "{\"a\": \"X\"}"},
      {"{\"a\": |, \"b\": 1}", "{\"a\": \"X\", \"b\": 1}"},
      {"{\"a\": 2x|2}", "{\"a\": \"X\"}"},
      {"{\"a\":\"|\"}", "{\"a\":\"X\"}"},
      {"{\"a\":|\"2x2\"}", "{\"a\": \"X\"}"},
      {"{\"a\":\"2|x2\"}", "{\"a\":\"X\"}"},
      {"{\"a\": \"2x|", "{\"a\": \"X\""},
      {"{\"a\": \"|, \"b\": 1}", "{\"a\": \"X\", \"b\": 1}"},
  }};
  for (const EditCase& each : cases) ExpectValues(each, true);
  ExpectValues({"{\"a\":|}", "{\"a\": X}"}, false);
  ExpectValues({"{\"a\":4|}", "{\"a\": X}"}, false);
  ExpectValues({"{\"a\":|4}", "{\"a\": X}"}, false);
}

TEST(Line, AKeyStandsWhereOneMayBegin) {
  for (const char* line : {"clo|", "  clo|", "- clo|", "- - clo|", "{clo|}", "{a: 1, clo|}",
                           "\"clo|", "{\"clo|\"}", "- {a: [1], clo|", "- !!str clo|"}) {
    const Caret caret = CaretOf(line);
    EXPECT_TRUE(MayBeKey(caret.line, caret.at)) << line;
  }
  for (const char* line :
       {"# clo|", "a: 1 # clo|", "c: [echo, clo|", "c: [\"clo|\"]", "a: \"x clo|\"", "a: \"clo|\"",
        "a: x clo|", "it's clo|", "- \"x, clo|\"", "a: clo|"}) {
    const Caret caret = CaretOf(line);
    EXPECT_FALSE(MayBeKey(caret.line, caret.at)) << line;
  }
}

TEST(Line, AKeyHasOneColon) {
  const std::array<EditCase, 9> cases = {{
      {"  clo|", "  X: "},
      {"- clo|", "- X: "},
      {"{clo|}", "{X: }"},
      {"  clo|ud", "  X: "},
      {"  clo|ud: 4", "  X: 4"},
      {"  clo| # c", "  X: # c"},
      {"  \"clo|\"", "  \"X\": "},
      {"  \"clo|\": 4", "  \"X\": 4"},
      {"  \"clo|", "  \"X\": "},
  }};
  for (const EditCase& each : cases) {
    const Caret caret = CaretOf(each.line);
    EXPECT_EQ(Edited(caret, EditOfKey(caret.line, caret.at)), each.after) << each.line;
  }
}

}  // namespace
}  // namespace tpu_admission::offline::lsp_line_test
