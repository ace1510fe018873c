// One TLS connection to the API server, kept open from call to call.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "kube/name_resolver.h"
#include "kube/tls.h"
#include "tpu_admission/base/lifetime.h"

namespace tpu_admission::kube {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Request = beast::http::request<beast::http::string_body>;
using Response = beast::http::response<beast::http::string_body>;
using Deadline = std::chrono::steady_clock::time_point;

// Used by the thread that runs its io_context. After an error it is of no more use.
class ApiConnection {
 public:
  // To a server whose certificate must be for `certified`.
  ApiConnection(asio::io_context& context TPU_ADMISSION_LIFETIME_BOUND, ServerAddress certified,
                TlsContextPtr tls, std::size_t body_bytes);

  // "" or the reason why it did not work, without the address. Name resolution, TCP, handshake.
  asio::awaitable<std::string> Open(NameResolver& resolver, Deadline deadline);

  struct Exchanged {
    std::string error;  // "" if there is a response
    bool nothing_received = false;
    bool too_large = false;
    Response response;
  };
  asio::awaitable<Exchanged> Exchange(const Request& request, Deadline deadline);
  // The body of an answer 200 is handed over piece by piece, as it comes, and is not in `response`;
  // `take` ends it by false.
  using TakeBytes = std::function<bool(std::string_view bytes)>;
  asio::awaitable<Exchanged> Stream(const Request& request, Deadline deadline,
                                    const TakeBytes& take);

  bool reusable() const { return reusable_; }
  void Close();  // operations under way end with an error

 private:
  beast::tcp_stream& tcp() { return stream_.next_layer(); }

  const ServerAddress certified_;
  const TlsContextPtr tls_;
  const std::size_t body_bytes_;
  asio::ssl::stream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
  bool reusable_ = false;
};

}  // namespace tpu_admission::kube
