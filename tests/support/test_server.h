// A net::Server on a free loopback port, with a handler whose answers tell what it was given.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/certificate.h"
#include "support/http_client.h"
#include "support/recording_observer.h"
#include "tpu_admission/net/http.h"
#include "tpu_admission/net/server.h"

namespace tpu_admission::support {

// "/throw" throws, "/slow" takes 200 ms, "/big" answers 1 MiB; every other path is answered with
// "METHOD PATH BODY-SIZE TYPE".
class EchoHandler final : public net::RequestHandler {
 public:
  void Handle(const net::HttpRequest& request, net::HttpResponse& response) override {
    if (request.path == "/throw") throw std::logic_error("a bug");
    if (request.path == "/slow") std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (request.path == "/big") {
      response.body.assign(1u << 20, 'x');
      return;
    }
    response.content_type = "text/plain";
    response.body = std::string(request.method) + ' ' + std::string(request.path) + ' ' +
                    std::to_string(request.body.size()) + ' ' + std::string(request.content_type);
  }
};

inline net::ServerOptions LoopbackOptions(const net::TlsFiles& files) {
  net::ServerOptions options;
  options.bind_address = "127.0.0.1";
  options.port = 0;
  options.tls = files;
  return options;
}

// Started in the constructor; a failure is the test's.
class TestServer {
 public:
  explicit TestServer(const std::function<void(net::ServerOptions&)>& change = {})
      : secret(MakeCertificate()) {
    net::ServerOptions options = LoopbackOptions(secret.files());
    if (change) change(options);
    server = std::make_unique<net::Server>(
        options, [] { return std::make_unique<EchoHandler>(); }, observer);
    const Status started = server->Start();
    if (!started) ADD_FAILURE() << started.error().message;
  }

  HttpClient Connect(const TlsOffer& offer = {}) const {
    return HttpClient(server->port(), HttpClient::Transport::kTls, offer);
  }

  MountedSecret secret;
  RecordingObserver observer;  // outlives the server
  std::unique_ptr<net::Server> server;
};

// Whether `condition` becomes true within 10 s.
inline bool Eventually(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace tpu_admission::support
