// Clients that send requests without pause until told to stop, and count what went wrong.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/test_server.h"

namespace tpu_admission::support {

// Like an API server's: a connection is kept until an answer says `Connection: close`. A connection
// that could not be made is counted apart: it is no request.
class Load {
 public:
  Load(std::uint16_t port, int clients) : port_(port) {
    for (int i = 0; i < clients; ++i) threads_.emplace_back([this] { Run(); });
  }
  ~Load() { Stop(); }

  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  std::atomic<int> answered{0};
  std::atomic<int> lost{0};     // sent on a good connection, and no answer came
  std::atomic<int> refused{0};  // connections
  std::atomic<int> told_to_close{0};

 private:
  void Run() {
    while (!stop_) {
      HttpClient client(port_);
      if (!client.connected()) {
        ++refused;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      while (!stop_ && Exchange(client)) continue;
    }
  }

  // False when the connection is to be left.
  bool Exchange(HttpClient& client) {
    const auto answer = client.Exchange(Post("/validate", std::string(6'400, 'x')));
    if (!answer || answer->status != 200) {
      ++lost;
      return false;
    }
    ++answered;
    if (answer->closes()) ++told_to_close;
    return !answer->closes();
  }

  const std::uint16_t port_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace tpu_admission::support
