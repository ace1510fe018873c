// Bytes in, one HTTP/1 request (or a refusal) out. No sockets, no clock: the session feeds it.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <optional>
#include <string_view>

#include "net/request_parser.h"
#include "tpu_admission/net/http.h"
#include "tpu_admission/net/server.h"

namespace tpu_admission::net {

// One per connection, one thread. A request after the other:
//   NextRequest(); while (Advance() wants more) { read into Prepare(), Commit() }
// Bytes of a pipelined next request stay in the buffer.
class RequestReader {
 public:
  enum class State {
    kIdle,           // no byte of the request has come
    kHeader,         // some have
    kWantsContinue,  // the header stands, the client waits for `100 Continue` before its body
    kBody,
    kComplete,  // request() is valid until NextRequest()
    kRefused,   // refusal() says why; nothing more can be read from this connection
  };
  // Why the transport itself answers, and then closes.
  struct Refusal {
    unsigned status;
    ServerObserver::Refusal reason;
    std::string_view text;
  };

  static const Refusal kOverBudget;

  RequestReader(const ServerLimits& limits TPU_ADMISSION_LIFETIME_BOUND,
                ByteBudget& budget TPU_ADMISSION_LIFETIME_BOUND);

  void NextRequest();
  State Advance();
  State state() const { return state_; }

  // The client took too long. With part of a request here that is a refusal (408), and true.
  bool TimeOut();

  boost::asio::mutable_buffer Prepare();
  void Commit(std::size_t bytes) { buffer_.commit(bytes); }

  HttpRequest request() const TPU_ADMISSION_LIFETIME_BOUND;
  // The request was answered: its body's share of the budget becomes the answer's, which holds
  // `bytes`. False at the cap on bytes in flight.
  bool ExchangeBodyFor(std::size_t bytes);
  // The peer has had a good answer.
  void Prove() { lease_.Prove(); }
  bool keep_alive() const { return keep_alive_; }
  bool is_head() const { return request_.method == "HEAD"; }
  const Refusal& refusal() const TPU_ADMISSION_LIFETIME_BOUND { return refusal_; }

 private:
  void AdvanceHeader();
  void AdvanceBody();
  void EndOfHeader();
  void Refuse(const Refusal& refusal);
  void ReleaseBody();

  const ServerLimits& limits_;
  boost::beast::flat_buffer buffer_;
  ByteBudget::Lease lease_;
  ParsedRequest request_;
  std::optional<RequestParser> parser_;
  std::size_t header_bytes_ = 0;
  State state_ = State::kIdle;
  bool keep_alive_ = false;
  Refusal refusal_{};
};

}  // namespace tpu_admission::net
