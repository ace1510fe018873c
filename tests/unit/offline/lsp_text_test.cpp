#include "offline/lsp_text.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace tpu_admission::offline::lsp_text_test {
namespace {

constexpr auto kUtf16 = PositionEncoding::kUtf16;
constexpr auto kUtf8 = PositionEncoding::kUtf8;

TEST(EditorText, CountsUtf16UnitsOrBytes) {
  const std::string text = "a\n\xC3\xA4\xF0\x9F\x98\x80z\n";  // ä, an emoji of two units, z
  const EditorText sixteen(text, kUtf16);
  const EditorText eight(text, kUtf8);
  EXPECT_EQ(sixteen.PositionOf(8), (TextPosition{1, 3}));
  EXPECT_EQ(eight.PositionOf(8), (TextPosition{1, 6}));
  EXPECT_EQ(sixteen.OffsetOf({1, 3}), 8U);
  EXPECT_EQ(eight.OffsetOf({1, 6}), 8U);
  EXPECT_EQ(sixteen.OffsetOf({1, 2}), 4U) << "in the middle of a pair: its beginning";
  EXPECT_EQ(eight.OffsetOf({1, 5}), 4U) << "in the middle of a character: its beginning";
}

TEST(EditorText, APlaceThatIsNotThereIsTheNearest) {
  const EditorText text("ab\ncd", kUtf16);
  EXPECT_EQ(text.OffsetOf({0, 99}), 2U);
  EXPECT_EQ(text.OffsetOf({1, 99}), 5U);
  EXPECT_EQ(text.OffsetOf({99, 0}), 5U);
}

TEST(EditorText, KnowsTheThreeWaysToEndALine) {
  EditorText text("a\r\nb\rc\nd", kUtf16);
  ASSERT_EQ(text.lines(), 4U);
  EXPECT_EQ(text.Line(0), "a");
  EXPECT_EQ(text.Line(3), "d");
  EXPECT_EQ(text.OffsetOf({2, 0}), 5U);
  text.Replace(2, 3, "");  // the \n of \r\n
  EXPECT_EQ(text.lines(), 4U);
}

// However a text came to be, it has the lines that it would have if it came whole.
TEST(EditorText, EditsLeaveTheLinesOfTheWholeText) {
  std::mt19937 random(1);
  const auto some = [&](std::size_t most) {
    std::string text;
    for (auto left = random() % (most + 1); left > 0; --left) text += "a\r\n\r\nb"[random() % 6];
    return text;
  };
  for (int i = 0; i < 300; ++i) {
    EditorText edited(some(12), kUtf8);
    for (int edit = 0; edit < 20; ++edit) {
      const std::size_t begin = random() % (edited.text().size() + 1);
      const std::size_t end = begin + random() % (edited.text().size() - begin + 1);
      edited.Replace(begin, end, some(4));
      const EditorText whole(edited.text(), kUtf8);
      ASSERT_EQ(edited.lines(), whole.lines());
      for (std::size_t line = 0; line < whole.lines(); ++line) {
        ASSERT_EQ(edited.OffsetOf({line, 0}), whole.OffsetOf({line, 0}));
      }
    }
  }
}

// Every place of a text there and back, and all of them in one pass.
TEST(EditorText, PlacesAndBytesAreTheSame) {
  const std::string text = "k: \xC3\xA4\r\n\n- \xF0\x9F\x98\x80\rx\n";
  for (const PositionEncoding encoding : {kUtf16, kUtf8}) {
    const EditorText whole(text, encoding);
    std::vector<std::size_t> offsets;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && (text[i] & 0xC0) == 0x80) continue;
      if (i > 0 && text[i - 1] == '\r' && i < text.size() && text[i] == '\n') continue;
      offsets.push_back(i);
    }
    const std::vector<TextPosition> places = PositionsOf(text, encoding, offsets);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      EXPECT_EQ(whole.OffsetOf(places[i]), offsets[i]);
      EXPECT_EQ(whole.PositionOf(offsets[i]), places[i]);
    }
  }
}

}  // namespace
}  // namespace tpu_admission::offline::lsp_text_test
