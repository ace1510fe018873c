#include "net/endpoint.h"

#include <algorithm>
#include <utility>

namespace tpu_admission::net {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

// What an idle connection may still bring after the port is closed: a request that was on its way.
constexpr milliseconds kQuietGrace{500};

}  // namespace

Endpoint::Endpoint(EndpointOptions options, HandlerFactory handlers, ServerObserver& observer,
                   const CertificateWatcher* certificates)
    : options_(std::move(options)),
      handlers_(std::move(handlers)),
      state_(options_.limits, observer, certificates) {}

Endpoint::~Endpoint() { FinishDrain(milliseconds(0)); }

Status Endpoint::Start() {
  for (int thread = 0; thread < std::max(1, options_.threads); ++thread) {
    workers_.push_back(std::make_unique<Worker>(state_, handlers_()));
  }
  listener_ = std::make_unique<Listener>(state_, workers_);
  if (Status open = listener_->Open(options_.bind_address, options_.port); !open) return open;
  port_ = listener_->port();
  for (const auto& worker : workers_) worker->Start();
  listener_->Start();
  return OkStatus();
}

void Endpoint::BeginDrain() { state_.draining.store(true, std::memory_order_relaxed); }

void Endpoint::FinishDrain(milliseconds limit) {
  if (workers_.empty()) return;
  BeginDrain();
  const auto end = SteadyClock::now() + limit;
  listener_->Stop();
  if (!WaitForConnections(std::min(end, SteadyClock::now() + kQuietGrace))) {
    for (const auto& worker : workers_) worker->EndIdleConnections();
    WaitForConnections(end);
  }
  listener_.reset();
  for (const auto& worker : workers_) worker->Finish();
  workers_.clear();
}

// True when the last connection is gone.
bool Endpoint::WaitForConnections(SteadyClock::time_point until) const {
  while (state_.gate.count() != 0) {
    if (SteadyClock::now() >= until) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

}  // namespace tpu_admission::net
