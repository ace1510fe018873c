#include "tpu_admission/net/health.h"

#include <utility>

#include "net/http_server.h"
#include "net/response.h"

namespace tpu_admission::net {
namespace {

using std::chrono::seconds;

constexpr std::string_view kExposition = "text/plain; version=0.0.4; charset=utf-8";

ServerLimits HealthLimits() {
  constexpr seconds kDeadline{5};
  return {.body_bytes = 0,  // a body is refused as soon as its length is told
          .header_bytes = 8192,
          .connections = 64,
          .bytes_in_flight = 4u << 20,  // a scrape that is not read is refused before a probe waits
          .handshake = kDeadline,
          .header = kDeadline,
          .body = kDeadline,
          .write = kDeadline,
          .idle = 2 * kDeadline};
}

// So many pages of metrics a second, each of which costs a third of a millisecond: who asks for
// more keeps no probe waiting.
class ScrapeLimit {
 public:
  bool Take() {
    const auto now = std::chrono::steady_clock::now();
    if (now - since_ >= seconds(1)) {
      since_ = now;
      taken_ = 0;
    }
    return taken_++ < kMost;
  }

 private:
  static constexpr int kMost = 100;

  std::chrono::steady_clock::time_point since_ = {};
  int taken_ = 0;
};

class HealthHandler final : public RequestHandler {
 public:
  explicit HealthHandler(const HealthPages& pages) : pages_(pages) {}

  void Handle(const HttpRequest& request, HttpResponse& response) override {
    response.content_type = kPlainText;
    if (request.method != "GET" && request.method != "HEAD") {
      response.status = 405;
      response.allow = "GET, HEAD";
      response.body = "only GET and HEAD\n";
    } else if (request.path == "/livez") {
      Tell(pages_.not_live ? pages_.not_live() : std::nullopt, response);
    } else if (request.path == "/readyz") {
      Tell(pages_.not_ready(), response);
    } else if (request.path == "/metrics" && !scrapes_.Take()) {
      response.status = 503;
      response.retry_after = true;
      response.body = "metrics were asked for 100 times within a second, try again\n";
    } else if (request.path == "/metrics") {
      response.content_type = kExposition;
      response.body = pages_.metrics();
    } else {
      response.status = 404;
      response.body = "not found: here are /livez, /readyz and /metrics\n";
    }
  }

 private:
  static void Tell(const std::optional<std::string>& reason, HttpResponse& response) {
    if (reason) response.status = 503;
    response.body = reason.value_or("ok") + '\n';
  }

  const HealthPages& pages_;
  ScrapeLimit scrapes_;
};

// Probes and scrapes are not what the metrics of the admission port count.
class NoObserver final : public ServerObserver {
 public:
  void OnConnections(int) override {}
  void OnHandshake(HandshakeResult) override {}
  void OnRequestStarted() override {}
  void OnRequestFinished(unsigned) override {}
  void OnRefusal(Refusal) override {}
  void OnHandlerException(const char*) override {}
  void OnCertificateLoaded(Clock::Wall, const std::string&) override {}
  void OnCertificateError(const std::string&) override {}
};

}  // namespace

class HealthServer::Impl {
 public:
  Impl(std::string bind_address, std::uint16_t port, HealthPages pages)
      : pages_(std::move(pages)),
        server_(
            {.bind_address = std::move(bind_address),
             .port = port,
             .threads = 1,
             .limits = HealthLimits()},
            [this] { return std::make_unique<HealthHandler>(pages_); }, observer_, nullptr) {}

  Status Start() { return server_.Start(); }
  std::uint16_t port() const { return server_.port(); }

 private:
  const HealthPages pages_;
  NoObserver observer_;
  HttpServer server_;
};

HealthServer::HealthServer(std::string bind_address, std::uint16_t port, HealthPages pages)
    : impl_(std::make_unique<Impl>(std::move(bind_address), port, std::move(pages))) {}
HealthServer::~HealthServer() = default;

std::size_t HealthServer::MemoryBound() { return net::MemoryBound(HealthLimits(), 1); }

Status HealthServer::Start() { return impl_->Start(); }
std::uint16_t HealthServer::port() const { return impl_->port(); }

}  // namespace tpu_admission::net
