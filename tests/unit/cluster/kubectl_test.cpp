#include "tpu_admission/cluster/kubectl.h"

#include <gmock/gmock.h>

#include <filesystem>

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
