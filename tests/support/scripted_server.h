// A TLS server on 127.0.0.1 that answers exactly what a test tells it to, for tests of clients.
#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tpu_admission/pki/certificate.h"

namespace tpu_admission::support {

// What a client sent: the head as it came, and the body.
struct ScriptedRequest {
  std::string head;
  std::string body;
  bool Has(const std::string& line) const { return head.find(line + "\r\n") != std::string::npos; }
};

// Gives the bytes of the answer ("" to be silent), or nothing to close the connection. Called on
// the connection's thread.
using Script = std::function<std::optional<std::string>(const ScriptedRequest&)>;

class ScriptedServer {
 public:
  ScriptedServer(const pki::KeyPair& pair, Script script, int newest_tls = TLS1_3_VERSION,
                 std::uint16_t port = 0);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& host = "127.0.0.1") const {
    return "https://" + host + ":" + std::to_string(port_);
  }
  std::vector<ScriptedRequest> requests() const;
  int connections() const { return connections_; }
  std::string sni() const;  // of the last connection
  void CloseConnections();

 private:
  void Accept();
  void Serve(int fd);
  std::optional<ScriptedRequest> Read(SSL* tls, std::string& received) const;

  const Script script_;
  SSL_CTX* context_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  std::vector<ScriptedRequest> requests_;  // mutex_
  std::string sni_;                        // mutex_
  std::vector<int> open_;                  // mutex_
  std::list<std::thread> threads_;         // of the accepting thread until it is joined
  std::thread acceptor_;
};

// "HTTP/1.1 200 OK" with a JSON body; `fields` are whole lines.
std::string HttpOk(const std::string& body, const std::string& fields = "");
std::string HttpStatus(int status, const std::string& body, const std::string& fields = "");

}  // namespace tpu_admission::support
