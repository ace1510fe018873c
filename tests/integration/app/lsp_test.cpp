// `tpu-admission lsp` as a process: what comes over its standard streams.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "integration/app/program.h"
#include "support/temp_dir.h"

namespace tpu_admission::support::lsp_test {
namespace {

using ::testing::HasSubstr;

std::string Framed(const std::string& body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string Opened(const std::string& text) {
  const nlohmann::json open = {
      {"jsonrpc", "2.0"},
      {"method", "textDocument/didOpen"},
      {"params", {{"textDocument", {{"uri", "file:///a"}, {"version", 1}, {"text", text}}}}}};
  return Framed(open.dump());
}

const std::string kHello = Framed(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})");
const std::string kBye = Framed(R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})") +
                         Framed(R"({"jsonrpc":"2.0","method":"exit"})");

TEST(LspCommand, TellsFaultsAndEndsAsItIsTold) {
  const std::string text = ReadText(TPU_ADMISSION_SOURCE_DIR "/examples/wrong-job.yaml");
  const Ended ended = RunToEnd({"lsp"}, {}, kHello + Opened(text));
  EXPECT_EQ(ended.exit_code, 1) << "the input ended without exit";
  EXPECT_THAT(ended.out, HasSubstr("TPU401"));
  EXPECT_EQ(RunToEnd({"lsp", "--stdio"}, {}, kHello + kBye).exit_code, 0);
}

TEST(LspCommand, AnswersGarbageAndGoesOn) {
  const Ended ended = RunToEnd({"lsp"}, {}, Framed("{half") + Framed("\xFF") + kHello + kBye);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, HasSubstr("-32700"));
  EXPECT_THAT(ended.out, HasSubstr("capabilities"));
}

TEST(LspCommand, EndsWhereNothingCanBeUnderstood) {
  const Ended ended = RunToEnd({"lsp"}, {}, "GET / HTTP/1.1\r\n\r\n" + kHello + kBye);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("Content-Length: BYTES"));
}

TEST(LspCommand, PassesOverABodyThatIsTooLarge) {
  const std::string large(33 << 20, 'x');
  const Ended ended = RunToEnd({"lsp"}, {}, kHello + Framed(large) + kBye);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, HasSubstr("more than 32 MiB"));
}

TEST(LspCommand, AHugePromiseCostsNothing) {
  const Ended ended =
      RunToEnd({"lsp"}, {}, kHello + "Content-Length: 999999999999\r\n\r\n{\"jsonrpc\":");
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("more than 32 MiB"));
}

// Deep and many: the bounds of the parser hold for messages, too.
TEST(LspCommand, ADeepMessageIsRefused) {
  const std::string deep(1 << 20, '[');
  const Ended ended = RunToEnd({"lsp"}, {}, kHello + Framed(deep) + kBye);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, HasSubstr("-32700"));
}

TEST(LspCommand, ReadsALargeFileOfManyLines) {
  std::string text;
  while (text.size() < 4 << 20) text += "# a line\n";
  const Ended ended = RunToEnd({"lsp"}, {}, kHello + Opened(text + "a: [\n"));
  EXPECT_THAT(ended.out, HasSubstr("publishDiagnostics"));
  EXPECT_EQ(ended.out.find("error\":"), std::string::npos);
}

TEST(LspCommand, TakesHalfAPairOfSurrogates) {
  const std::string half = R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":)"
                           R"({"textDocument":{"uri":"file:///a","text":"# \ud83d\na: ["}}})";
  const Ended ended = RunToEnd({"lsp"}, {}, kHello + Framed(half));
  EXPECT_THAT(ended.out, HasSubstr("publishDiagnostics"));
  EXPECT_EQ(ended.out.find("-32700"), std::string::npos);
}

TEST(LspCommand, AMessageThatIsLostIsTold) {
  for (const std::string& lost : {std::string("{half"), std::string(33 << 20, 'x')}) {
    const Ended ended = RunToEnd({"lsp"}, {}, kHello + Opened("a: [\n") + Framed(lost));
    EXPECT_THAT(ended.out, HasSubstr("a message is lost: "));
  }
}

// The project file of a file's folder, or of one above it in the repository.
class LspProject : public InFolder {
 protected:
  // The codes of what is told last of a wrong Job that stands there, and all messages.
  struct Told {
    std::set<std::string> codes;
    std::string out;
  };
  Told Open(const std::string& name, std::vector<std::string> flags = {},
            const std::string& scheme = "file://") {
    flags.insert(flags.begin(), "lsp");
    const std::string text = ReadText(TPU_ADMISSION_SOURCE_DIR "/examples/wrong-job.yaml");
    const nlohmann::json open = {
        {"jsonrpc", "2.0"},
        {"method", "textDocument/didOpen"},
        {"params",
         {{"textDocument",
           {{"uri", scheme + root() + "/" + name}, {"version", 1}, {"text", text}}}}}};
    Told told{{}, RunToEnd(flags, {}, kHello + Framed(open.dump()), "/").out};
    const std::size_t at = told.out.rfind("{\"jsonrpc\"");
    const nlohmann::json last = nlohmann::json::parse(told.out.substr(at));
    for (const auto& each : last["params"]["diagnostics"]) {
      told.codes.insert(each.value("code", "-"));
    }
    return told;
  }
};

TEST_F(LspProject, IsThatOfCheckInTheFilesFolder) {
  using Codes = std::set<std::string>;
  const Codes all = {"TPU301", "TPU401"};
  Write("repo/.git/HEAD", "");
  Write("repo/.tpu-admission.yaml",
        "ignore: [TPU401]\nexclude: [gone, \"a b.yaml\"]\nfail-on: warn\n");
  EXPECT_EQ(Open("repo/a.yaml").codes, Codes{"TPU301"});
  EXPECT_EQ(Open("repo/sub/not-yet/a.yaml").codes, Codes{"TPU301"});
  EXPECT_EQ(Open("repo/gone/a.yaml").codes, Codes{}) << "excluded";
  EXPECT_EQ(Open("repo/a%20b.yaml").codes, Codes{}) << "excluded";
  EXPECT_EQ(Open("a.yaml").codes, all) << "beside the repository";
  EXPECT_EQ(Open("repo/a.yaml", {}, "untitled:").codes, all) << "no file";
  EXPECT_EQ(Open("repo/a.yaml", {"--no-project-file"}).codes, all);
  EXPECT_EQ(Open("a.yaml", {"--project-file", root() + "/repo/.tpu-admission.yaml"}).codes,
            Codes{"TPU301"});
}

TEST_F(LspProject, SaysByWhatPolicyAndAFlagBeatsIt) {
  Write("ops/policy.yaml", "rules: {TPU301: off}\n");
  Write("ops/other.yaml", "rules: {TPU401: off}\n");
  Write(".tpu-admission.yaml", "policy: ops/policy.yaml\nbaseline: not-yet.yaml\n");
  EXPECT_EQ(Open("a.yaml").codes, std::set<std::string>{"TPU401"});
  EXPECT_EQ(Open("a.yaml", {"--policy", root() + "/ops/other.yaml"}).codes,
            std::set<std::string>{"TPU301"});
}

TEST_F(LspProject, ThatCannotBeReadIsTold) {
  const std::set<std::string> all = {"TPU301", "TPU401"};
  for (const char* text : {"selekt: [TPU2]\n", "ignore: [TPU999x]\n", "policy: none.yaml\n", "["}) {
    Write(".tpu-admission.yaml", text);
    const Told told = Open("a.yaml");
    EXPECT_EQ(told.codes, all) << text;
    EXPECT_THAT(told.out, HasSubstr("judged by the flags alone")) << text;
  }
}

}  // namespace
}  // namespace tpu_admission::support::lsp_test
