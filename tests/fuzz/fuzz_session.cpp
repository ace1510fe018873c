// One connection from accept to goodbye: the session's coroutine on a pair of sockets, while the
// peer sends, reads, leaves, and while deadlines strike, the server drains, and room is made for
// others. Whatever happens, it ends, gives back what it held, and what the peer got were whole
// answers.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/query.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "fuzz/chunk_extension.h"
#include "fuzz/require.h"
#include "net/worker.h"

namespace {

using namespace tpu_admission::net;
using tpu_admission::fuzz::TakeByte;

constexpr ServerLimits kLimits{
    .body_bytes = 20'000, .header_bytes = 1000, .bytes_in_flight = 60'000};
constexpr std::size_t kLargeAnswer = 50'000;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

struct Counter final : ServerObserver {
  void OnConnections(int delta) override { connections += delta; }
  void OnHandshake(HandshakeResult) override {}
  void OnRefusal(Refusal) override { ++refusals; }
  void OnRequestStarted() override { ++started; }
  void OnRequestFinished(unsigned status) override {
    REQUIRE(status >= 200 && status < 600);
    ++finished;
  }
  void OnHandlerException(const char*) override { ++exceptions; }
  void OnCertificateLoaded(tpu_admission::Clock::Wall, const std::string&) override {}
  void OnCertificateError(const std::string&) override {}

  int connections = 0;
  int refusals = 0;
  int started = 0;
  int finished = 0;
  int exceptions = 0;
};

class Echo final : public RequestHandler {
 public:
  explicit Echo(int& thrown) : thrown_(thrown) {}

  void Handle(const HttpRequest& request, HttpResponse& response) override {
    REQUIRE(request.body.size() <= kLimits.body_bytes);
    if (request.path == "/throw") {
      ++thrown_;
      throw std::runtime_error("a bug");
    }
    if (request.path == "/large") {
      response.body.assign(kLargeAnswer, 'x');
    } else {
      response.body.append(request.method).append(request.path).append(request.body);
    }
    if (request.method != "POST") response.status = 405;
  }

 private:
  int& thrown_;
};

// What a peer has read, which must be whole answers but for the last, which may have been cut off.
void CheckAnswers(std::string_view text, bool may_be_cut) {
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  while (!text.empty()) {
    if (text.starts_with(kContinue)) {
      text.remove_prefix(kContinue.size());
      continue;
    }
    const std::size_t end = text.find("\r\n\r\n");
    if (may_be_cut && end == text.npos) return;
    REQUIRE(text.starts_with("HTTP/1.1 ") && end != text.npos);
    const std::size_t length = text.find(kLength);
    REQUIRE(length < end);
    const std::size_t bytes = std::stoul(std::string(text.substr(length + kLength.size(), 20)));
    text.remove_prefix(end + 4);
    // The answer to HEAD tells the length of what it leaves out.
    if (text.empty() || text.starts_with("HTTP/1.1 ")) continue;
    if (may_be_cut && text.size() < bytes) return;
    REQUIRE(text.size() >= bytes);
    text.remove_prefix(bytes);
  }
}

class Conversation {
 public:
  Conversation() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
    constexpr int kSmall = 4096;  // so that answers wait for their reader
    ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &kSmall, sizeof kSmall);
    peer_ = ends[1];
    Socket socket(worker_.executor());
    socket.assign(Tcp::v4(), ends[0]);
    worker_.Adopt(std::move(socket), ConnectionGate::Pass(state_.gate));
    Poll();
  }

  // Ends as the worker does, if the peer's leaving has not ended it.
  ~Conversation() {
    ::close(peer_);
    Poll();
    for (int stage = 0; stage < 3 && counter_.connections != 0; ++stage) Expire();
    REQUIRE(counter_.connections == 0);
    REQUIRE(state_.gate.count() == 0 && state_.bytes.used() == 0);
    REQUIRE(counter_.started == counter_.finished);
    REQUIRE(counter_.exceptions == thrown_);
    CheckAnswers(read_, may_be_cut_);
    worker_.BeginFinish();
    Poll();
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(peer_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return Poll();  // nobody reads it
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      Poll();
    }
  }

  void ReadAll() {
    std::array<char, 8192> block;
    for (;;) {
      const ssize_t bytes = ::recv(peer_, block.data(), block.size(), 0);
      if (bytes <= 0) return;
      read_.append(block.data(), static_cast<std::size_t>(bytes));
      Poll();
    }
  }

  void StopSending() {
    ::shutdown(peer_, SHUT_WR);
    Poll();
  }

  void Expire() {
    may_be_cut_ = true;
    const auto late = std::chrono::steady_clock::now() + std::chrono::hours(1);
    worker_.connections().ForEach(
        [late](Connection& connection) { connection.CheckDeadline(late); });
    Poll();
  }

  void Drain() {
    state_.draining = true;
    worker_.EndIdleConnections();
    Poll();
  }

  void MakeRoom() {
    may_be_cut_ = true;
    const auto later = std::chrono::steady_clock::now() + ConnectionList::kAnswerGrace;
    if (!worker_.connections().EvictNewcomer(later)) worker_.connections().EvictProven(later);
    REQUIRE(state_.gate.count() == 0);
    Poll();
  }

  const std::string& read() const { return read_; }
  bool ended() const { return counter_.connections == 0; }

 private:
  void Poll() {
    auto& context = asio::query(worker_.executor(), asio::execution::context);
    context.restart();
    context.poll();
  }

  Counter counter_;
  int thrown_ = 0;
  HttpServerState state_{kLimits, 1, counter_, nullptr};
  Worker worker_{state_, 0, std::make_unique<Echo>(thrown_)};
  int peer_ = -1;
  std::string read_;
  bool may_be_cut_ = false;
};

// What comes out of `bytes`, in pieces, of which a long text has larger ones: a system call takes
// longer than the server does for a byte. Who sends all at once is not told to go on.
std::string Answers(std::string_view bytes, std::size_t piece) {
  constexpr std::size_t kMostPieces = 64;
  piece = std::max(piece, bytes.size() / kMostPieces);
  Conversation talk;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    talk.Send(bytes.substr(0, piece));
    talk.ReadAll();
  }
  std::string answers = talk.read();
  for (std::size_t at; (at = answers.find(kContinue)) != answers.npos;) {
    answers.erase(at, kContinue.size());
  }
  return answers;
}

// The answers, with nothing of a refusal but that there is one: of a header that is too long and
// malformed too, what comes first decides which of the two is told.
std::string Outcome(std::string answers) {
  constexpr std::string_view kRefusal = "HTTP/1.1 4";
  const std::size_t last = answers.rfind(kRefusal);
  const std::string_view status = std::string_view(answers).substr(std::min(last, answers.size()));
  if (status.starts_with("HTTP/1.1 400") || status.starts_with("HTTP/1.1 431")) {
    answers.resize(last + kRefusal.size());
  }
  return answers;
}

// Pieces of a length each, and between them what the world does.
void Play(std::string_view script) {
  Conversation talk;
  while (!script.empty()) {
    const unsigned step = TakeByte(script);
    const std::size_t length = std::min<std::size_t>(script.size(), step * 4);
    switch (step) {
      case 0:
        talk.ReadAll();
        break;
      case 1:
        talk.Expire();
        break;
      case 2:
        talk.Drain();
        break;
      case 3:
        talk.MakeRoom();
        break;
      case 4:
        talk.StopSending();
        break;
      default:
        talk.Send(script.substr(0, length));
        script.remove_prefix(length);
    }
  }
  talk.ReadAll();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input = tpu_admission::fuzz::Text(data, size);
  const unsigned piece = TakeByte(input);
  if (piece == 0) {
    Play(input);
  } else {
    // The end of a header, so that what is wrong with an unfinished one comes to light in both.
    const std::string bytes = std::string(input) + "\r\n\r\n";
    REQUIRE(Outcome(Answers(bytes, piece)) == Outcome(Answers(bytes, bytes.size())) ||
            tpu_admission::fuzz::MayHaveQuotedExtension(bytes));
  }
  return 0;
}
