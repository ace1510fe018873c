#include "tpu_admission/net/server.h"

#include <algorithm>
#include <condition_variable>
#include <stop_token>
#include <thread>
#include <utility>

#include "net/certificate_watcher.h"
#include "net/http_server.h"
#include "tpu_admission/base/thread_annotations.h"

namespace tpu_admission::net {

std::size_t MemoryBound(const ServerLimits& limits, int threads) {
  // TLS and its buffers, ours, and what is kept of a body and an answer. A body grows by copying.
  constexpr std::size_t kConnection = 125u << 10;
  return limits.connections * kConnection + limits.bytes_in_flight +
         static_cast<std::size_t>(std::max(1, threads)) * limits.body_bytes;
}

class Server::Impl {
 public:
  Impl(ServerOptions options, HandlerFactory handlers, ServerObserver& observer)
      : poll_(options.limits.certificate_poll),
        certificates_(std::move(options.tls), clock_, observer),
        server_({.bind_address = std::move(options.bind_address),
                 .port = options.port,
                 .threads = options.threads,
                 .limits = options.limits},
                std::move(handlers), observer, &certificates_) {}

  Status Start() {
    const CertificateWatcher::Look first = certificates_.Poll();
    if (first.outcome == CertificateWatcher::Outcome::kFailed) return Error{first.why};
    if (Status started = server_.Start(); !started) return started;
    poller_ = std::jthread([this](const std::stop_token& stop) { PollCertificates(stop); });
    return OkStatus();
  }

  std::uint16_t port() const { return server_.port(); }
  bool has_certificate() const { return certificates_.current() != nullptr; }
  void BeginDrain() { server_.BeginDrain(); }
  bool FinishDrain(std::chrono::milliseconds limit) { return server_.FinishDrain(limit); }
  std::optional<std::string> NotLive() const { return server_.NotLive(); }

 private:
  // On a thread of its own: reading files may block, and requests must not wait for it.
  void PollCertificates(const std::stop_token& stop) {
    Mutex mutex;
    std::condition_variable_any wake;
    MutexLock lock(mutex);
    while (!wake.wait_for(lock, stop, poll_, [&stop] { return stop.stop_requested(); })) {
      certificates_.Poll();
    }
  }

  const std::chrono::milliseconds poll_;
  const SystemClock clock_;
  CertificateWatcher certificates_;
  HttpServer server_;
  std::jthread poller_;
};

Server::Server(ServerOptions options, HandlerFactory handlers, ServerObserver& observer)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handlers), observer)) {}
Server::~Server() = default;

Status Server::Start() { return impl_->Start(); }
std::uint16_t Server::port() const { return impl_->port(); }
bool Server::has_certificate() const { return impl_->has_certificate(); }
void Server::BeginDrain() { impl_->BeginDrain(); }
bool Server::FinishDrain(std::chrono::milliseconds limit) { return impl_->FinishDrain(limit); }
std::optional<std::string> Server::NotLive() const { return impl_->NotLive(); }

}  // namespace tpu_admission::net
