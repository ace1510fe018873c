#include "kube/name_resolver.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>
#include <system_error>
#include <thread>
#include <utility>

namespace tpu_admission::kube {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;
using Tcp = asio::ip::tcp;

NameResolver::Results LookUp(const ServerAddress& server, ErrorCode& error) {
  asio::io_context context;
  const auto flags = server.is_ip ? Tcp::resolver::numeric_host | Tcp::resolver::numeric_service
                                  : Tcp::resolver::numeric_service;
  return Tcp::resolver(context).resolve(server.host, server.port, flags, error);
}

}  // namespace

struct NameResolver::Search {
  std::atomic<bool> ended{false};  // the others are read after it
  ErrorCode error;
  Results found;
};

NameResolver::NameResolver(asio::io_context& context, ServerAddress server)
    : server_(std::move(server)), timer_(context) {}

void NameResolver::Begin() {
  search_ = std::make_shared<Search>();
  try {
    std::thread([search = search_, server = server_] {
      search->found = LookUp(server, search->error);
      search->ended = true;
    }).detach();
  } catch (const std::system_error&) {  // no more threads
    search_->error = asio::error::no_memory;
    search_->ended = true;
  }
}

asio::awaitable<NameResolver::Results> NameResolver::Resolve(Deadline deadline, ErrorCode& error) {
  if (server_.is_ip) co_return LookUp(server_, error);
  constexpr std::chrono::milliseconds kShortest{1};
  constexpr std::chrono::milliseconds kLongest{50};
  if (!search_) Begin();
  for (auto wait = kShortest; !search_->ended; wait = std::min(2 * wait, kLongest)) {
    const bool late = std::chrono::steady_clock::now() >= deadline;
    if (closed_ || late) {
      error = closed_ ? ErrorCode(asio::error::operation_aborted)
                      : make_error_code(boost::beast::error::timeout);
      co_return Results();
    }
    ErrorCode cancelled;
    timer_.expires_after(wait);
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }
  const auto search = std::exchange(search_, nullptr);
  error = search->error;
  co_return search->found;
}

void NameResolver::Close() {
  closed_ = true;
  timer_.cancel();
}

}  // namespace tpu_admission::kube
