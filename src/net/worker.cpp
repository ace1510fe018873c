#include "net/worker.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "net/session.h"

namespace tpu_admission::net {
namespace {

using std::chrono::milliseconds;

// One timer a thread looks at all deadlines; a timer for each request would cost 0.4 us of its
// 10 us. So a deadline strikes late by at most an eighth of the shortest one, or 250 ms.
milliseconds TickOf(const ServerLimits& limits) {
  const milliseconds shortest =
      std::min({limits.handshake, limits.header, limits.body, limits.write, limits.idle});
  return std::clamp(shortest / 8, milliseconds(5), milliseconds(250));
}

}  // namespace

Worker::Worker(EndpointState& state, std::unique_ptr<RequestHandler> handler)
    : state_(state), handler_(std::move(handler)) {}

Worker::~Worker() { Finish(); }

void Worker::Start() {
  asio::co_spawn(executor(), WatchDeadlines(), asio::detached);
  thread_ = std::thread([this] { context_.run(); });
}

void Worker::Adopt(Socket socket, ConnectionGate::Pass pass) {
  asio::co_spawn(executor(), ServeConnection(*this, std::move(socket), std::move(pass)),
                 asio::detached);
}

void Worker::EndIdleConnections() {
  asio::post(context_, [this] {
    connections_.ForEach([](Connection& connection) { connection.EndIfIdle(); });
  });
}

void Worker::CloseConnections() {
  asio::post(context_,
             [this] { connections_.ForEach([](Connection& connection) { connection.Evict(); }); });
}

void Worker::Finish() {
  if (!thread_.joinable()) return;
  CloseConnections();
  asio::post(context_, [this] {
    finishing_ = true;
    timer_.cancel();
    work_.reset();
  });
  thread_.join();
}

Awaitable<void> Worker::WatchDeadlines() {
  const milliseconds tick = TickOf(state_.limits);
  while (!finishing_) {
    ErrorCode cancelled;
    timer_.expires_after(tick);
    co_await timer_.async_wait(To(cancelled));
    const auto now = std::chrono::steady_clock::now();
    connections_.ForEach([now](Connection& connection) { connection.CheckDeadline(now); });
  }
}

}  // namespace tpu_admission::net
