// Accepts connections and deals them round robin to the workers; at the cap it makes room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "net/asio.h"
#include "net/worker.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/base/result.h"

namespace tpu_admission::net {

using Workers = std::vector<std::unique_ptr<Worker>>;

// Runs on the first worker's thread. Workers must outlive it and be alive until its coroutine
// ended, which is when the first one has finished.
class Listener {
 public:
  Listener(HttpServerState& state TPU_ADMISSION_LIFETIME_BOUND,
           Workers& workers TPU_ADMISSION_LIFETIME_BOUND);

  Status Open(const std::string& bind_address, std::uint16_t port);
  std::uint16_t port() const { return port_; }

  void Start();
  // Takes in what waits in the backlog and closes the port; returns then, or at `until`.
  void Stop(std::chrono::steady_clock::time_point until);

 private:
  Awaitable<void> Run();
  Awaitable<void> Accept();
  Awaitable<void> AcceptSome();
  Awaitable<void> MakeRoom();
  Awaitable<bool> EvictOne();
  Awaitable<void> Pause(std::chrono::milliseconds duration);
  ErrorCode AcceptOne();

  HttpServerState& state_;
  Workers& workers_;
  Acceptor acceptor_;
  Timer timer_;
  std::uint16_t port_ = 0;
  std::size_t next_ = 0;
  bool stopping_ = false;
  std::promise<void> stopped_;
  bool started_ = false;
};

}  // namespace tpu_admission::net
