// What strangers write into files and their names, against the commands that read files.
#include <gmock/gmock.h>

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "integration/app/program.h"
#include "support/temp_dir.h"

namespace tpu_admission::support::hostile_files_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDeniedPod =
    "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: "
    "{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 3x3},"
    " containers: [{name: c, resources: {limits: {google.com/tpu: 4}}}]}}";

class HostileFiles : public InFolder {};

TEST_F(HostileFiles, AProjectFilesBaselineStaysInItsFolder) {
  Write("repo/pod.yaml", kDeniedPod);
  Write("out/known.yaml", "version: 1\n");
  Write("repo/sub/a.txt", "");
  fs::create_directory_symlink("../out", root() + "/repo/link");
  fs::create_symlink("../out/known.yaml", root() + "/repo/known.link");
  fs::create_directory_symlink("sub", root() + "/repo/inside");
  for (const std::string& outside :
       {std::string("../out/known.yaml"), root() + "/out/new.yaml", std::string("link/known.yaml"),
        std::string("link/new.yaml"), std::string("known.link"), std::string("sub/../../out/a")}) {
    Write("repo/.tpu-admission.yaml", "fail-on: never\nbaseline: " + outside + "\n");
    for (const char* flag : {"--write-baseline", "--color=never"}) {
      const Ended ended = Run({"check", flag, "pod.yaml"}, "/repo");
      EXPECT_EQ(ended.exit_code, 2) << outside << flag;
      EXPECT_THAT(ended.err, HasSubstr(".tpu-admission.yaml:2:11: baseline: found \"" +
                                       outside.substr(0, 30)));
      EXPECT_THAT(ended.err, HasSubstr("wanted a file in it or below"));
    }
  }
  EXPECT_EQ(
      Run({"check", "--baseline", "../out/flag.yaml", "--write-baseline", "."}, "/repo").exit_code,
      0)
      << "who types a name may name anything";
  EXPECT_EQ(ReadText(root() + "/out/known.yaml"), "version: 1\n");
  EXPECT_FALSE(fs::exists(root() + "/out/new.yaml"));
  for (const std::string& inside :
       {std::string("new.yaml"), std::string("sub/known.yaml"), std::string("inside/known.yaml"),
        std::string("sub/../b.yaml"), root() + "/repo/absolute.yaml"}) {
    Write("repo/.tpu-admission.yaml", "baseline: " + inside + "\n");
    EXPECT_EQ(Run({"check", "--write-baseline", "pod.yaml"}, "/repo").exit_code, 0) << inside;
    EXPECT_EQ(Run({"check", "../pod.yaml"}, "/repo/sub").exit_code, 1) << "no repository, no file";
    EXPECT_EQ(Run({"check", "pod.yaml"}, "/repo").exit_code, 0) << inside;
  }
}

// Words that would colour a terminal, forge a line, turn the direction of text, and command GitHub
// Actions at the beginning of a line (after any white space) and within it. As YAML writes it.
constexpr const char* kEvil = R"("a\e[31m\r\n\xA0::error::x\u202E##[add-mask]b\u3000##[error]")";

constexpr const char* kEvilName =
    "\xC2\xA0::error::\x1b[31m\xE2\x80\xAE##[add-mask]b\n::warning::c";

std::string EvilPod() {
  return "{apiVersion: v1, kind: Pod, metadata: {name: " + std::string(kEvil) +
         ", namespace: " + kEvil + ", labels: {" + kEvil + ": " + kEvil +
         "}}, spec: {nodeSelector: " +
         "{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, "
         "cloud.google.com/gke-tpu-topology: " +
         kEvil + "}, containers: [{name: " + kEvil +
         ", resources: {limits: {google.com/tpu: " + kEvil +
         "}}}, {name: c, resources: {limits: {google.com/tpu: 3}}}]}}\n";
}

void ExpectNothingRaw(const std::string& told, const std::string& what) {
  for (const char* raw : {"\x1b", "\a", "\r", "\xC2\x9B", "\xE2\x80\xAE", "##[", "\xff"}) {
    EXPECT_THAT(told, Not(HasSubstr(raw))) << what;
  }
}

// Of what no line may be but as our own words make it.
void ExpectHarmless(const std::string& told, const std::string& what) {
  ExpectNothingRaw(told, what);
  std::istringstream lines(told);
  for (std::string line; std::getline(lines, line);) {
    std::size_t at = 0;
    for (const std::string space : {" ", "\xC2\xA0", "\xE3\x80\x80"}) {
      while (line.compare(at, space.size(), space) == 0) at += space.size();
    }
    EXPECT_NE(line.substr(at, 2), "::") << what << ": " << line;
  }
}

TEST_F(HostileFiles, NoTextOfStrangersReachesATerminalRaw) {
  Write("a.yaml", EvilPod());
  Write("b.yaml",
        std::string("? ") + kEvil + "\n: *none\n---\n" + kEvil + ": 1\n" + kEvil + ": 2\n");
  Write(std::string(kEvilName) + ".yaml", EvilPod() + "---\n? [\n");
  const std::string evil = kEvil;
  const auto policy = "rules: {" + evil + ": deny}\nnamespaces: [{match: " + evil +
                      ", rules: {TPU203: " + evil + "}}]\nprofile: " + evil + "\n";
  Write("policy.yaml", policy);
  Write(std::string(kEvilName) + "-policy.yaml", policy);
  Write("catalog.yaml", "version: " + evil + "\ngenerations: [{id: " + evil + "}]\n");
  Write("cases.yaml", "policy: " + evil + "\ncases:\n- {name: " + evil +
                          ", expect: warn, manifest: " + evil + "}\n");
  Write("texts.yaml", "cases:\n- {name: " + evil + ", expect: allow, text: '" + kDeniedPod +
                          "'}\n- {name: b, expect: " + "allow, text: " + evil + "}\n");
  Write("project.yaml", "fail-on: " + evil + "\nbaseline: " + evil + "\n" + evil + ": 1\n");
  const std::string name = kEvilName;
  const std::vector<std::vector<std::string>> commands = {
      {"check", "."},
      {"check", "--fix", "."},
      {"check", "--output=github", "b.yaml", "none" + name},
      {"check", "--fail-if-nothing-found", name},
      {"check", "--policy=policy.yaml", "a.yaml"},
      {"check", "--policy=" + name + "-policy.yaml", "a.yaml"},
      {"check", "--policy=" + name, "a.yaml"},
      {"check", "--catalog=catalog.yaml", "a.yaml"},
      {"check", "--catalog=" + name, "a.yaml"},
      {"check", "--baseline=" + name, "a.yaml"},
      {"check", "--baseline=" + name + "/x", "--write-baseline", "a.yaml"},
      {"check", "--baseline=" + name + ".yaml", "a.yaml"},
      {"check", "--project-file=project.yaml", "a.yaml"},
      {"check", "--project-file=" + name, "a.yaml"},
      {"check", "--" + name, "a.yaml"},
      {"check", "--fail-on=" + name, "a.yaml"},
      {"check", "--select=" + name, "a.yaml"},
      {"check", "--cluster-location=" + name, "a.yaml"},
      {"check", "--node-record=" + name, "a.yaml"},
      {name},
      {"help", name},
      {"explain", name},
      {"catalog", name},
      {"catalog", "--catalog=catalog.yaml"},
      {"plan", "--catalog=catalog.yaml", "--chips=4"},
      {"plan", "--chips=" + name},
      {"schema", name},
      {"completion", name},
      {"policy", "test", "cases.yaml"},
      {"policy", "test", "texts.yaml"},
      {"policy", "test", name},
      {"policy", "test", name + ".yaml"},
      {"policy", "test", "--policy=" + name, "texts.yaml"},
      {"lsp", "--catalog=" + name},
      {"scan", "--policy=" + name, "-"},
      {"serve", "--tls-cert=" + name, "--tls-key=" + name},
      {"serve", "--config=" + name},
      {"serve", "--config=policy.yaml"},
  };
  for (const auto& command : commands) {
    const Ended ended = Run(command);
    std::string what;
    for (const std::string& word : command) what += word + " ";
    const bool github = what.find("=github") != what.npos;
    if (!github) ExpectHarmless(ended.out, what);
    ExpectHarmless(ended.err, what);
    if (!github) continue;
    std::istringstream lines(ended.out);
    for (std::string line; std::getline(lines, line);) {
      const bool ours = line.starts_with("::error ") || line.starts_with("::warning ") ||
                        line.starts_with("0 TPU workloads checked");
      EXPECT_TRUE(ours && line.find_first_of("\r\x1b") == line.npos) << line;
    }
  }
}

TEST_F(HostileFiles, MachinesReadNothingRawEither) {
  const std::string name = "a##[error]b/##[add-mask]\x1b\a\u009B\u202Ex.yaml";
  Write(name, EvilPod());
  Write("b\xff.yaml", EvilPod());
  for (const char* format : {"json", "sarif", "gitlab", "github", "junit", "checkstyle"}) {
    const Ended ended = Run({"check", std::string("--output=") + format, "."});
    EXPECT_EQ(ended.exit_code, 1) << ended.err;
    ExpectNothingRaw(ended.out, format);
  }
  const auto json = nlohmann::json::parse(Run({"check", "--output=json", "."}).out);
  EXPECT_EQ(json["findings"][0]["file"], name) << "what is said stays";
}

TEST_F(HostileFiles, ADiffCommandsNothingAndIsStillAPatch) {
  const std::string lead = "# a\n# \xC2\xA0::error::x\n# ##[add-mask]b\n";
  Write("a.yaml", lead + kDeniedPod + "\n");
  Write("b.yaml", std::string(kDeniedPod) + "\n");
  const std::string plain = Run({"check", "--diff", "a.yaml", "b.yaml"}).out;
  EXPECT_THAT(plain, Not(HasSubstr("stop-commands")));
  const std::string in_actions =
      Run({"check", "--diff", "a.yaml", "b.yaml"}, "", {{"GITHUB_ACTIONS", "true"}}).out;
  ASSERT_TRUE(in_actions.starts_with("::stop-commands::tpu-admission-")) << in_actions;
  const std::string token = in_actions.substr(17, in_actions.find('\n') - 17);
  const std::string last = "::" + token + "::\n";
  const std::size_t end = in_actions.find(last);
  ASSERT_NE(end, in_actions.npos);
  const std::string rest = in_actions.substr(end + last.size());
  EXPECT_TRUE(rest.starts_with("--- a/b.yaml\n")) << "where there is no command, none is needed";
  EXPECT_EQ(in_actions.substr(18 + token.size(), end - 18 - token.size()) + rest, plain);
}

// The exit code of a shell's command, in which $T is the program.
int InShell(const std::string& folder, const std::string& command) {
  const std::string program = TPU_ADMISSION_BINARY_DIR "/tpu-admission";
  const std::string line = "cd '" + folder + "' && T='" + program + "' && " + command;
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(HostileFiles, AStandardStreamThatIsClosedIsNoOtherFile) {
  Write("a.yaml", kDeniedPod);
  const auto told = [&](const std::string& command) {
    const int code = InShell(root(), command + " 2>err");
    return std::to_string(code) + " " + ReadText(root() + "/err");
  };
  EXPECT_EQ(InShell(root(), "$T check - <&- >out"), 2) << "nothing was read";
  EXPECT_THAT(ReadText(root() + "/out"), HasSubstr("-: Bad file descriptor"));
  EXPECT_EQ(told("$T scan - <&-"),
            "2 tpu-admission: standard input: it cannot be read to its end\n");
  for (const char* command : {"scan - <.", "why pod/x --from - <&-", "why pod/x --from - <."}) {
    EXPECT_EQ(told(std::string("$T ") + command),
              "2 tpu-admission: standard input: it cannot be read to its end\n")
        << command;
  }
  EXPECT_EQ(told("$T why pod/x --from ."), "2 tpu-admission: .: is a folder, wanted a file\n");
  for (const char* command : {"check a.yaml", "check --output=sarif a.yaml", "check --diff a.yaml",
                              "plan --chips=4", "explain", "catalog", "help", "--help"}) {
    for (const char* nowhere : {" >&-", " >/dev/full"}) {
      EXPECT_EQ(told(std::string("$T ") + command + nowhere),
                "2 tpu-admission: the output cannot be written\n")
          << command << nowhere;
    }
  }
  EXPECT_EQ(InShell(root(), "$T check --fix a.yaml <&- >&- 2>&-"), 2);
  EXPECT_THAT(ReadText(root() + "/a.yaml"), Not(HasSubstr("checked")));
  EXPECT_EQ(InShell(root(), "$T check --baseline=b.yaml --write-baseline a.yaml <&- >&- 2>&-"), 2);
  EXPECT_TRUE(ReadText(root() + "/b.yaml").starts_with("# Written by")) << "and whole";
  EXPECT_THAT(ReadText(root() + "/b.yaml"), Not(HasSubstr("checked")));
}

TEST_F(HostileFiles, AFolderThatIsGoneEndsNothing) {
  Write("a.yaml", kDeniedPod);
  const std::string there = "mkdir gone && cd gone && rmdir ../gone && ";
  EXPECT_EQ(InShell(root(), there + "$T check . >/dev/null"), 2);
  EXPECT_EQ(InShell(root(), there + "$T check '" + root() + "/a.yaml' >/dev/null"), 1);
}

}  // namespace
}  // namespace tpu_admission::support::hostile_files_test
