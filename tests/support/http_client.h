// A blocking HTTP client for tests, over TLS or plain TCP: it sends exactly the bytes it is given,
// and reads answers strictly. Every wait is bounded.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tpu_admission::support {

struct HttpAnswer {
  unsigned status = 0;
  std::map<std::string, std::string> fields;  // names as sent
  std::string body;

  bool closes() const {
    const auto found = fields.find("Connection");
    return found != fields.end() && found->second == "close";
  }
};

struct TlsOffer {
  int min_version = TLS1_2_VERSION;
  int max_version = TLS1_3_VERSION;
  std::string alpn;         // wire format; empty: none
  std::string ciphers;      // of TLS 1.2; empty: OpenSSL's
  std::string groups = {};  // of key exchange; empty: OpenSSL's
};

struct FreeTls {
  void operator()(SSL* tls) const { SSL_free(tls); }
};

class HttpClient {
 public:
  enum class Transport { kPlain, kTls };

  // Connects to 127.0.0.1; connected() tells whether TCP and handshake worked.
  explicit HttpClient(std::uint16_t port, Transport transport = Transport::kTls,
                      const TlsOffer& offer = {});
  ~HttpClient() { Close(); }
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;

  bool connected() const { return connected_; }
  SSL* tls() const { return tls_.get(); }
  int fd() const { return fd_; }

  // False when the peer does not take the bytes.
  bool Send(std::string_view bytes);
  // The next answer; nullopt if the connection ends or 10 s pass before it is whole. `to_head`: the
  // answer to a HEAD has no body.
  std::optional<HttpAnswer> Receive(bool to_head = false);
  // Whether the peer ends the connection within `limit`; bytes that come before are dropped.
  bool IsClosed(std::chrono::milliseconds limit = std::chrono::seconds(10));

  std::optional<HttpAnswer> Exchange(std::string_view bytes) {
    return Send(bytes) ? Receive() : std::nullopt;
  }

  void Close();
  void Reset();  // closes with RST

 private:
  // At most a block more into received_: >0 bytes, 0 end, <0 timeout.
  int ReadMore(std::chrono::steady_clock::time_point until);
  bool WaitFor(short events, std::chrono::steady_clock::time_point until) const;
  bool Handshake(const TlsOffer& offer);

  int fd_ = -1;
  bool connected_ = false;
  std::unique_ptr<SSL, FreeTls> tls_;
  std::string received_;
};

// A POST with the fields an API server sends.
std::string Post(std::string_view path, std::string_view body, std::string_view more_fields = "");

}  // namespace tpu_admission::support
