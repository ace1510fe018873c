// A listening port with its threads: what the HTTPS server and the health server have in common.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "net/listener.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/net/http.h"

namespace tpu_admission::net {

struct HttpServerOptions {
  std::string bind_address;
  std::uint16_t port = 0;
  int threads = 1;
  ServerLimits limits;
};

// Plain HTTP if `certificates` is null. All functions are called from one thread.
class HttpServer {
 public:
  HttpServer(HttpServerOptions options, HandlerFactory handlers,
             ServerObserver& observer TPU_ADMISSION_LIFETIME_BOUND,
             const CertificateWatcher* certificates TPU_ADMISSION_LIFETIME_BOUND);
  ~HttpServer();  // FinishDrain(0), and then waits for every thread

  Status Start();
  std::uint16_t port() const { return port_; }
  void BeginDrain();
  bool FinishDrain(std::chrono::milliseconds limit);  // as Server's
  std::optional<std::string> NotLive() const;         // any thread

 private:
  std::size_t threads() const;
  bool WaitForConnections(std::chrono::steady_clock::time_point until) const;

  const HttpServerOptions options_;
  const HandlerFactory handlers_;
  HttpServerState state_;
  Workers workers_;
  std::unique_ptr<Listener> listener_;
  std::uint16_t port_ = 0;
};

}  // namespace tpu_admission::net
