#include "net/http_server.h"

#include <algorithm>
#include <utility>

namespace tpu_admission::net {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

// What an idle connection may still bring after the port is closed: a request that was on its way.
constexpr milliseconds kQuietGrace{500};

// A thread that does not end within this time of being told to is in a handler that hangs.
constexpr milliseconds kHangs{1'000};

}  // namespace

HttpServer::HttpServer(HttpServerOptions options, HandlerFactory handlers, ServerObserver& observer,
                       const CertificateWatcher* certificates)
    : options_(std::move(options)),
      handlers_(std::move(handlers)),
      state_(options_.limits, threads(), observer, certificates) {}

HttpServer::~HttpServer() {
  while (!FinishDrain(milliseconds(0))) continue;
}

std::size_t HttpServer::threads() const {
  return static_cast<std::size_t>(std::max(1, options_.threads));
}

Status HttpServer::Start() {
  for (std::size_t thread = 0; thread < threads(); ++thread) {
    workers_.push_back(std::make_unique<Worker>(state_, thread, handlers_()));
  }
  listener_ = std::make_unique<Listener>(state_, workers_);
  if (Status open = listener_->Open(options_.bind_address, options_.port); !open) return open;
  port_ = listener_->port();
  for (const auto& worker : workers_) worker->Start();
  listener_->Start();
  return OkStatus();
}

std::optional<std::string> HttpServer::NotLive() const {
  const auto stall = state_.heartbeats.LongestStall(SteadyClock::now());
  if (stall < options_.limits.stall) return std::nullopt;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(stall).count();
  return "a thread has not moved for " + std::to_string(seconds) + " s";
}

void HttpServer::BeginDrain() { state_.draining.store(true, std::memory_order_relaxed); }

bool HttpServer::FinishDrain(milliseconds limit) {
  if (workers_.empty()) return true;
  BeginDrain();
  const auto end = SteadyClock::now() + limit;
  listener_->Stop(std::max(end, SteadyClock::now() + kHangs));
  if (!WaitForConnections(std::min(end, SteadyClock::now() + kQuietGrace))) {
    for (const auto& worker : workers_) worker->EndIdleConnections();
    WaitForConnections(end);
  }
  for (const auto& worker : workers_) worker->BeginFinish();
  const auto until = SteadyClock::now() + kHangs;
  const bool finished = std::all_of(workers_.begin(), workers_.end(), [&](const auto& worker) {
    return worker->HasFinishedBy(until);
  });
  if (!finished) return false;
  listener_.reset();
  workers_.clear();
  return true;
}

// True when the last connection is gone.
bool HttpServer::WaitForConnections(SteadyClock::time_point until) const {
  while (state_.gate.count() != 0) {
    if (SteadyClock::now() >= until) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

}  // namespace tpu_admission::net
