#include "tpu_admission/net/server.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "net/certificate_watcher.h"
#include "net/endpoint.h"

namespace tpu_admission::net {

class Server::Impl {
 public:
  Impl(ServerOptions options, HandlerFactory handlers, ServerObserver& observer)
      : poll_(options.limits.certificate_poll),
        certificates_(std::move(options.tls), observer),
        endpoint_({.bind_address = std::move(options.bind_address),
                   .port = options.port,
                   .threads = options.threads,
                   .limits = options.limits},
                  std::move(handlers), observer, &certificates_) {}

  Status Start() {
    const CertificateWatcher::Look first = certificates_.Poll();
    if (first.outcome == CertificateWatcher::Outcome::kFailed) return Error{first.why};
    if (Status started = endpoint_.Start(); !started) return started;
    poller_ = std::jthread([this](const std::stop_token& stop) { PollCertificates(stop); });
    return OkStatus();
  }

  std::uint16_t port() const { return endpoint_.port(); }
  bool has_certificate() const { return certificates_.current() != nullptr; }
  void BeginDrain() { endpoint_.BeginDrain(); }
  void FinishDrain(std::chrono::milliseconds limit) { endpoint_.FinishDrain(limit); }

 private:
  // On a thread of its own: reading files may block, and requests must not wait for it.
  void PollCertificates(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, stop, poll_, [&stop] { return stop.stop_requested(); })) {
      certificates_.Poll();
    }
  }

  const std::chrono::milliseconds poll_;
  CertificateWatcher certificates_;
  Endpoint endpoint_;
  std::jthread poller_;
};

Server::Server(ServerOptions options, HandlerFactory handlers, ServerObserver& observer)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handlers), observer)) {}
Server::~Server() = default;

Status Server::Start() { return impl_->Start(); }
std::uint16_t Server::port() const { return impl_->port(); }
bool Server::has_certificate() const { return impl_->has_certificate(); }
void Server::BeginDrain() { impl_->BeginDrain(); }
void Server::FinishDrain(std::chrono::milliseconds limit) { impl_->FinishDrain(limit); }

}  // namespace tpu_admission::net
