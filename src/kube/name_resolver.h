// Finds the addresses of the API server. The system looks a name up for as long as it likes, and
// nothing ends that; so it does so on a thread that nobody waits for beyond the deadline.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>

#include "kube/tls.h"
#include "tpu_admission/base/lifetime.h"

namespace tpu_admission::kube {

// Used by the thread that runs its io_context.
class NameResolver {
 public:
  using Results = boost::asio::ip::tcp::resolver::results_type;
  using Deadline = std::chrono::steady_clock::time_point;

  NameResolver(boost::asio::io_context& context TPU_ADMISSION_LIFETIME_BOUND, ServerAddress server);

  // The error is a timeout after the deadline, or operation_aborted. What is looked up then still
  // is waited for by the next call: there is one such thread at most.
  boost::asio::awaitable<Results> Resolve(Deadline deadline, boost::system::error_code& error);

  // Ends Resolve(), now and from now on.
  void Close();

 private:
  struct Search;
  void Begin();

  const ServerAddress server_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<Search> search_;  // under way, or ended and not taken
  bool closed_ = false;
};

}  // namespace tpu_admission::kube
