#include "tpu_admission/offline/path_patterns.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tpu_admission::offline::path_patterns_test {
namespace {

struct GlobCase {
  const char* glob;
  const char* path;
  bool matches;
};

class Glob : public testing::TestWithParam<GlobCase> {};

TEST_P(Glob, Matches) {
  EXPECT_EQ(GlobMatches(GetParam().glob, GetParam().path), GetParam().matches)
      << GetParam().glob << " and " << GetParam().path;
}

INSTANTIATE_TEST_SUITE_P(
    All, Glob,
    testing::Values(
        GlobCase{"*.yaml", "a.yaml", true}, GlobCase{"*.yaml", "b/a.yaml", false},
        GlobCase{"**/*.yaml", "a.yaml", true}, GlobCase{"**/*.yaml", "b/c/a.yaml", true},
        GlobCase{"b/**/a", "b/a", true}, GlobCase{"b/**/a", "b/c/d/a", true},
        GlobCase{"b/**/a", "c/a", false}, GlobCase{"b/**", "b/c/d", true},
        GlobCase{"b/**", "b/c", true}, GlobCase{"b/**", "b", false}, GlobCase{"b*/**", "bc", false},
        GlobCase{"**/b/**", "b", false}, GlobCase{"**/b/**", "b/b", true},
        GlobCase{"**", "b", true}, GlobCase{"b/**/**", "b/c", true}, GlobCase{"a?c", "abc", true},
        GlobCase{"a?c", "a/c", false}, GlobCase{"[a-c]x", "bx", true},
        GlobCase{"[!a-c]x", "bx", false}, GlobCase{"[]x]", "]", true}, GlobCase{"[x", "[x", true},
        GlobCase{"[[:digit:]]x", "1x", true}, GlobCase{"[[:digit:]]x", "ax", false},
        GlobCase{"[a[:digit:]_-]", "_", true}, GlobCase{"[![:alpha:]]", "a", false},
        GlobCase{"[[:upper:][:space:]]", "B", true}, GlobCase{"[[:none:]]", "n", false},
        GlobCase{"[[:]", ":", true}, GlobCase{"[[:]", "[", true}, GlobCase{"[[:x]", "x", true},
        GlobCase{"[\\]x]", "]", true}, GlobCase{"[\\]x]", "\\", false},
        GlobCase{"[a\\-c]", "b", false}, GlobCase{"[a\\-c]", "-", true},
        GlobCase{"[\\a-\\c]", "b", true}, GlobCase{"[a-\xc3]", "b", true},
        GlobCase{"\\*", "*", true}, GlobCase{"\\*", "a", false}, GlobCase{"a*b*c", "axxbyyc", true},
        GlobCase{"a*b*c", "axxbyy", false}, GlobCase{"", "", true}, GlobCase{"", "a", false}));

TEST(Glob, TakesNoTimeForManyStars) {
  std::string glob;
  for (int i = 0; i < 200; ++i) glob += "*a";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(GlobMatches(glob + "b", std::string(20'000, 'a')));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

std::string Excluded(const char* lines, const char* path, bool is_folder = false) {
  const auto excluded = PathPatterns::Parse(lines).Excludes(path, is_folder);
  return !excluded ? "-" : *excluded ? "out" : "in";
}

TEST(PathPatterns, AreThoseOfGitignore) {
  EXPECT_EQ(Excluded("*.tmp", "a/b.tmp"), "out");
  EXPECT_EQ(Excluded("*.tmp\n!b.tmp", "a/b.tmp"), "in");
  EXPECT_EQ(Excluded("/b.tmp", "a/b.tmp"), "-");
  EXPECT_EQ(Excluded("a/*.tmp", "a/b.tmp"), "out");
  EXPECT_EQ(Excluded("build/", "build"), "-") << "a file";
  EXPECT_EQ(Excluded("build/", "x/build", true), "out");
  EXPECT_EQ(Excluded("# a\n\n\r\n*.tmp  \r\n", "b.tmp"), "out");
  EXPECT_EQ(Excluded("\\#a", "#a"), "out");
  EXPECT_EQ(Excluded("a", "b"), "-");
  EXPECT_EQ(Excluded("gen/**", "gen", true), "-") << "so that what is in it can be taken back";
  EXPECT_EQ(Excluded("gen/**\n!gen/keep.yaml", "gen/keep.yaml"), "in");
  EXPECT_EQ(Excluded("gen/**\n!gen/keep.yaml", "gen/x.yaml"), "out");
  EXPECT_EQ(Excluded("deploy*/**", "deploy.yaml"), "-");
}

}  // namespace
}  // namespace tpu_admission::offline::path_patterns_test
