// The folders of src/rules/, the list that names them, and nobody else: a rule is added by a folder
// and a line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/temp_dir.h"
#include "tpu_admission/rules/readme.h"

namespace tpu_admission::rules::list_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TPU_ADMISSION_SOURCE_DIR;

TEST(RuleList, IdsAndNamesAreUniqueAndInOrder) {
  std::set<std::string_view> names;
  std::string_view last;
  for (const Rule* rule : AllRules()) {
    EXPECT_LT(last, rule->id);
    last = rule->id;
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
    EXPECT_EQ(FindRule(rule->id), rule);
    EXPECT_EQ(FindRule(rule->name), rule);
    EXPECT_NE(rule->check, nullptr);
  }
}

// TPU and three digits of a family; words of [a-z0-9] with dashes between. (g++ 12 cannot compile
// std::regex under -fsanitize without a false warning.)
TEST(RuleList, IdsAndNamesAreWellFormed) {
  for (const Rule* rule : AllRules()) {
    EXPECT_TRUE(rule->id.size() == 6 && rule->id.starts_with("TPU")) << rule->id;
    EXPECT_EQ(rule->id.find_first_not_of("0123456789", 3), rule->id.npos) << rule->id;
    EXPECT_TRUE(std::any_of(Families().begin(), Families().end(), [&](const Family& family) {
      return family.digit == rule->id[3];
    })) << rule->id;
    EXPECT_EQ(rule->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              rule->name.npos);
    EXPECT_TRUE(!rule->name.starts_with('-') && !rule->name.ends_with('-')) << rule->name;
    EXPECT_EQ(rule->name.find("--"), rule->name.npos) << rule->name;
  }
}

TEST(RuleList, NamesEveryFolderAndNoOther) {
  std::set<std::string> listed;
  for (const Rule* rule : AllRules()) listed.insert(FolderOf(*rule));
  std::set<std::string> folders;
  for (const auto& entry : fs::directory_iterator(kRoot / "src" / "rules")) {
    const std::string name = entry.path().filename();
    if (entry.is_directory() && name != "engine") folders.insert(name);
  }
  EXPECT_EQ(folders, listed);
}

TEST(RuleList, EveryFolderIsWhole) {
  for (const Rule* rule : AllRules()) {
    const fs::path folder = kRoot / "src" / "rules" / FolderOf(*rule);
    EXPECT_TRUE(fs::exists(folder / "check.cpp")) << folder;
    EXPECT_EQ(support::ReadText(folder / "README.md"), ReadmeOf(*rule))
        << "another README is built in";
    std::set<std::string> passing;
    std::set<std::string> failing;
    std::set<std::string> golden;
    ASSERT_TRUE(fs::exists(folder / "cases")) << folder;
    for (const auto& entry : fs::directory_iterator(folder / "cases")) {
      const std::string name = entry.path().filename();
      const std::string stem = entry.path().stem();
      const std::string extension = entry.path().extension();
      const bool passes = name.starts_with("pass-") && extension == ".yaml";
      const bool fails = name.starts_with("fail-") && extension == ".yaml";
      const bool speaks = name.starts_with("fail-") && extension == ".txt";
      EXPECT_TRUE(passes || fails || speaks) << entry.path() << " is no case";
      (passes ? passing : fails ? failing : golden).insert(stem);
    }
    EXPECT_FALSE(passing.empty()) << "no pass-*.yaml in " << folder;
    EXPECT_FALSE(failing.empty()) << "no fail-*.yaml in " << folder;
    EXPECT_EQ(failing, golden) << "a fail-*.txt for each fail-*.yaml of " << folder;
  }
}

// The ids that `text` names.
std::set<std::string> IdsIn(std::string_view text) {
  std::set<std::string> ids;
  for (std::size_t at = text.find("TPU"); at != text.npos; at = text.find("TPU", at + 1)) {
    const std::string_view id = text.substr(at, 6);
    const bool longer = at + 6 < text.size() && text[at + 6] >= '0' && text[at + 6] <= '9';
    if (id.size() == 6 && id.find_first_not_of("0123456789", 3) == id.npos && !longer) {
      ids.emplace(id);
    }
  }
  return ids;
}

// Where rules are named besides their own folders and the list, and why. Tests name rules as data.
bool MayNameRules(const std::string& path) {
  static const std::set<std::string> kMay = {
      "src/rules/list.def",
      "src/rules/README.md",      // how a rule is written, by an example
      "src/app/verify_answer.h",  // the rule that `verify` asks a live webhook for
      "config/profiles.yaml",     // named sets of modes
      "config/policy.yaml",       // modes by rule, as examples
      "charts/tpu-admission/templates/validatingadmissionpolicy.yaml",  // the policies of CEL
      "charts/tpu-admission/values.schema.json",  // ids and names, which are written
      "README.md",                                // what a denial looks like
      "CONTRIBUTING.md",                          // how a rule is added, by an example
      "CHANGELOG.md",
  };
  // Pages for readers: the index, which is written, and examples. The rules they name are there.
  return kMay.contains(path) || path.starts_with("docs/");
}

std::vector<fs::path> FilesOf(const std::string& place) {
  if (!fs::is_directory(kRoot / place)) return {kRoot / place};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / place)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

constexpr const char* kPlaces[] = {
    "src",       "include",         "config",      "charts", "docs",       "deploy",
    "cmake",     "tools",           "dev",         ".ci",    "Dockerfile", "examples",
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md"};

TEST(RuleList, NoOtherFileNamesARule) {
  std::set<std::string> folders;
  for (const Rule* rule : AllRules()) folders.insert(FolderOf(*rule));
  int seen = 0;
  for (const char* place : kPlaces) {
    for (const fs::path& file : FilesOf(place)) {
      const std::string path = fs::relative(file, kRoot);
      const std::set<std::string> ids = IdsIn(support::ReadText(file));
      seen += ids.empty() ? 0 : 1;
      // Of a rule's own folder the checks alone are held: a check speaks for itself only.
      const std::string folder = file.parent_path().filename();
      if (folders.contains(folder)) {
        if (file.extension() != ".cpp") continue;
        EXPECT_EQ(ids, std::set<std::string>{folder.substr(0, 6)}) << path;
      } else if (!folders.contains(file.parent_path().parent_path().filename()) &&
                 !MayNameRules(path)) {
        EXPECT_TRUE(ids.empty()) << path << " names " << testing::PrintToString(ids)
                                 << ", which only its folder and the list should";
      }
    }
  }
  EXPECT_GT(seen, 100) << "the search has found next to nothing";
}

// What is said about rules elsewhere is about rules that exist.
TEST(RuleList, NobodyNamesARuleThatIsNotThere) {
  for (const char* place : {"README.md", "docs", "config", "charts", "src"}) {
    for (const fs::path& file : FilesOf(place)) {
      for (const std::string& id : IdsIn(support::ReadText(file))) {
        EXPECT_NE(FindRule(id), nullptr) << fs::relative(file, kRoot) << " names " << id;
      }
    }
  }
}

TEST(RuleList, SearchFindsIds) {
  EXPECT_EQ(IdsIn("kTPU301, TPU401=deny; TPU7x TPU12 TPU5012"),
            (std::set<std::string>{"TPU301", "TPU401"}));
}

}  // namespace
}  // namespace tpu_admission::rules::list_test
