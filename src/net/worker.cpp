#include "net/worker.h"

#include <malloc.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

#include "net/report.h"
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

// After a crowd the heap is full of holes, of a hundred MiB after a flood of handshakes: it goes
// back once the crowd is gone. That takes some milliseconds, which each tick would not be worth.
class CrowdMemory {
 public:
  void Look(std::size_t connections) {
    if (connections >= kCrowd) crowded_ = true;
    if (!crowded_ || connections > kFew) return;
    crowded_ = false;
    malloc_trim(0);
  }

 private:
  static constexpr std::size_t kCrowd = 100;
  static constexpr std::size_t kFew = 10;
  bool crowded_ = false;
};

// Of a coroutine that ends by an exception.
auto Reporting(ServerObserver& observer) {
  return [&observer](const std::exception_ptr& thrown) {
    if (thrown) ReportException(thrown, observer);
  };
}

}  // namespace

Worker::Worker(HttpServerState& state, std::size_t thread, std::unique_ptr<RequestHandler> handler)
    : state_(state), number_(thread), handler_(std::move(handler)) {}

Worker::~Worker() {
  BeginFinish();
  if (thread_.joinable()) thread_.join();
}

void Worker::Start() {
  asio::co_spawn(executor(), WatchDeadlines(), Reporting(state_.observer));
  state_.heartbeats.Beat(number_, std::chrono::steady_clock::now());
  thread_ = std::thread([this] {
    context_.run();
    state_.heartbeats.Stop(number_);
    finish_.set_value();
  });
}

void Worker::Adopt(Socket socket, ConnectionGate::Pass pass) {
  asio::co_spawn(executor(), ServeConnection(*this, std::move(socket), std::move(pass)),
                 Reporting(state_.observer));
}

void Worker::EndIdleConnections() {
  asio::post(context_, [this] {
    connections_.ForEach([](Connection& connection) { connection.EndIfIdle(); });
  });
}

void Worker::BeginFinish() {
  asio::post(context_, [this] {
    connections_.ForEach([](Connection& connection) { connection.Evict(); });
    finishing_ = true;
    timer_.cancel();
    work_.reset();
  });
}

bool Worker::HasFinishedBy(std::chrono::steady_clock::time_point until) {
  return !thread_.joinable() || finished_.wait_until(until) == std::future_status::ready;
}

Awaitable<void> Worker::WatchDeadlines() {
  const milliseconds tick = TickOf(state_.limits);
  CrowdMemory memory;
  while (!finishing_) {
    ErrorCode cancelled;
    timer_.expires_after(tick);
    co_await timer_.async_wait(To(cancelled));
    const auto now = std::chrono::steady_clock::now();
    state_.heartbeats.Beat(number_, now);
    connections_.ForEach([now](Connection& connection) { connection.CheckDeadline(now); });
    if (number_ == 0) memory.Look(state_.gate.count());
  }
}

}  // namespace tpu_admission::net
