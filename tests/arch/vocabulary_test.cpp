// Every key of GKE, Kueue and JobSet and every variable of the TPU runtime is written once, in its
// header of include/tpu_admission/workload/; everybody else uses the constant.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tpu_admission::vocabulary_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TPU_ADMISSION_SOURCE_DIR;
constexpr std::array kHeaders = {"gke_labels.h", "kueue_keys.h", "jobset_keys.h", "lws_keys.h",
                                 "tpu_variables.h"};
// What is such a key, known or not.
constexpr std::array<std::string_view, 6> kPrefixes = {
    "cloud.google.com/", "kueue.x-k8s.io/", "alpha.jobset.sigs.k8s.io/", "iam.gke.io/", "TPU_",
    "MEGASCALE_"};

// The string literals of a C++ file that have no blank, comments left out.
std::vector<std::string> Literals(const std::string& text) {
  std::vector<std::string> literals;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "//") == 0) at = std::min(text.find('\n', at), text.size() - 1);
    if (text.compare(at, 3, "'\"'") == 0) at += 2;
    if (text[at] != '"') continue;
    const std::size_t begin = ++at;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2U : 1U;
    const std::string literal = text.substr(begin, at - begin);
    if (literal.find(' ') == literal.npos) literals.push_back(literal);
  }
  return literals;
}

std::vector<std::string> LiteralsOf(const fs::path& path) {
  std::ifstream file(path);
  return Literals({std::istreambuf_iterator<char>(file), {}});
}

std::map<std::string, std::string> Vocabulary() {
  std::map<std::string, std::string> keys;
  for (const char* header : kHeaders) {
    for (const std::string& key :
         LiteralsOf(kRoot / "include" / "tpu_admission" / "workload" / header)) {
      EXPECT_TRUE(keys.emplace(key, header).second) << key << " stands twice";
    }
  }
  return keys;
}

bool LooksLikeAKey(std::string_view literal) {
  // Our own variables of the environment.
  if (literal.starts_with("TPU_ADMISSION_")) return false;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return literal.starts_with(prefix); });
}

// Texts in another language that hold keys: the conditions in CEL, and a patch value in JSON.
bool IsOtherLanguage(const std::string& path) {
  return path.starts_with("src/webhooks/") || path == "src/admission/patch.cpp";
}

TEST(Vocabulary, HasEveryKeyOnce) {
  const std::map<std::string, std::string> keys = Vocabulary();
  EXPECT_GT(keys.size(), 45U);
  EXPECT_TRUE(keys.contains("cloud.google.com/gke-tpu-topology"));
}

TEST(Vocabulary, IsWrittenNowhereElse) {
  const std::map<std::string, std::string> keys = Vocabulary();
  int files = 0;
  for (const char* folder : {"src", "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const std::string name = entry.path().filename();
      const std::string path = fs::relative(entry.path(), kRoot);
      if (!name.ends_with(".h") && !name.ends_with(".cpp")) continue;
      if (std::find(kHeaders.begin(), kHeaders.end(), name) != kHeaders.end()) continue;
      if (IsOtherLanguage(path)) continue;
      ++files;
      for (const std::string& literal : LiteralsOf(entry.path())) {
        EXPECT_FALSE(keys.contains(literal) || LooksLikeAKey(literal))
            << path << " writes \"" << literal
            << "\": it belongs into a header of include/tpu_admission/workload/";
      }
    }
  }
  EXPECT_GT(files, 150);
}

TEST(Vocabulary, LiteralsAreSeen) {
  EXPECT_EQ(Literals("a(\"x/y\", \"two words\"); // \"no\"\n\"z\\\"\""),
            (std::vector<std::string>{"x/y", "z\\\""}));
  EXPECT_TRUE(LooksLikeAKey("cloud.google.com/new"));
  EXPECT_FALSE(LooksLikeAKey("TPU_ADMISSION_SECURE_PORT"));
}

}  // namespace
}  // namespace tpu_admission::vocabulary_test
