// `check` on files as repositories have them: what is not ours, names of all kinds, and how they
// are spelt.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "integration/app/program.h"
#include "support/temp_dir.h"

namespace tpu_admission::support::check_paths_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWrongPod =
    "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: "
    "{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 3x3},"
    " containers: [{name: c, resources: {limits: {google.com/tpu: 4}}}]}}\n";

class CheckPaths : public InFolder {
 protected:
  Ended Run(std::vector<std::string> arguments, const std::string& folder = "") {
    arguments.insert(arguments.begin(), "check");
    return InFolder::Run(arguments, folder);
  }
};

constexpr const char* kNotOurs[][2] = {
    {"mkdocs.yml", "site_name: !ENV [X, y]\n# the output of a build\n"},
    {"cfn.yaml", "Outputs:\n  A: !Ref B\n"},
    {"tsconfig.json", "{\n  // comment\n  \"compilerOptions\": {\"strict\": true,}\n}\n"},
    {"latin1.yaml", "caf\xE9: 1\n"}};

TEST_F(CheckPaths, WhatIsNotOursAndCannotBeReadIsPassedOver) {
  Write("good.yaml", "a: 1\n");
  for (const auto& [name, text] : kNotOurs) Write(name, text);
  for (const char* path : {".", "*.*"}) {
    const Ended ended = Run({path});
    EXPECT_EQ(ended.exit_code, 0) << ended.out;
    for (const auto& [name, text] : kNotOurs) {
      EXPECT_THAT(ended.out, HasSubstr(std::string(name) + ":"));
    }
    EXPECT_THAT(ended.out, HasSubstr("cfn.yaml:2:6: warning: passed over, since it cannot be read "
                                     "and does not speak of TPUs: "));
    EXPECT_THAT(ended.out, Not(HasSubstr("could not be read")));
  }
  EXPECT_EQ(Run({"--fix", "."}).exit_code, 0);
  EXPECT_EQ(Run({"--diff", "."}).err, "");
  for (const auto& [name, text] : kNotOurs) EXPECT_EQ(Run({name}).exit_code, 2) << "it is named";
}

TEST_F(CheckPaths, WhatSpeaksOfTpusAndCannotBeReadIsTold) {
  const std::string utf16(
      "\xFF\xFE"
      "t\0p\0u\0:\0 \0001\0",
      14);
  for (const std::string& text :
       {std::string("a: !x 1\ngoogle.com/tpu: 4\n"), std::string("# TPUs\na: *b\n"), utf16}) {
    Write("a.yaml", text);
    EXPECT_EQ(Run({"."}).exit_code, 2) << text;
    EXPECT_EQ(Run({"--diff", "."}).exit_code, 2) << text;
  }
}

std::string PrintOf(const Ended& ended) {
  return nlohmann::json::parse(
      ended.out)["runs"][0]["results"][0]["partialFingerprints"]["tpuAdmission/v1"];
}

TEST_F(CheckPaths, FormatsOfCiNameAFileTheSameHoweverItIsTyped) {
  Write("dd/a.yaml", kWrongPod);
  const std::string print = PrintOf(Run({"--output=sarif", "dd"}));
  for (const std::string& path :
       {std::string("./dd"), std::string("dd/../dd//a.yaml"), std::string("dd/"), root() + "/dd"}) {
    const Ended sarif = Run({"--output=sarif", path});
    EXPECT_EQ(PrintOf(sarif), print) << path;
    EXPECT_THAT(sarif.out, HasSubstr("\"uri\":\"dd/a.yaml\"")) << path;
    const auto gitlab = nlohmann::json::parse(Run({"--output=gitlab", path}).out);
    EXPECT_EQ(gitlab[0]["location"]["path"], "dd/a.yaml") << path;
    EXPECT_EQ(gitlab[0]["fingerprint"], print) << path;
    EXPECT_THAT(Run({"--output=github", path}).out, HasSubstr("file=dd/a.yaml,")) << path;
  }
  EXPECT_THAT(Run({"--output=github", "../dd/a.yaml"}, "/dd").out, HasSubstr("file=a.yaml,"));
  Write("ee/b.yaml", "a: 1\n");
  EXPECT_THAT(Run({"--output=github", ".././dd/a.yaml"}, "/ee").out,
              HasSubstr("file=../dd/a.yaml,"));
  EXPECT_THAT(Run({"./dd/a.yaml"}).out, HasSubstr("./dd/a.yaml:1:"));
}

// By words alone, link/../a.yaml would be another file.
TEST_F(CheckPaths, APathThroughALinkStaysWhereItLeadsElsewhere) {
  Write("other/deep/x.yaml", "a: 1\n");
  Write("other/a.yaml", kWrongPod);
  Write("a.yaml", "a: 1\n");
  std::filesystem::create_directory_symlink("other/deep", root() + "/link");
  EXPECT_THAT(Run({"--output=github", "link/../a.yaml"}).out, HasSubstr("file=link/../a.yaml,"));
}

std::vector<std::string> Heads(const std::string& diff) {
  const std::size_t second = diff.find('\n') + 1;
  return {diff.substr(0, second), diff.substr(second, diff.find('\n', second) + 1 - second)};
}

TEST_F(CheckPaths, ADiffNamesFilesForPatch) {
  const auto heads = [&](const std::string& name, const std::string& folder = "") {
    return Heads(Run({"--diff", name}, folder).out);
  };
  Write("deep/a.yaml", kWrongPod);
  for (const std::string& path :
       {std::string("deep/a.yaml"), std::string("./deep//a.yaml"), root() + "/deep/a.yaml"}) {
    EXPECT_THAT(heads(path), ElementsAre("--- a/deep/a.yaml\n", "+++ b/deep/a.yaml\n"));
  }
  const std::string from_root = root().substr(1) + "/deep/a.yaml\n";
  Write("other/b.yaml", "a: 1\n");
  for (const std::string& path : {std::string("../deep/a.yaml"), root() + "/deep/a.yaml"}) {
    EXPECT_THAT(heads(path, "/other"), ElementsAre("--- a/" + from_root, "+++ b/" + from_root));
  }
}

TEST_F(CheckPaths, ADiffOfANameWithABlankOrAControlCanBeApplied) {
  if (std::system("patch --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no patch";
  for (const std::string name :
       {"plain.yaml", "sp ace.yaml", "t\tab.yaml", "q\"uote.yaml", "back\\slash.yaml", " lead.yaml",
        "trail.yaml ", "\xC3\xA9.yaml", "d d/e e.yaml"}) {
    Write(name, kWrongPod);
    const Ended diff = Run({"--diff", name});
    EXPECT_EQ(diff.exit_code, 1) << name;
    WriteText(std::filesystem::path(root()) / "x.diff", diff.out);
    const std::string patch = "cd '" + root() + "' && patch --quiet -p1 <x.diff";
    EXPECT_EQ(std::system(patch.c_str()), 0) << diff.out;
    EXPECT_EQ(Run({"--diff", name}).out, "") << name;
  }
}

}  // namespace
}  // namespace tpu_admission::support::check_paths_test
