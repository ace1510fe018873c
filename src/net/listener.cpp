#include "net/listener.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "net/report.h"

namespace tpu_admission::net {
namespace {

using std::chrono::milliseconds;

// Connections taken in one go, so that a flood of them does not keep the thread from its requests.
constexpr int kBatch = 16;

// At the cap, with nobody idle: how soon to look again.
constexpr milliseconds kFullPause{20};

// After EMFILE and its like: the connection stays in the backlog, so accepting again at once would
// spin.
constexpr milliseconds kErrorPause{100};

// Runs `work` on that worker's thread; the awaiting coroutine goes on on its own.
template <typename Work>
auto On(Worker& worker, Work work) -> Awaitable<decltype(work())> {
  auto there = [](Work job) -> Awaitable<decltype(work())> { co_return job(); };
  co_return co_await asio::co_spawn(worker.executor(), there(std::move(work)),
                                    asio::use_awaitable_t<Executor>{});
}

// Of several threads' connections the one that has done nothing for longest.
struct Oldest {
  Connection::Time since = Connection::Time::max();
  Worker* worker = nullptr;

  void Consider(const std::optional<Connection::Time>& other, Worker& its_worker) {
    if (!other || *other >= since) return;
    since = *other;
    worker = &its_worker;
  }
};

}  // namespace

Listener::Listener(HttpServerState& state, Workers& workers)
    : state_(state),
      workers_(workers),
      acceptor_(workers.front()->executor()),
      timer_(workers.front()->executor()) {}

Status Listener::Open(const std::string& bind_address, std::uint16_t port) {
  ErrorCode error;
  const auto address = asio::ip::make_address(bind_address, error);
  if (error) return Error{"bind address " + bind_address + " is no IP address"};
  const Tcp::endpoint endpoint(address, port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(Acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(Acceptor::max_listen_connections, error);
  if (!error) acceptor_.non_blocking(true, error);
  if (error) {
    return Error{"cannot listen on " + bind_address + " port " + std::to_string(port) + ": " +
                 error.message()};
  }
  port_ = acceptor_.local_endpoint(error).port();
  return OkStatus();
}

void Listener::Start() {
  started_ = true;
  asio::co_spawn(acceptor_.get_executor(), Run(), asio::detached);
}

void Listener::Stop(std::chrono::steady_clock::time_point until) {
  if (!std::exchange(started_, false)) return;
  asio::post(acceptor_.get_executor(), [this] {
    stopping_ = true;
    ErrorCode ignored;
    acceptor_.cancel(ignored);
    timer_.cancel();
  });
  stopped_.get_future().wait_until(until);
}

// An exception (no memory, most likely) must not make the server deaf.
Awaitable<void> Listener::Run() {
  while (!stopping_) {
    try {
      co_await Accept();
    } catch (...) {
      ReportException(std::current_exception(), state_.observer);
    }
    co_await Pause(kErrorPause);
  }
  ErrorCode ignored;
  acceptor_.close(ignored);
  stopped_.set_value();
}

Awaitable<void> Listener::Accept() {
  while (!stopping_) {
    ErrorCode error;
    co_await acceptor_.async_wait(Acceptor::wait_read, To(error));
    if (stopping_) break;
    if (error) {
      co_await Pause(kErrorPause);
    } else {
      co_await AcceptSome();
    }
  }
  while (!state_.gate.full() && !AcceptOne()) continue;
}

// Called when at least one connection waits, so that room is made for one that is really there.
Awaitable<void> Listener::AcceptSome() {
  if (state_.gate.full()) co_await MakeRoom();
  for (int taken = 0; taken < kBatch && !stopping_ && !state_.gate.full(); ++taken) {
    ErrorCode error = AcceptOne();
    if (error == asio::error::no_descriptors) {
      const bool evicted = co_await EvictOne();
      if (evicted) error = AcceptOne();
      if (!error) co_return;  // the next would be EMFILE again, also with nobody in the backlog
    }
    if (error == asio::error::would_block || error == asio::error::try_again) co_return;
    if (error && error != asio::error::connection_aborted) {
      state_.observer.OnRefusal(ServerObserver::Refusal::kConnectionCap);
      co_await Pause(kErrorPause);
    }
  }
}

ErrorCode Listener::AcceptOne() {
  ErrorCode error;
  Worker& worker = *workers_[next_];
  Socket socket = acceptor_.accept(worker.executor(), error);
  if (error) return error;
  next_ = (next_ + 1) % workers_.size();
  worker.Adopt(std::move(socket), ConnectionGate::Pass(state_.gate));
  return {};
}

// Returns when there is room, or when stopping.
Awaitable<void> Listener::MakeRoom() {
  while (state_.gate.full() && !stopping_) {
    const bool evicted = co_await EvictOne();
    if (!evicted) co_await Pause(kFullPause);
  }
}

// Closes the connection that has done nothing for longest; false if all are being answered. A
// quarter of the places is for newcomers, the rest for those who have proven themselves: neither
// kind can push out the other. It asks each thread in turn: that costs a few microseconds at the
// cap, and nothing on the way of a request.
Awaitable<bool> Listener::EvictOne() {
  const Connection::Time now = std::chrono::steady_clock::now();
  Oldest newcomer;
  Oldest proven;
  std::size_t newcomers = 0;
  for (const auto& each : workers_) {
    Worker* const worker = each.get();
    const ConnectionList::Candidates found =
        co_await On(*worker, [worker, now] { return worker->connections().CandidatesAt(now); });
    newcomers += found.newcomers;
    newcomer.Consider(found.newcomer, *worker);
    proven.Consider(found.proven, *worker);
  }
  const bool crowded = newcomers > state_.gate.count() / 4;
  const bool take_newcomer = newcomer.worker != nullptr && (crowded || proven.worker == nullptr);
  Worker* const worker = take_newcomer ? newcomer.worker : proven.worker;
  if (worker == nullptr) co_return false;
  const bool evicted = co_await On(*worker, [worker, take_newcomer, now] {
    ConnectionList& connections = worker->connections();
    return take_newcomer ? connections.EvictNewcomer(now) : connections.EvictProven(now);
  });
  if (evicted) state_.observer.OnRefusal(ServerObserver::Refusal::kConnectionCap);
  co_return evicted;
}

Awaitable<void> Listener::Pause(milliseconds duration) {
  ErrorCode cancelled;
  timer_.expires_after(duration);
  if (!stopping_) co_await timer_.async_wait(To(cancelled));
}

}  // namespace tpu_admission::net
