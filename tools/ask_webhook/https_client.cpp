#include "ask_webhook/https_client.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace tpu_admission::tools {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

std::string Exchange(const HttpsTarget& target, const std::string& path, const std::string& body) {
  asio::io_context io;
  asio::ssl::context tls(asio::ssl::context::tls_client);
  tls.load_verify_file(target.ca_file);
  asio::ssl::stream<asio::ip::tcp::socket> stream(io, tls);
  stream.set_verify_mode(asio::ssl::verify_peer);
  stream.set_verify_callback(asio::ssl::host_name_verification(target.server_name));
  SSL_set_tlsext_host_name(stream.native_handle(), target.server_name.c_str());
  stream.next_layer().connect({asio::ip::make_address(target.host), target.port});
  stream.handshake(asio::ssl::stream_base::client);

  http::request<http::string_body> request(http::verb::post, path + "?timeout=3s", 11);
  request.set(http::field::host, target.server_name + ":443");
  request.set(http::field::user_agent, "ask-webhook");
  request.set(http::field::content_type, "application/json");
  request.body() = body;
  request.prepare_payload();
  http::write(stream, request);

  boost::beast::flat_buffer buffer;
  http::response<http::string_body> response;
  http::read(stream, buffer, response);
  if (response.result() == http::status::ok) return response.body();
  throw std::runtime_error("HTTP " + std::to_string(response.result_int()) + ": " +
                           response.body());
}

}  // namespace

Result<std::string> PostJson(const HttpsTarget& target, const std::string& path,
                             const std::string& body) {
  try {
    return Exchange(target, path, body);
  } catch (const std::exception& error) {  // Asio's way to say that a connection failed
    return Error{"POST " + path + ": " + error.what()};
  }
}

}  // namespace tpu_admission::tools
