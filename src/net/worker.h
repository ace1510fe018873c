// One thread with an io_context of its own, a handler of its own, and its connections.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <cstddef>
#include <future>
#include <memory>
#include <thread>

#include "net/asio.h"
#include "net/connection_list.h"
#include "net/http_server_state.h"
#include "tpu_admission/net/http.h"

namespace tpu_admission::net {

class Worker {
 public:
  // `thread` counts the workers of the port from 0.
  Worker(HttpServerState& state TPU_ADMISSION_LIFETIME_BOUND, std::size_t thread,
         std::unique_ptr<RequestHandler> handler);
  ~Worker();  // BeginFinish(), and waits for the thread
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Executor executor() { return context_.get_executor(); }

  // From any thread.
  void Start();
  void Adopt(Socket socket, ConnectionGate::Pass pass);  // the socket must be on executor()
  void EndIdleConnections();
  // Closes all connections and ends the thread, unless it hangs.
  void BeginFinish();
  bool HasFinishedBy(std::chrono::steady_clock::time_point until);

  // On the worker's thread only.
  HttpServerState& state() { return state_; }
  RequestHandler& handler() TPU_ADMISSION_LIFETIME_BOUND { return *handler_; }
  ConnectionList& connections() TPU_ADMISSION_LIFETIME_BOUND { return connections_; }

 private:
  Awaitable<void> WatchDeadlines();

  HttpServerState& state_;
  const std::size_t number_;
  const std::unique_ptr<RequestHandler> handler_;
  ConnectionList connections_;
  asio::io_context context_{1};
  asio::executor_work_guard<Executor> work_{context_.get_executor()};
  Timer timer_{context_.get_executor()};
  bool finishing_ = false;
  std::promise<void> finish_;
  std::future<void> finished_{finish_.get_future()};
  std::thread thread_;
};

}  // namespace tpu_admission::net
