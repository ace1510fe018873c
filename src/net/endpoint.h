// A listening port with its threads: what the HTTPS server and the health server have in common.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "net/listener.h"
#include "tpu_admission/net/http.h"

namespace tpu_admission::net {

struct EndpointOptions {
  std::string bind_address;
  std::uint16_t port = 0;
  int threads = 1;
  ServerLimits limits;
};

// Plain HTTP if `certificates` is null. All functions are called from one thread.
class Endpoint {
 public:
  Endpoint(EndpointOptions options, HandlerFactory handlers, ServerObserver& observer,
           const CertificateWatcher* certificates);
  ~Endpoint();  // FinishDrain(0)

  Status Start();
  std::uint16_t port() const { return port_; }
  void BeginDrain();
  void FinishDrain(std::chrono::milliseconds limit);

 private:
  bool WaitForConnections(std::chrono::steady_clock::time_point until) const;

  const EndpointOptions options_;
  const HandlerFactory handlers_;
  EndpointState state_;
  Workers workers_;
  std::unique_ptr<Listener> listener_;
  std::uint16_t port_ = 0;
};

}  // namespace tpu_admission::net
