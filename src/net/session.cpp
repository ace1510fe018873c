#include "net/session.h"

#include <algorithm>
#include <array>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "net/report.h"
#include "net/request_reader.h"
#include "net/response.h"
#include "net/worker.h"

namespace tpu_admission::net {
namespace {

using TlsStream = asio::ssl::stream<Socket>;
using std::chrono::milliseconds;
using Time = Connection::Time;

// How long a closed connection is read on, so that the peer gets to read our last answer before an
// RST could overtake it.
constexpr milliseconds kLinger{1'000};

// Buffers of larger answers are not kept for the next.
constexpr std::size_t kKeptAnswerBytes = 16u << 10;

template <typename Stream>
class Session final : public Connection {
 public:
  Session(Worker& worker, Stream stream, ConnectionGate::Pass pass)
      : worker_(worker),
        state_(worker.state()),
        stream_(std::move(stream)),
        pass_(std::move(pass)),
        reader_(state_.limits, state_.bytes),
        place_(worker.connections().Add(*this, std::chrono::steady_clock::now())) {}
  ~Session() override { worker_.connections().Remove(place_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Awaitable<void> Run();

  void CheckDeadline(Time now) override;
  void EndIfIdle() override;
  void Evict() override;

 private:
  enum class Read { kRequest, kRefused, kQuiet, kGone };
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  Awaitable<bool> Handshake();
  Awaitable<Read> ReadRequest();
  Awaitable<bool> Write(std::string_view bytes);
  Awaitable<void> SayGoodbye();
  Awaitable<void> DiscardInput();

  void Wait();
  Time Arm(milliseconds limit);  // the time of now
  void Expire();
  void AnswerRequest();
  void AnswerRefusal(const RequestReader::Refusal& refusal);
  void AnswerText(unsigned status, std::string_view text);
  void Handle();
  void Serialize(bool omit_body);

  Socket& socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  Worker& worker_;
  HttpServerState& state_;
  Stream stream_;
  ConnectionGate::Pass pass_;
  RequestReader reader_;
  const ConnectionList::Handle place_;
  Time deadline_ = Time::max();
  bool expired_ = false;
  bool closing_ = false;  // the answer in out_ is the last
  HttpResponse response_;
  std::string out_;
};

template <typename Stream>
Awaitable<void> Session<Stream>::Run() {
  if (!co_await Handshake()) co_return;
  while (!closing_) {
    const Read read = co_await ReadRequest();
    if (read == Read::kGone) co_return;
    if (read == Read::kQuiet) break;
    if (read == Read::kRefused) {
      AnswerRefusal(reader_.refusal());
      if (!co_await Write(out_)) co_return;
    } else {
      state_.observer.OnRequestStarted();
      AnswerRequest();
      const bool written = co_await Write(out_);
      state_.observer.OnRequestFinished(response_.status);
      if (!written) co_return;
      reader_.NextRequest();
    }
  }
  co_await SayGoodbye();
}

template <typename Stream>
Awaitable<bool> Session<Stream>::Handshake() {
  if constexpr (kTls) {
    using Result = ServerObserver::HandshakeResult;
    ErrorCode error;
    Arm(state_.limits.handshake);
    co_await stream_.async_handshake(asio::ssl::stream_base::server, To(error));
    state_.observer.OnHandshake(!error     ? Result::kOk
                                : expired_ ? Result::kTimeout
                                           : Result::kFailed);
    co_return !error;
  }
  co_return true;
}

// Reads until the request is whole, refused, or given up.
template <typename Stream>
Awaitable<typename Session<Stream>::Read> Session<Stream>::ReadRequest() {
  using State = RequestReader::State;
  State waiting_in = State::kComplete;
  for (;;) {
    const State state = reader_.Advance();
    if (state == State::kComplete) co_return Read::kRequest;
    if (state == State::kRefused) co_return Read::kRefused;
    if (state == State::kWantsContinue) {
      if (!co_await Write(kContinue)) co_return Read::kGone;
      continue;
    }
    if (state != std::exchange(waiting_in, state)) Wait();
    ErrorCode error;
    const std::size_t bytes = co_await stream_.async_read_some(reader_.Prepare(), To(error));
    if (error && !expired_) co_return Read::kGone;
    // Also if the read was quicker than its cancelling: the deadline was for the whole stage.
    if (expired_ && reader_.TimeOut()) co_return Read::kRefused;
    if (error) co_return Read::kQuiet;
    reader_.Commit(bytes);
  }
}

template <typename Stream>
Awaitable<bool> Session<Stream>::Write(std::string_view bytes) {
  worker_.connections().MarkAnswering(place_, Arm(state_.limits.write));
  while (!bytes.empty()) {
    ErrorCode error;
    const std::size_t written =
        co_await stream_.async_write_some(asio::buffer(bytes.data(), bytes.size()), To(error));
    bytes.remove_prefix(written);
    if (error || (expired_ && !bytes.empty())) {
      if (expired_) state_.observer.OnRefusal(ServerObserver::Refusal::kTimeout);
      co_return false;
    }
  }
  co_return true;
}

// close_notify and FIN, then what the peer still sends is thrown away: closing a socket with unread
// bytes makes the kernel send RST, and the peer may lose the answer it has not read yet.
template <typename Stream>
Awaitable<void> Session<Stream>::SayGoodbye() {
  worker_.connections().MarkWaiting(place_, Arm(kLinger));
  ErrorCode error;
  if constexpr (kTls) {
    co_await stream_.async_shutdown(To(error));
    if (!error || expired_ || error == asio::error::eof ||
        error == asio::ssl::error::stream_truncated) {
      co_return;
    }
  }
  socket().shutdown(Socket::shutdown_send, error);
  if (!error) co_await DiscardInput();
}

template <typename Stream>
Awaitable<void> Session<Stream>::DiscardInput() {
  std::size_t bound = 2 * state_.limits.body_bytes;
  std::array<char, 4096> trash;
  ErrorCode error;
  while (!error && !expired_ && bound != 0) {
    bound -= std::min(bound, co_await socket().async_read_some(asio::buffer(trash), To(error)));
  }
}

// Before a read: sets the deadline of the stage. Who begins to dribble a header keeps no place by
// that; a body does for those who have proven themselves.
template <typename Stream>
void Session<Stream>::Wait() {
  using State = RequestReader::State;
  const State state = reader_.state();
  const ServerLimits& limits = state_.limits;
  const Time now = Arm(state == State::kIdle     ? limits.idle
                       : state == State::kHeader ? limits.header
                                                 : limits.body);
  ConnectionList& connections = worker_.connections();
  if (state == State::kIdle || (state == State::kBody && connections.IsProven(place_))) {
    connections.MarkWaiting(place_, now);
  }
}

template <typename Stream>
Time Session<Stream>::Arm(milliseconds limit) {
  const Time now = std::chrono::steady_clock::now();
  expired_ = false;
  deadline_ = now + limit;
  return now;
}

template <typename Stream>
void Session<Stream>::Expire() {
  expired_ = true;
  deadline_ = Time::max();
  ErrorCode ignored;
  socket().cancel(ignored);
}

template <typename Stream>
void Session<Stream>::CheckDeadline(Time now) {
  if (now >= deadline_) Expire();
}

template <typename Stream>
void Session<Stream>::EndIfIdle() {
  if (reader_.state() == RequestReader::State::kIdle) Expire();
}

template <typename Stream>
void Session<Stream>::Evict() {
  pass_.Return();
  ErrorCode ignored;
  socket().close(ignored);
}

template <typename Stream>
void Session<Stream>::AnswerRequest() {
  response_.status = 200;
  response_.content_type = "application/json";
  response_.allow = {};
  response_.retry_after = false;
  response_.body.clear();
  closing_ = !reader_.keep_alive() || state_.draining.load(std::memory_order_relaxed);
  Handle();
  if (response_.status == 200) {
    worker_.connections().Prove(place_);
    reader_.Prove();
  }
  Serialize(reader_.is_head());
  if (!reader_.ExchangeBodyFor(out_.capacity())) AnswerRefusal(RequestReader::kOverBudget);
}

// The one place where a handler's exception, which is a bug, is caught.
template <typename Stream>
void Session<Stream>::Handle() {
  try {
    worker_.handler().Handle(reader_.request(), response_);
  } catch (...) {
    ReportException(std::current_exception(), state_.observer);
    AnswerText(500, "internal error\n");
  }
}

template <typename Stream>
void Session<Stream>::AnswerRefusal(const RequestReader::Refusal& refusal) {
  state_.observer.OnRefusal(refusal.reason);
  AnswerText(refusal.status, refusal.text);
  response_.retry_after = refusal.status == 503;
  Serialize(reader_.is_head());
}

template <typename Stream>
void Session<Stream>::AnswerText(unsigned status, std::string_view text) {
  response_.status = status;
  response_.content_type = kPlainText;
  response_.allow = {};
  response_.retry_after = false;
  response_.body = text;
  closing_ = true;
}

template <typename Stream>
void Session<Stream>::Serialize(bool omit_body) {
  if (out_.capacity() > kKeptAnswerBytes) std::string().swap(out_);
  WriteResponse(response_, {.close = closing_, .omit_body = omit_body}, out_);
  if (response_.body.capacity() > kKeptAnswerBytes) std::string().swap(response_.body);
}

}  // namespace

Awaitable<void> ServeConnection(Worker& worker, Socket socket, ConnectionGate::Pass pass) {
  ErrorCode ignored;
  socket.set_option(Tcp::no_delay(true), ignored);
  HttpServerState& state = worker.state();
  if (state.certificates == nullptr) {
    Session<Socket> session(worker, std::move(socket), std::move(pass));
    co_await session.Run();
    co_return;
  }
  using Handshake = ServerObserver::HandshakeResult;
  const auto tls = state.certificates->current();
  SSL* const tls_session = tls ? tls->NewSession() : nullptr;
  if (tls_session == nullptr) {
    state.observer.OnHandshake(tls ? Handshake::kFailed : Handshake::kNoCertificate);
    co_return;
  }
  Session<TlsStream> session(worker, TlsStream(std::move(socket), tls_session), std::move(pass));
  co_await session.Run();
}

}  // namespace tpu_admission::net
