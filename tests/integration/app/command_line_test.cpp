// The command line as DESIGN names it: subcommands, exit codes, flags and their twins.
#include <gmock/gmock.h>

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "integration/app/program.h"
#include "support/temp_dir.h"

namespace tpu_admission::support::command_line_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CommandLine, TellsItsVersionInBothWays) {
  const Ended command = RunToEnd({"version"});
  EXPECT_EQ(command.exit_code, 0);
  EXPECT_THAT(command.out, StartsWith("tpu-admission "));
  EXPECT_EQ(RunToEnd({"--version"}).out, command.out);
}

TEST(CommandLine, HelpNamesEveryFlagOfServe) {
  const Ended help = RunToEnd({"serve", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* flag :
       {"--bind-address", "--secure-port", "--metrics-port", "--tls-cert-file",
        "--tls-private-key-file", "--tls-min-version", "--catalog", "--policy", "--profile",
        "--cluster-location", "--cluster-mode", "--gke-version", "--threads", "--shutdown-delay",
        "--docs-url", "--log-level", "--config"}) {
    EXPECT_THAT(help.out, HasSubstr(flag));
  }
}

// Flags of serve with what they take: "--bind-address".
TEST(CommandLine, ReadmeNamesEveryFlagOfServe) {
  const std::string readme = ReadText(TPU_ADMISSION_SOURCE_DIR "/README.md");
  std::istringstream help(RunToEnd({"serve", "--help"}).out);
  int flags = 0;
  for (std::string word; help >> word;) {
    if (!word.starts_with("--") || word == "--help") continue;
    word.resize(std::min(word.size(), word.find_first_of("=,[")));
    EXPECT_THAT(readme, HasSubstr("`" + word));
    ++flags;
  }
  EXPECT_GT(flags, 15);
}

TEST(CommandLine, HelpNamesEveryFlagOfController) {
  const Ended help = RunToEnd({"controller", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* flag : {"--namespace",
                           "--service-name",
                           "--secret-name",
                           "--lease-name",
                           "--mutating-webhook-configuration",
                           "--validating-webhook-configuration",
                           "--cluster-domain",
                           "--bind-address",
                           "--metrics-port",
                           "--certificate-lifetime",
                           "--ca-lifetime",
                           "--propagation-delay",
                           "--poll-interval",
                           "--leader-elect",
                           "--leader-elect-lease-duration",
                           "--leader-elect-renew-deadline",
                           "--leader-elect-retry-period",
                           "--api-server",
                           "--service-account-dir",
                           "--token-file",
                           "--ca-file",
                           "--log-level",
                           "--config"}) {
    EXPECT_THAT(help.out, HasSubstr(flag));
  }
  EXPECT_THAT(help.out, HasSubstr("2160h"));
}

struct Misuse {
  std::vector<std::string> arguments;
  std::string says;
};

class Misuses : public ::testing::TestWithParam<Misuse> {};

TEST_P(Misuses, ExitWithTwoAndSayWhy) {
  const Ended ended = RunToEnd(GetParam().arguments);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.out + ended.err, HasSubstr(GetParam().says));
}

TEST(CommandLine, AFlagThatIsFarFromAllIsMeantForNone) {
  EXPECT_THAT(RunToEnd({"check", "--chek"}).err, Not(HasSubstr("did you mean")));
  EXPECT_THAT(RunToEnd({"check", "--hlep"}).err, HasSubstr("did you mean --help?"));
  EXPECT_THAT(RunToEnd({"check", "--excldues=a", "-"}).err, HasSubstr("did you mean --exclude?"));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Misuses,
    ::testing::Values(
        Misuse{{}, "subcommand"}, Misuse{{"dance"}, "dance"},
        Misuse{{"--nope"}, "not expected: --nope"},
        Misuse{{"--versoin", "check"}, "did you mean --version?"},
        Misuse{{"plan", "--accelerator", "v6e-16", "--chips", "8"}, "has 16 chips, not 8"},
        Misuse{{"plan", "--chips", "-1"}, "not in range"},
        Misuse{{"plan", "--chips", "99999999999999999999"}, "not in range"},
        Misuse{{"plan", "--way", "-1"}, "not in range"},
        Misuse{{"plan", "--chips", "4", "--zone", ""}, "--zone: is empty"},
        Misuse{{"plan", "--chips", "4", "--emit", "job", "--output", "json"},
               "leave out --output json"},
        Misuse{{"plan", "--chips", "4", "--spot", "--flex-start"},
               "Spot, flex-start and a reservation exclude each other; take one"},
        Misuse{
            {"plan", "--accelerator", "v6e", "--chips", "4", "--autopilot", "--emit", "nodepool"},
            "GKE Autopilot makes its nodes itself, and takes no node pools; emit a workload"},
        Misuse{
            {"plan", "--accelerator", "v6e", "--chips", "4", "--autopilot", "--emit", "terraform"},
            "GKE Autopilot makes its nodes itself"},
        Misuse{{"serve"}, "--tls-cert-file and --tls-private-key-file"},
        Misuse{{"serve", "--tls-private-key-file", "a"}, "--tls-cert-file (flag"},
        Misuse{{"serve", "--tls-cert-file", "a", "--tls-private-key-file", "b", "--secure-port",
                "8443", "--metrics-port", "8443"},
               "--metrics-port: is 8443, as --secure-port is"},
        Misuse{{"serve", "--threads", "1.5"}, "--threads: \"1.5\" is no whole number"},
        Misuse{{"check", "--threads", "", "-"}, "\"\" is no whole number"},
        Misuse{{"serve", "--secure-port", "70000"}, "70000 not in range"},
        Misuse{{"serve", "--secure-port", "010250"},
               "\"010250\" begins with a 0; write the number"},
        Misuse{{"verify", "--expect", "deny"}, "did you mean denial?"},
        Misuse{{"serve", "--metrics-port", "-1"}, "-1 not in range"},
        Misuse{{"controller", "--metrics-port", "70000"}, "70000 not in range"},
        Misuse{{"audit", "--metrics-port", "70000"}, "70000 not in range"},
        Misuse{{"serve", "--shutdown-delay", "601s"},
               "--shutdown-delay: 601s is too long, it may be at most 10m"},
        Misuse{{"check", "--namespace", "Not A NS", "-"}, "\"Not A NS\" is no name in Kubernetes"},
        Misuse{{"lsp", "--namespace", "A"}, "\"A\" is no name in Kubernetes"},
        Misuse{{"lsp", "--namespace", "a..b"}, "\"a..b\" is no name in Kubernetes"},
        Misuse{{"verify", "--namespace", "A"}, "\"A\" is no name in Kubernetes"},
        Misuse{{"scan", "--namespace", "A"}, "\"A\" is no name in Kubernetes"},
        Misuse{{"serve", "--shutdown-delay", "5"}, "no duration such as 5s or 250ms"},
        Misuse{{"serve", "--docs-url", "foo bar"},
               "\"foo bar\" is no address such as https://docs.example/rules"},
        Misuse{{"serve", "--docs-url", "ftp://a"}, "is no address"},
        Misuse{{"serve", "--docs-url", "https://"}, "is no address"},
        Misuse{{"serve", "--docs-url", "https://a/b c"}, "is no address"},
        Misuse{{"serve", "--tls-min-version", "1.1"}, "--tls-min-version"},
        Misuse{{"controller"}, "--namespace: is not given"},
        Misuse{{"controller", "--namespace", "a/b"}, "no name of an object"},
        Misuse{{"controller", "--namespace", "n"}, "--api-server names one"},
        Misuse{{"controller", "--namespace", "n", "--api-server", "http://a"}, "https://HOST"},
        Misuse{{"controller", "--namespace", "n", "--ca-lifetime", "100h"},
               "three times --certificate-lifetime, which is 2160h"},
        Misuse{{"controller", "--namespace", "n", "--leader-elect-renew-deadline", "15s"},
               "must be longer than --leader-elect-renew-deadline"},
        Misuse{{"verify", "--mutating", "maybe"}, "it wants true or false"},
        Misuse{{"why"}, "KIND/NAME is required"},
        Misuse{{"serve", "--config", "/no/config"}, "--config: /no/config: No such file"},
        Misuse{{"check"}, "PATH"}, Misuse{{"check", "/no/such/file.yaml"}, "/no/such/file.yaml"},
        Misuse{{"check", "--catalog", "/no/catalog", "-"}, "--catalog: /no/catalog: No such file"},
        Misuse{{"catalog", "--catalog", "/no/catalog"}, "--catalog: /no/catalog: No such file"},
        Misuse{{"check", "--cluster-location", "moon", "-"}, "neither a zone"},
        Misuse{{"check", "--profile", "lax", "-"}, "kuberay-compat"},
        Misuse{{"check", "--gke-version", "abc", "-"}, "--gke-version: \"abc\" is no version"},
        Misuse{{"check", "--policy", "/tmp", "-"}, "/tmp: is a folder"},
        Misuse{{"check", "--catalog", "/dev/zero", "-"}, "/dev/zero: is a pipe or device"},
        Misuse{{"serve", "--config", "/tmp"}, "/tmp: is a folder"},
        Misuse{{"check", "/dev/zero"}, "/dev/zero: is larger than 16 MiB"},
        Misuse{{"--verison"}, "did you mean --version?"},
        Misuse{{"check", "--polcy=a", "-"}, "did you mean --policy?"},
        Misuse{{"check", "--profile", "strct", "-"},
               "--profile: \"strct\" is not in {standard,autopilot,strict,kuberay-compat}; did you "
               "mean strict?"},
        Misuse{{"plan", "--emit", "jobsets"}, "; did you mean jobset?"},
        Misuse{{"catalog", "--output", "jsno"}, "is not in {json,text}; did you mean json?"},
        Misuse{{"schema", "chek"},
               "NAME: \"chek\" is not in {catalog,check,policy,project}; did "
               "you mean check?"},
        Misuse{{"chek"}, "did you mean \"check\"?"},
        Misuse{{"help", "chek"}, "did you mean \"check\"?"},
        Misuse{{"catalog", "moon"},
               "\"moon\" is neither a generation nor a "
               "topology such as 4x4; there are v3-device, "},
        Misuse{{"catalog", "99x99"}, "the catalog has no topology 99x99\n"},
        Misuse{{"catalog", "v6e", "99x99"}, "has no topology 99x99; tpu-v6e-slice 99x99: "},
        Misuse{{"catalog", "v6f"}, "such as 4x4; did you mean v6e?"},
        Misuse{{"catalog", "v6e", "4X4"}, "\"4X4\" is no topology; write 4x4"},
        Misuse{{"explain", "TPU301", "--profiles"}, "RULE excludes --profiles"},
        Misuse{{"why", "job/a", "--from", "x", "--context", "y"}, "--context excludes --from"},
        Misuse{{"scan", "-", "--kubeconfig", "y"}, "--kubeconfig excludes PATH"},
        Misuse{{"explain", "TPU999"},
               "there is no rule \"TPU999\"; `tpu-admission explain` lists"}));

class Twins : public ::testing::Test {
 protected:
  // A serve command that fails at a catalog which does not exist: its error says whose value won.
  std::string WinnerOf(bool flag, bool environment, bool file) {
    std::ofstream(config_) << "tls-cert-file: a\ntls-private-key-file: b\n"
                           << (file ? "catalog: /from-file\n" : "");
    std::vector<std::string> arguments = {"serve", "--config", config_};
    if (flag) arguments.insert(arguments.end(), {"--catalog", "/from-flag"});
    Environment variables;
    if (environment) variables["TPU_ADMISSION_CATALOG"] = "/from-environment";
    const Ended ended = RunToEnd(arguments, variables);
    EXPECT_EQ(ended.exit_code, 2);
    return ended.err;
  }

  TempDir directory_;
  const std::string config_ = directory_ / "config.yaml";
};

TEST_F(Twins, FlagBeatsEnvironmentBeatsFile) {
  EXPECT_THAT(WinnerOf(true, true, true), HasSubstr("/from-flag"));
  EXPECT_THAT(WinnerOf(false, true, true), HasSubstr("/from-environment"));
  EXPECT_THAT(WinnerOf(false, false, true), HasSubstr("/from-file"));
}

TEST_F(Twins, AnUnknownKeyIsRefusedWithFileLineAndKey) {
  std::ofstream(config_) << "tls-cert-file: a\nsecure-prot: 1\n";
  const Ended ended = RunToEnd({"serve", "--config", config_});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr(config_ + ":2:"));
  EXPECT_THAT(ended.err, HasSubstr("secure-prot"));
}

TEST_F(Twins, AValueOfTheFileIsCheckedLikeAFlag) {
  std::ofstream(config_) << "tls-cert-file: a\ntls-private-key-file: b\nsecure-port: many\n";
  const Ended ended = RunToEnd({"serve", "--config", config_});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr("secure-port"));
}

// The keys that README.md and docs/certificates.md show, as YAML has them: numbers, booleans,
// words.
TEST_F(Twins, NumbersBooleansAndDurationsAreReadAsFlagsAre) {
  std::ofstream(config_) << "secure-port: 10250\nmetrics-port: 0\nthreads: 2\n"
                            "shutdown-delay: 10s\ntls-min-version: 1.3\nlog-level: info\n"
                            "gke-version: 1.33\ntls-cert-file: a\ntls-private-key-file: b\n"
                            "catalog: /from-file\n";
  EXPECT_THAT(RunToEnd({"serve", "--config", config_}).err, HasSubstr("/from-file: No such file"));
  std::ofstream(config_) << "leader-elect: false\nmetrics-port: 8080\npoll-interval: 10s\n"
                            "certificate-lifetime: 2160h\nnamespace: a\nca-lifetime: 1h\n";
  EXPECT_THAT(RunToEnd({"controller", "--config", config_}).err,
              HasSubstr("--ca-lifetime: must be at least three times"));
}

TEST_F(Twins, AllFaultsOfTheFileAreToldEachWithItsPlace) {
  std::ofstream(config_) << "secure-port: many\nshutdown-dely: 5s\nthreads: [1]\nlog-level: loud\n";
  const Ended ended = RunToEnd({"serve", "--config", config_});
  EXPECT_EQ(ended.exit_code, 2);
  for (const char* part : {":1:14: secure-port: ",
                           ":2:16: shutdown-dely: is no flag of serve, did "
                           "you mean \"shutdown-delay\"?",
                           ":3:10: threads: found a list", ":4:12: log-level: "}) {
    EXPECT_THAT(ended.err, HasSubstr(config_ + part));
  }
}

TEST_F(Twins, AFileCannotNameAFile) {
  std::ofstream(config_) << "config: other.yaml\nhelp: true\nconfg: a\n";
  const std::string err = RunToEnd({"serve", "--config", config_}).err;
  for (const char* part :
       {":1:9: config: does not belong in this file", ":2:7: help: does not belong in this file",
        ":3:8: confg: is no flag of serve; --help lists them"}) {
    EXPECT_THAT(err, HasSubstr(config_ + part));
  }
}

TEST(CommandLine, AWrongValueOfTheEnvironmentIsToldWithItsVariable) {
  const auto error = [](std::vector<std::string> words, const Environment& variables) {
    const Ended ended = RunToEnd(std::move(words), variables);
    EXPECT_EQ(ended.exit_code, 2);
    return ended.err;
  };
  EXPECT_THAT(error({"serve"}, {{"TPU_ADMISSION_LOG_LEVEL", "foo"}}),
              HasSubstr("The variable TPU_ADMISSION_LOG_LEVEL gives --log-level.\n"));
  EXPECT_THAT(error({"serve"}, {{"TPU_ADMISSION_SHUTDOWN_DELAY", "5"}}),
              HasSubstr("The variable TPU_ADMISSION_SHUTDOWN_DELAY gives --shutdown-delay.\n"));
  EXPECT_THAT(error({"serve"}, {{"TPU_ADMISSION_THREADS", "many"}}),
              HasSubstr("The variable TPU_ADMISSION_THREADS gives --threads.\n"));
  EXPECT_THAT(error({"check", "-"}, {{"TPU_ADMISSION_POLICY", "/none"}}),
              AllOf(HasSubstr("--policy: /none: No such file or directory\n"),
                    HasSubstr("The variable TPU_ADMISSION_POLICY gives --policy.\n")));
  const Environment wrong_mode = {{"TPU_ADMISSION_CLUSTER_MODE", "foo"}};
  EXPECT_THAT(error({"check", "-"}, wrong_mode), HasSubstr("TPU_ADMISSION_CLUSTER_MODE"));
  for (const char* flag : {"--cluster-mode=bar", "--thread=1"}) {
    EXPECT_THAT(error({"check", flag, "-"}, {{"TPU_ADMISSION_CLUSTER_MODE", "autopilot"}}),
                Not(HasSubstr("TPU_ADMISSION_CLUSTER_MODE")));
  }
}

TEST(CommandLine, AVariableThatNoFlagReadsIsToldIfItIsNearlyOne) {
  const auto told = [](const Environment& variables) {
    const Ended ended = RunToEnd({"version"}, variables);
    EXPECT_EQ(ended.exit_code, 0);
    return ended.err;
  };
  EXPECT_EQ(
      told({{"TPU_ADMISSION_PROFIL", "strict"}}),
      "No flag reads the variable TPU_ADMISSION_PROFIL; did you mean TPU_ADMISSION_PROFILE?\n");
  EXPECT_EQ(told({{"TPU_ADMISSION_SERVICE_HOST", "10.0.0.1"},
                  {"TPU_ADMISSION_SERVICE_PORT_HTTPS", "443"},
                  {"TPU_ADMISSION_PORT", "tcp://10.0.0.1:443"},
                  {"TPU_ADMISSION_PORT_443_TCP_ADDR", "10.0.0.1"},
                  {"TPU_ADMISSION_PROFILE", "strict"}}),
            "");
}

TEST(CommandLine, EachCommandHasAnOutputOfItsOwn) {
  EXPECT_THAT(RunToEnd({"catalog"}, {{"TPU_ADMISSION_CATALOG_OUTPUT", "json"}}).out,
              StartsWith("{"));
  EXPECT_THAT(RunToEnd({"plan", "--chips", "8"}, {{"TPU_ADMISSION_PLAN_OUTPUT", "json"}}).out,
              StartsWith("{"));
  EXPECT_EQ(RunToEnd({"check", "-"}, {{"TPU_ADMISSION_CATALOG_OUTPUT", "json"}}).exit_code, 0);
}

TEST(CommandLine, HelpTellsAboutACommand) {
  EXPECT_THAT(RunToEnd({"help"}).out, HasSubstr("catalog"));
  EXPECT_EQ(RunToEnd({"help", "check"}).out, RunToEnd({"check", "--help"}).out);
}

TEST(CommandLine, CatalogTellsOfWhatIsAskedFor) {
  const std::string v6e = RunToEnd({"catalog", "v6e", "4x4"}).out;
  EXPECT_THAT(v6e, StartsWith("tpu-v6e-slice"));
  EXPECT_THAT(v6e, HasSubstr("\n  4x4 "));
  for (const char* other : {"tpu7x", "\n  2x2 ", "every TPU node"}) {
    EXPECT_EQ(v6e.find(other), v6e.npos) << other;
  }
  const auto report =
      nlohmann::json::parse(RunToEnd({"catalog", "tpu-v6e-slice", "4x4", "--output", "json"}).out);
  ASSERT_EQ(report["generations"].size(), 1u);
  const auto& generation = report["generations"][0];
  EXPECT_EQ(generation["topologies"].size(), 1u);
  EXPECT_EQ(generation["machines"][0]["preemption"], "higher");
  EXPECT_EQ(generation["disks"]["default_boot"], "hyperdisk-balanced");
  EXPECT_EQ(generation["wraparound"]["rule"], "per-axis");
  EXPECT_EQ(RunToEnd({"catalog", "v6e", "3x3"}).exit_code, 2);
}

TEST(CommandLine, SaysWhatItCouldNotWrite) {
  for (const std::string command : {"catalog", "explain", "version"}) {
    const std::string shell = TPU_ADMISSION_BINARY_DIR "/tpu-admission " + command;
    const int status = std::system((shell + " >/dev/full 2>/dev/null").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2) << command;
  }
}

TEST(CommandLine, CatalogPrintsWhatTheEngineUses) {
  const auto report = nlohmann::json::parse(RunToEnd({"catalog", "--output", "json"}).out);
  ASSERT_TRUE(report["generations"].is_array());
  EXPECT_EQ(report["generations"].size(), 10u);
  for (const auto& generation : report["generations"]) {
    EXPECT_FALSE(generation["label"].get<std::string>().empty());
    EXPECT_FALSE(generation["sources"].empty());
  }
  EXPECT_THAT(RunToEnd({"catalog"}).out, HasSubstr("tpu-v6e-slice"));
}

TEST(CommandLine, ExplainTellsTheProfiles) {
  const Ended profiles = RunToEnd({"explain", "--profiles"});
  EXPECT_EQ(profiles.exit_code, 0);
  EXPECT_THAT(profiles.out, HasSubstr("\nstrict: "));
  EXPECT_THAT(profiles.out, HasSubstr("\n  TPU103 topology-missing: deny\n"));
  EXPECT_THAT(profiles.out, HasSubstr("deny for kind Ray*"));
}

TEST(CommandLine, CatalogPrintsThePlanningPagesFacts) {
  const auto report = nlohmann::json::parse(RunToEnd({"catalog", "--output", "json"}).out);
  EXPECT_EQ(report["node_limits"]["max_pods"], 256);
  EXPECT_EQ(report["node_limits"]["multi_host_scale_up_hours"], 10);
  EXPECT_EQ(report["node_limits"]["graceful_termination_version"], "1.29.1-gke.1425000");
  EXPECT_GE(report["advice"].size(), 5u);
  EXPECT_EQ(report["storage_classes"][1]["disk"], "pd-balanced");
  const std::string text = RunToEnd({"catalog"}).out;
  for (const char* fact :
       {"at most 256 pods", "no images of ubuntu", "SMT is off", "all hosts of the slice at once",
        "after 10 hours", "1.29.1-gke.1425000", "autoscaling 1.29.2-gke.1035000",
        "affinity \"specific\"", "priority", "Collection scheduling", "flex_start refused",
        "in us-west4-b: all machines without single-host slices; take us-west4-a"}) {
    EXPECT_THAT(text, HasSubstr(fact));
  }
}

TEST(CommandLine, PlanSaysWhatCannotBeHadSo) {
  const std::vector<std::string> wish = {"plan", "--accelerator", "v4", "--chips", "64"};
  EXPECT_THAT(RunToEnd(wish).out, Not(HasSubstr("not so ")));
  std::vector<std::string> flex = wish;
  flex.emplace_back("--flex-start");
  EXPECT_THAT(RunToEnd(flex).out, HasSubstr("   refused     v4 is not to be had by flex-start\n"));
  flex.emplace_back("--spot");
}

TEST(CommandLine, PlanSaysHowManyMoreWaysThereAre) {
  EXPECT_THAT(RunToEnd({"plan"}).out, ::testing::ContainsRegex("\nand [0-9]+ more ways; say "));
  const auto all = nlohmann::json::parse(RunToEnd({"plan", "--output", "json"}).out);
  EXPECT_EQ(all["ways"].size(), 32U);
  EXPECT_GT(all["more"], 0);
  const std::vector<std::string> few = {"plan", "--accelerator", "v6e", "--output", "json"};
  EXPECT_EQ(nlohmann::json::parse(RunToEnd(few).out)["more"], 0);
}

TEST(CommandLine, PlanSaysOfAShapeThatSourcesDisagree) {
  const std::vector<std::string> wish = {"plan", "--accelerator", "v5p", "--topology", "4x4x560"};
  EXPECT_THAT(RunToEnd(wish).out, HasSubstr("   doubt       sources disagree: it has 8960 chips"));
  std::vector<std::string> json = wish;
  json.insert(json.end(), {"--output", "json"});
  EXPECT_EQ(nlohmann::json::parse(RunToEnd(json).out)["ways"][0]["doubt"],
            "it has 8960 chips, and the documents end at 6144");
}

TEST(CommandLine, ExplainListsAndTells) {
  EXPECT_THAT(RunToEnd({"explain"}).out,
              HasSubstr("\nTPU301  deny   chips-per-host             a container's chips that "));
  const Ended one = RunToEnd({"explain", "chips-per-host"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_THAT(one.out, StartsWith("TPU301 chips-per-host\n\ndeny: a container's chips"));
  EXPECT_THAT(one.out, HasSubstr("\nWrong\n\n    apiVersion: batch/v1\n"));
  for (const char* part : {"Why", "What to do", "Wrong", "Right", "Sources"}) {
    EXPECT_THAT(one.out, HasSubstr(part));
  }
}

TEST(CommandLine, ExplainFindsARuleHoweverItIsWritten) {
  const std::string page = RunToEnd({"explain", "TPU301"}).out;
  for (const char* name : {"tpu301", "chips-per-host", "Chips-Per-Host"}) {
    EXPECT_EQ(RunToEnd({"explain", name}).out, page) << name;
  }
}

// What --select takes.
TEST(CommandLine, ExplainListsTheRulesOfAFamily) {
  for (const char* name : {"TPU3", "3xx", "tpu3"}) {
    const Ended family = RunToEnd({"explain", name});
    EXPECT_EQ(family.exit_code, 0) << family.err;
    EXPECT_THAT(family.out, StartsWith("TPU3"));
    EXPECT_THAT(family.out, HasSubstr("\nTPU3"));
    EXPECT_THAT(family.out, Not(HasSubstr("\nTPU4")));
  }
  const std::string index = RunToEnd({"explain", "TPU3", "--output", "markdown"}).out;
  EXPECT_THAT(index, HasSubstr("## 3xx: "));
  EXPECT_THAT(index, Not(HasSubstr("## 4xx: ")));
  EXPECT_EQ(RunToEnd({"explain", "TPU9"}).exit_code, 2);
}

TEST(CommandLine, ExplainNamesTheNearestRule) {
  const Ended near = RunToEnd({"explain", "chips-per-hosts"});
  EXPECT_EQ(near.exit_code, 2);
  EXPECT_THAT(near.err, HasSubstr("no rule \"chips-per-hosts\", did you mean chips-per-host?"));
  EXPECT_THAT(RunToEnd({"explain", "bananas"}).err, Not(HasSubstr("did you mean")));
}

}  // namespace
}  // namespace tpu_admission::support::command_line_test
