// What `check` refuses, and that its errors name what a reader must change.
#include <gmock/gmock.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "integration/app/program.h"
#include "support/temp_dir.h"

namespace tpu_admission::support::check_refusals_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kWrongJob = TPU_ADMISSION_SOURCE_DIR "/examples/wrong-job.yaml";

struct Pair {
  std::vector<std::string> flags;
  std::string says;
};

TEST(CheckRefusals, FlagsThatCannotGoTogether) {
  for (const Pair& pair : std::vector<Pair>{
           {{"--diff", "--output=json"}, "--diff prints a diff and no findings, so --output json"},
           {{"--diff", "--output=sarif"}, "--output sarif cannot go with it"},
           {{"--diff", "--baseline=b.yaml", "--write-baseline"}, "so --write-baseline cannot"},
           {{"--repair=b"}, "--repair b needs --fix or --diff"},
           {{"--select=TPU301", "--ignore=TPU3"}, "--select and --ignore leave no rule"},
           {{""}, "a PATH is empty"}}) {
    std::vector<std::string> arguments = {"check", kWrongJob};
    arguments.insert(arguments.end(), pair.flags.begin(), pair.flags.end());
    const Ended ended = RunToEnd(arguments);
    EXPECT_EQ(ended.exit_code, 2) << pair.says;
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr(pair.says));
  }
}

// Nobody writes to it: opening it would wait for ever.
TEST(CheckRefusals, APipeWithANameOfItsOwn) {
  const TempDir dir;
  const std::string pipe = dir.path() / "pipe.yaml";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Ended check = RunToEnd({"check", pipe});
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_THAT(check.out, HasSubstr("pipe.yaml: is a pipe, wanted a file; to read it, give it"));
  const Ended fix = RunToEnd({"check", "--fix", pipe});
  EXPECT_EQ(fix.exit_code, 2);
  EXPECT_THAT(fix.err, HasSubstr("pipe.yaml: is a pipe, wanted a file"));
}

TEST(CheckRefusals, StandardInputByNameIsRead) {
  for (const char* name : {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}) {
    const Ended ended = RunToEnd({"check", name}, {}, ReadText(kWrongJob));
    EXPECT_EQ(ended.exit_code, 1) << name << ended.out << ended.err;
  }
}

TEST(CheckRefusals, WhatAProjectFileNamesAndIsNotThere) {
  const TempDir dir;
  const std::string project = dir.path() / ".tpu-admission.yaml";
  const auto says = [&](const std::string& text, std::vector<std::string> more = {}) {
    WriteText(project, text);
    more.insert(more.begin(), {"check", kWrongJob});
    return RunToEnd(more, {}, "", dir.path()).err;
  };
  EXPECT_THAT(
      says("policy: nope.yaml\n"),
      HasSubstr(".tpu-admission.yaml:1:9: policy: found \"nope.yaml\", and there is no such "
                "file"));
  EXPECT_THAT(says("baseline: known.yaml\n"),
              HasSubstr(".tpu-admission.yaml:1:11: baseline: found "
                        "\"known.yaml\", and there is no such file; "
                        "check --write-baseline writes it"));
  EXPECT_EQ(says("baseline: known.yaml\n", {"--write-baseline"}),
            "tpu-admission: wrote known.yaml, which knows 2 findings\n");
  EXPECT_THAT(says("{}\n", {"--baseline=none.yaml"}),
              HasSubstr("--baseline: none.yaml: No such file or directory; --write-baseline"));
}

TEST(CheckRefusals, WhatAProjectFileSaysWrongIsToldWithItsPlace) {
  const TempDir dir;
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"fail-on: warn\nignore: [TPU2O3]\n",
            "2:9: ignore: there is no rule \"TPU2O3\", did you mean TPU203?"},
           {"select: [TPU9]\n", "1:9: select: there is no rule \"TPU9\""},
           {"cluster-location: mars\n", "1:19: cluster-location: \"mars\" is neither a zone"},
           {"fail-on: warn\nnoo:\n  a: 1\n", "2:1: noo: is no key of a project file"}}) {
    WriteText(dir.path() / ".tpu-admission.yaml", text);
    const Ended ended = RunToEnd({"check", kWrongJob}, {}, "", dir.path());
    EXPECT_EQ(ended.exit_code, 2) << text;
    EXPECT_THAT(ended.err, HasSubstr("tpu-admission: .tpu-admission.yaml:" + says));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

// It may come with a pull request, and the log is read by others.
TEST(CheckRefusals, AProjectFileSaysNothingOfFilesElsewhere) {
  const TempDir dir;
  const std::string repository = dir.path() / "repository";
  std::filesystem::create_directories(repository + "/.git");
  std::filesystem::create_directories(repository + "/sub");
  WriteText(dir.path() / "token", "https://bot:s3cret@example.com\n");
  std::filesystem::create_symlink("../token", repository + "/link.yaml");
  const std::string project = repository + "/.tpu-admission.yaml";
  const auto check = [&](const std::string& folder, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"check", kWrongJob});
    Ended ended = RunToEnd(more, {}, "", folder);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  for (const std::string key : {"policy", "catalog", "baseline"}) {
    for (const std::string& file :
         std::vector<std::string>{"../token", "link.yaml", dir.path() / "token"}) {
      WriteText(project, key + ": " + file + "\n");
      const std::string err = check(repository);
      EXPECT_THAT(err, HasSubstr(key + ": found \"" + file +
                                 "\", which leads out of the project "
                                 "file's folder; wanted a file in it or below (another one can be "
                                 "named by the flag --" +
                                 key + ")"));
      EXPECT_THAT(err, Not(HasSubstr("s3cret")));
    }
  }
  std::filesystem::remove(project);
  std::filesystem::create_symlink("../token", project);
  for (const char* folder : {"", "/sub"}) {
    const std::string err = check(repository + folder);
    EXPECT_THAT(err, HasSubstr("is a link that leads out of the repository; --project-file can"));
    EXPECT_THAT(err, Not(HasSubstr("s3cret")));
  }
  EXPECT_THAT(check(repository, {"--project-file=" + project}), HasSubstr("leads out of the"));
  // What a person names is told of as it is.
  EXPECT_THAT(check(repository, {"--project-file=../token"}), HasSubstr("wanted a mapping"));
  std::filesystem::remove(project);
  WriteText(repository + "/shared.yaml", "fail-on: nothing\n");
  std::filesystem::create_symlink("../shared.yaml", repository + "/sub/.tpu-admission.yaml");
  EXPECT_THAT(check(repository + "/sub"), HasSubstr("fail-on")) << "a link within it is read";
}

TEST(CheckRefusals, ATabIsNamed) {
  const Ended ended = RunToEnd({"check", "-"}, {}, "a:\n\tb: 1\n");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.out, HasSubstr("2:1: a tab stands here"));
}

}  // namespace
}  // namespace tpu_admission::support::check_refusals_test
