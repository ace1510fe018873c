// `tpu-admission lsp` as a process: what comes over its standard streams.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "integration/app/program.h"

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
  std::ifstream file(TPU_ADMISSION_SOURCE_DIR "/examples/wrong-job.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
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

}  // namespace
}  // namespace tpu_admission::support::lsp_test
