#include "tpu_admission/cluster/kubectl.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "support/temp_dir.h"

namespace tpu_admission::cluster::kubectl_test {
namespace {

using support::TempDir;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// A shell script in the place of kubectl.
KubectlProgram Program(const TempDir& folder, const std::string& script,
                       std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
  const std::string path = folder / "kubectl";
  support::WriteText(path, "#!/bin/sh\n" + script);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return KubectlProgram({path, {"--context=c"}, timeout});
}

TEST(Kubectl, HandsOverWhatItPrintsAndPassesArgumentsAsTheyAre) {
  const TempDir folder;
  KubectlProgram kubectl = Program(folder, "for a in \"$@\"; do echo \"<$a>\"; done; echo no >&2");
  const Result<std::string> output = Output(kubectl, {"get", "a b", "$(id)"});
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(*output, "<--context=c>\n<get>\n<a b>\n<$(id)>\n");
}

TEST(Kubectl, SaysWhatItSaid) {
  const TempDir folder;
  KubectlProgram kubectl =
      Program(folder, "echo 'Error from server (NotFound): jobs \"x\" not found' >&2; exit 1");
  const Result<std::string> output = Output(kubectl, {"get", "job", "x"});
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, HasSubstr("get job x: Error from server (NotFound)"));
  EXPECT_EQ(output.error().code, std::errc::no_such_file_or_directory);
}

TEST(Kubectl, ItsLogIsNotForPeople) {
  const TempDir folder;
  KubectlProgram kubectl = Program(
      folder, "printf 'E1122 06:19:37.8 21267 memcache.go:265] x\\nIt was\\nrefused' >&2; exit 1");
  const Result<std::string> output = Output(kubectl, {"get"}, 100);
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, EndsWith(": It was refused"));
}

TEST(Kubectl, IsNotWaitedForWithoutEnd) {
  const TempDir folder;
  KubectlProgram kubectl =
      Program(folder, "echo early; exec sleep 60", std::chrono::milliseconds(300));
  const auto begin = std::chrono::steady_clock::now();
  const Result<std::string> output = Output(kubectl, {"get"});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, std::errc::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

// Not even where it says that it is done, or never stops to complain.
TEST(Kubectl, ThatDoesNotEndIsEndedAndItsComplaintIsCut) {
  for (const char* script : {"exec >&- 2>&-; exec sleep 60", "exec yes late >&2"}) {
    const TempDir folder;
    KubectlProgram kubectl = Program(folder, script, std::chrono::milliseconds(300));
    const auto begin = std::chrono::steady_clock::now();
    const Result<std::string> output = Output(kubectl, {"get"});
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().code, std::errc::timed_out);
    EXPECT_THAT(output.error().message, HasSubstr("has not ended in time (--timeout)"));
    EXPECT_LT(output.error().message.size(), 2'500U);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  }
}

// A login plugin that goes on, or an agent that it started.
TEST(Kubectl, WhatItLeavesBehindIsNotWaitedFor) {
  for (const char* script : {"sleep 30 & echo all", "(sleep 0.1; echo all; exec sleep 30) &"}) {
    const TempDir folder;
    KubectlProgram kubectl = Program(folder, script, std::chrono::seconds(30));
    const auto begin = std::chrono::steady_clock::now();
    const Result<std::string> output = Output(kubectl, {"get"});
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(*output, "all\n");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  }
}

TEST(Kubectl, WhatItLeavesBehindDoesNotHideHowItEnded) {
  const TempDir folder;
  KubectlProgram kubectl =
      Program(folder, "sleep 30 & echo refused >&2; exit 3", std::chrono::seconds(30));
  const Result<std::string> output = Output(kubectl, {"get"});
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, EndsWith(": refused"));
}

TEST(Kubectl, WhatPrintsWithoutEndBehindItIsEndedByTheTimeout) {
  const TempDir folder;
  KubectlProgram kubectl =
      Program(folder, "(while sleep 0.05; do echo more || exit; done) &", std::chrono::seconds(1));
  const Result<std::string> output = Output(kubectl, {"get"});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, std::errc::timed_out);
}

TEST(Kubectl, EndsWithUs) {
  const TempDir folder;
  KubectlProgram kubectl =
      Program(folder, "echo $$ > " + (folder / "pid").string() + "; exec sleep 60");
  const pid_t us = ::fork();
  if (us == 0) {
    (void)Output(kubectl, {"get"});
    ::_exit(0);
  }
  const auto until = [](const std::function<bool()>& is_so) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!is_so() && std::chrono::steady_clock::now() < end) ::usleep(10'000);
    return is_so();
  };
  pid_t theirs = 0;
  EXPECT_TRUE(until([&] {
    std::ifstream(folder / "pid") >> theirs;
    return theirs > 0;
  }));
  EXPECT_EQ(::kill(theirs, 0), 0);
  ::kill(us, SIGKILL);
  ::waitpid(us, nullptr, 0);
  EXPECT_TRUE(until([&] {
    std::string name, state;  // of who has ended and is not yet waited for: "Z"
    std::string number;
    std::ifstream stat("/proc/" + std::to_string(theirs) + "/stat");
    return !(stat >> number >> name >> state) || state == "Z";
  }));
}

TEST(Kubectl, IsEndedWhenItPrintsTooMuch) {
  const TempDir folder;
  KubectlProgram kubectl = Program(folder, "while true; do echo many; done");
  const Result<std::string> output = Output(kubectl, {"get"}, 1 << 20);
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, HasSubstr("more than 1 MiB"));
}

TEST(Kubectl, ThatIsMissingIsSaid) {
  KubectlProgram kubectl({"/nowhere/kubectl", {}, std::chrono::seconds(1)});
  const Result<std::string> output = Output(kubectl, {"get"});
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, HasSubstr("install kubectl"));
}

}  // namespace
}  // namespace tpu_admission::cluster::kubectl_test
