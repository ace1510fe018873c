// What the program says of itself to shells and to man. packaging/test/ has the real shells
// complete by it.
#include <gmock/gmock.h>

#include <set>
#include <sstream>
#include <string>

#include "integration/app/program.h"

namespace tpu_admission::support::reference_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Reference, EachShellCompletesCommandsFlagsAndValues) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Ended ended = RunToEnd({"completion", shell});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.out,
                AllOf(HasSubstr("controller"), HasSubstr("fail-on"), HasSubstr("deny warn"),
                      HasSubstr("TPU301"), ContainsRegex("[ (']v6e[ )']")))
        << shell;
  }
}

TEST(Reference, AnUnknownShellIsRefused) {
  EXPECT_EQ(RunToEnd({"completion", "tcsh"}).exit_code, 2);
  EXPECT_EQ(RunToEnd({"completion"}).exit_code, 2);
}

TEST(Reference, AManPageHasEachFlagWithItsValuesAndItsTwin) {
  const Ended page = RunToEnd({"help", "--output", "man", "check"});
  EXPECT_EQ(page.exit_code, 0);
  EXPECT_THAT(page.out,
              AllOf(StartsWith(".TH TPU\\-ADMISSION\\-CHECK 1"), HasSubstr("\\-\\-fail\\-on"),
                    HasSubstr("deny warn"), HasSubstr("TPU_ADMISSION_CATALOG")));
}

TEST(Reference, AManPageSaysOfFlagsAndArgumentsWhatHelpDoes) {
  const std::string check = RunToEnd({"help", "--output", "man", "check"}).out;
  EXPECT_THAT(
      check,
      AllOf(HasSubstr("\n\\fB\\-\\-fix\\fR\n"), HasSubstr("\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"),
            HasSubstr("] \\fIPATH\\fR...\n"), HasSubstr("\\fB\\-\\-baseline\\fR \\fIFILE\\fR\n"),
            HasSubstr("\\fB\\-\\-exclude\\fR \\fIGLOBS\\fR\n")));
  const std::string scan = RunToEnd({"help", "--output", "man", "scan"}).out;
  EXPECT_THAT(scan, AllOf(HasSubstr(" [\\fIPATH\\fR]\n"),
                          HasSubstr("\\fB\\-n\\fR, \\fB\\-\\-namespace\\fR \\fI"),
                          HasSubstr("\\fB\\-A\\fR, \\fB\\-\\-all\\-namespaces\\fR\n")));
  EXPECT_THAT(RunToEnd({"help", "--output", "man", "explain"}).out,
              HasSubstr(" [\\fIRULE\\fR...]\n"));
}

TEST(Reference, TheManPageOfTheProgramNamesItsCommands) {
  const Ended page = RunToEnd({"help", "--output", "man"});
  EXPECT_EQ(page.exit_code, 0);
  EXPECT_THAT(page.out,
              AllOf(HasSubstr("\\fBcheck\\fR"), HasSubstr("tpu\\-admission\\-serve\\fR(1)")));
}

TEST(Reference, HelpKnowsACommandBelowACommand) {
  EXPECT_THAT(RunToEnd({"help", "--output", "man", "policy", "test"}).out,
              StartsWith(".TH TPU\\-ADMISSION\\-POLICY\\-TEST 1"));
  const Ended help = RunToEnd({"help", "policy", "test"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("tpu-admission policy test"));
  EXPECT_THAT(RunToEnd({"help", "policy", "tset"}).err,
              HasSubstr("there is no command \"tset\"; did you mean \"test\"? there are: test\n"));
  const Ended none = RunToEnd({"help", "check", "plan"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no command \"plan\"\n"));
}

// A line that begins with a dot is a request to roff; text must not become one.
TEST(Reference, OnlyRequestsBeginWithADot) {
  const std::set<std::string> known = {".TH", ".SH", ".TP", ".nf", ".fi"};
  for (const char* command : {"serve", "controller", "check", "plan", "completion"}) {
    std::istringstream page(RunToEnd({"help", "--output", "man", command}).out);
    for (std::string line; std::getline(page, line);) {
      EXPECT_TRUE(!line.starts_with('.') || known.contains(line.substr(0, 3))) << line;
      EXPECT_THAT(line, Not(StartsWith("'")));
    }
  }
}

}  // namespace
}  // namespace tpu_admission::support::reference_test
