#include "kube/api_connection.h"

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <optional>
#include <utility>

namespace tpu_admission::kube {
namespace {

namespace http = beast::http;
using ErrorCode = boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr std::uint32_t kMaxHeaderBytes = 16u << 10;
constexpr int kMostInterim = 8;

auto To(ErrorCode& error) { return asio::redirect_error(asio::use_awaitable, error); }

// 101 is the end of what is HTTP.
bool IsInterim(unsigned status) { return status / 100 == 1 && status != 101; }

// The head of the answer: a server may send some of 1xx before it, unasked (RFC 9110, 15.2). What
// comes after so many of them is one too. Says how many came before.
template <typename Stream, typename Body>
asio::awaitable<int> ReadHead(Stream& stream, beast::flat_buffer& buffer,
                              std::optional<http::response_parser<Body>>& parser,
                              std::size_t body_bytes, ErrorCode& error) {
  for (int interim = 0;; ++interim) {
    parser.emplace();
    parser->body_limit(body_bytes);
    parser->header_limit(kMaxHeaderBytes);
    co_await http::async_read_header(stream, buffer, *parser, To(error));
    const bool goes_on = !error && IsInterim(parser->get().result_int());
    if (!goes_on || interim == kMostInterim) co_return interim;
  }
}

std::string Reason(const char* doing, const ErrorCode& error) {
  const bool late = error == beast::error::timeout;
  return std::string(doing) + ": " + (late ? "no answer within the deadline" : error.message());
}

}  // namespace

ApiConnection::ApiConnection(asio::io_context& context, ServerAddress certified, TlsContextPtr tls,
                             std::size_t body_bytes)
    : certified_(std::move(certified)),
      tls_(std::move(tls)),
      body_bytes_(body_bytes),
      stream_(context, *tls_) {}

asio::awaitable<std::string> ApiConnection::Open(NameResolver& resolver, Deadline deadline) {
  ErrorCode error;
  if (Status status = Expect(stream_.native_handle(), certified_); !status) {
    co_return status.error().message;
  }
  const NameResolver::Results found = co_await resolver.Resolve(deadline, error);
  if (error) co_return Reason("cannot resolve its name", error);

  tcp().expires_at(deadline);
  co_await tcp().async_connect(found, To(error));
  if (error) co_return Reason("cannot connect", error);
  tcp().socket().set_option(Tcp::no_delay(true), error);
  co_await stream_.async_handshake(asio::ssl::stream_base::client, To(error));
  if (error) {
    co_return HandshakeError(stream_.native_handle(), Reason("TLS handshake failed", error));
  }
  reusable_ = true;
  co_return "";
}

asio::awaitable<ApiConnection::Exchanged> ApiConnection::Exchange(const Request& request,
                                                                  Deadline deadline) {
  ErrorCode error;
  Exchanged exchanged;
  reusable_ = false;
  tcp().expires_at(deadline);
  co_await http::async_write(stream_, request, To(error));
  if (error) {
    exchanged.error = Reason("cannot send", error);
    exchanged.nothing_received = true;
    co_return exchanged;
  }
  std::optional<http::response_parser<http::string_body>> parser;
  const int interim = co_await ReadHead(stream_, buffer_, parser, body_bytes_, error);
  if (!error) co_await http::async_read(stream_, buffer_, *parser, To(error));
  if (error) {
    exchanged.error = Reason("no whole answer", error);
    exchanged.nothing_received =
        interim == 0 && !parser->got_some() && error != beast::error::timeout;
    exchanged.too_large = error == http::error::body_limit || error == http::error::header_limit;
    co_return exchanged;
  }
  exchanged.response = parser->release();
  // What follows, as after an answer of 1xx, would be taken for that to the next request.
  const bool is_last = exchanged.response.result_int() / 100 != 1 && buffer_.size() == 0;
  reusable_ = exchanged.response.keep_alive() && is_last;
  co_return exchanged;
}

asio::awaitable<ApiConnection::Exchanged> ApiConnection::Stream(const Request& request,
                                                                Deadline deadline,
                                                                const TakeBytes& take) {
  ErrorCode error;
  Exchanged exchanged;
  reusable_ = false;
  tcp().expires_at(deadline);
  co_await http::async_write(stream_, request, To(error));
  std::optional<http::response_parser<http::buffer_body>> head;
  if (!error) co_await ReadHead(stream_, buffer_, head, body_bytes_, error);
  if (error) {
    exchanged.error = Reason("no answer", error);
    co_return exchanged;
  }
  auto& parser = *head;
  if (parser.get().result() != http::status::ok) {
    http::response_parser<http::string_body> whole(std::move(parser));
    whole.body_limit(body_bytes_);
    co_await http::async_read(stream_, buffer_, whole, To(error));
    if (error) exchanged.error = Reason("no whole answer", error);
    exchanged.response = whole.release();
    co_return exchanged;
  }
  parser.body_limit(boost::none);
  exchanged.response = Response(parser.get().base());
  std::array<char, 16u << 10> block;
  for (bool more = true; more && !parser.is_done();) {
    parser.get().body().data = block.data();
    parser.get().body().size = block.size();
    co_await http::async_read_some(stream_, buffer_, parser, To(error));
    if (error && error != http::error::need_buffer) {
      exchanged.error = Reason("the stream broke off", error);
      co_return exchanged;
    }
    more = take({block.data(), block.size() - parser.get().body().size});
  }
  co_return exchanged;
}

void ApiConnection::Close() {
  reusable_ = false;
  tcp().close();
}

}  // namespace tpu_admission::kube
