// One thread with an io_context of its own, a handler of its own, and its connections.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <memory>
#include <thread>

#include "net/asio.h"
#include "net/connection_list.h"
#include "net/endpoint_state.h"
#include "tpu_admission/net/http.h"

namespace tpu_admission::net {

class Worker {
 public:
  Worker(EndpointState& state, std::unique_ptr<RequestHandler> handler);
  ~Worker();  // Finish()
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Executor executor() { return context_.get_executor(); }

  // From any thread.
  void Start();
  void Adopt(Socket socket, ConnectionGate::Pass pass);  // the socket must be on executor()
  void EndIdleConnections();
  void CloseConnections();
  void Finish();  // closes all connections and joins the thread

  // On the worker's thread only.
  EndpointState& state() { return state_; }
  RequestHandler& handler() { return *handler_; }
  ConnectionList& connections() { return connections_; }

 private:
  Awaitable<void> WatchDeadlines();

  EndpointState& state_;
  const std::unique_ptr<RequestHandler> handler_;
  ConnectionList connections_;
  asio::io_context context_{1};
  asio::executor_work_guard<Executor> work_{context_.get_executor()};
  Timer timer_{context_.get_executor()};
  bool finishing_ = false;
  std::thread thread_;
};

}  // namespace tpu_admission::net
