// `tpu-admission lsp`: the language server over standard streams.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <iostream>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/lsp_projects.h"
#include "app/settings_loader.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/k8s/json.h"
#include "tpu_admission/offline/lsp.h"

namespace tpu_admission::app {
namespace {

using offline::LanguageServer;
using offline::MessageStream;

// So many messages are taken before diagnostics are told, even if more are waiting.
constexpr int kMostBeforePublish = 32;

bool InputWaits() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, 0) > 0;
}

// The bytes that are there, at least one; empty at the end of the input.
std::string_view ReadSome(std::vector<char>& buffer) {
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count > 0) return {buffer.data(), static_cast<std::size_t>(count)};
    if (count == 0 || errno != EINTR) return {};
  }
}

class Session {
 public:
  explicit Session(LanguageServer& server) : server_(server) {}

  // Until `exit`, the end of the input, or bytes that nobody could understand.
  int Run() {
    constexpr std::size_t kReadBytes = 64 << 10;
    std::vector<char> buffer(kReadBytes);
    while (!broken_ && !server_.ended()) {
      const std::string_view bytes = ReadSome(buffer);
      if (bytes.empty()) break;
      stream_.Add(bytes);
      TakeMessages();
      if (!InputWaits()) Publish();
      if (!std::cout.flush()) break;  // nobody reads us any more
    }
    Publish();  // what the last messages changed
    std::cout.flush();
    return server_.ended() ? server_.exit_code() : kFaultsFound;
  }

 private:
  void TakeMessages() {
    using Kind = MessageStream::Item::Kind;
    for (auto item = stream_.Next(); item.kind != Kind::kNone && !server_.ended();
         item = stream_.Next()) {
      if (item.kind == Kind::kMessage) {
        Take(item.body);
      } else if (item.kind == Kind::kTooLarge) {
        const std::string why = "the message has more than 32 MiB";
        Send(LanguageServer::Refusal(why));
        Miss(why);
      } else {
        Send(LanguageServer::ParseError("a message begins with Content-Length: BYTES"));
        broken_ = true;
      }
    }
  }

  void Take(std::string_view body) {
    const Result<k8s::JsonView> message = parser_.Parse(body);
    if (!message) {
      Send(LanguageServer::ParseError(message.error().message));
      return Miss(message.error().message);
    }
    for (const std::string& answer : server_.Handle(*message)) Send(answer);
    if (++taken_ >= kMostBeforePublish) Publish();
  }

  void Miss(const std::string& why) {
    for (const std::string& message : server_.Miss(why)) Send(message);
  }

  void Publish() {
    taken_ = 0;
    for (const std::string& message : server_.Publish()) Send(message);
  }

  static void Send(std::string_view message) { std::cout << MessageStream::Framed(message); }

  LanguageServer& server_;
  MessageStream stream_;
  // Every newline of a file is an escape, and editors may send half of what a person typed.
  k8s::JsonParser parser_{{.max_unescaped = MessageStream::kMaxBodyBytes, .lone_surrogates = true}};
  int taken_ = 0;
  bool broken_ = false;
};

}  // namespace

int Lsp(const LspOptions& options) {
  const DiskFiles disk;
  SettingsLoader loader(options.engine, disk);
  const auto settings = loader.Load();
  if (!settings) return CannotRun(settings.error());
  ShowWarnings(loader.warnings());
  const Day today = DayOf(SystemClock().Now());
  LspProjects projects(options, today, disk);
  LanguageServer server(*settings,
                        {.namespace_name = options.namespace_name, .today = today, .rules = {}},
                        [&projects](const std::string& uri) { return projects.TermsOf(uri); });
  return Session(server).Run();
}

}  // namespace tpu_admission::app
