#include "tpu_admission/kube/client.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/verb.hpp>
#include <cstdlib>
#include <exception>
#include <random>
#include <utility>

#include "kube/answer.h"
#include "kube/api_connection.h"
#include "kube/files.h"
#include "tpu_admission/kube/backoff.h"

namespace tpu_admission::kube {
namespace {

namespace http = beast::http;
using std::chrono::milliseconds;

std::string_view ContentType(PatchKind kind) {
  return kind == PatchKind::kMerge ? "application/merge-patch+json" : "application/json-patch+json";
}

// One attempt's answer, and whether another attempt may have a better one.
struct Attempted {
  Answer answer;
  bool retry = false;
  std::optional<std::chrono::seconds> retry_after = {};
};

Attempted Failed(const std::string& call, const std::string& why, bool retry = true) {
  Attempted attempted;
  attempted.answer.error = call + ": " + why;
  attempted.retry = retry;
  return attempted;
}

std::string CallOf(const Request& request) {
  return std::string(request.method_string()) + ' ' + std::string(request.target());
}

// Bytes cut wherever -> lines, without the empty ones.
class LineSplitter {
 public:
  LineSplitter(std::size_t most_bytes, const WatchApi::Take& take)
      : most_bytes_(most_bytes), take_(take) {}

  // False if there shall be no more.
  bool Take(std::string_view bytes) {
    for (std::size_t end; (end = bytes.find('\n')) != bytes.npos; bytes.remove_prefix(end + 1)) {
      line_.append(bytes.substr(0, end));
      if (!line_.empty() && !take_(line_)) return false;
      line_.clear();
    }
    line_.append(bytes);
    return !too_long();
  }
  bool too_long() const { return line_.size() > most_bytes_; }

 private:
  const std::size_t most_bytes_;
  const WatchApi::Take& take_;
  std::string line_;
};

}  // namespace

class Client::Impl {
 public:
  Impl(ClientOptions options, ServerAddress server)
      : options_(std::move(options)),
        server_(std::move(server)),
        certified_(options_.tls_server_name.empty() ? server_
                                                    : NamedServer(options_.tls_server_name)) {}

  Answer Call(Request request) {
    Prepare(request);
    return Run(Repeat(std::move(request)));
  }

  Answer Watch(Request request, std::chrono::milliseconds length, const WatchApi::Take& take) {
    Prepare(request);
    return Run(WatchOnce(std::move(request), length, take));
  }

  void Interrupt() {
    interrupted_ = true;
    asio::post(context_, [this] {
      resolver_.Close();
      if (connection_) connection_->Close();
      timer_.cancel();
    });
  }

  void EndBy(Deadline end) { end_ = end; }

  const ClientOptions& options() const { return options_; }

 private:
  void Prepare(Request& request) const {
    request.set(http::field::host, server_.Authority());
    if (request[http::field::accept].empty()) request.set(http::field::accept, "application/json");
    request.set(http::field::user_agent, options_.user_agent);
    request.prepare_payload();
  }

  Answer Run(asio::awaitable<Answer> call) {
    Answer answer;
    std::exception_ptr bug;
    context_.restart();
    asio::co_spawn(context_, std::move(call), [&](std::exception_ptr thrown, Answer made) {
      bug = std::move(thrown);
      answer = std::move(made);
    });
    context_.run();
    if (bug) std::rethrow_exception(bug);
    return answer;
  }

  // A connection of its own, and one attempt: whoever watches knows where to go on.
  asio::awaitable<Answer> WatchOnce(Request request, milliseconds length,
                                    const WatchApi::Take& take) {
    const std::string call = CallOf(request);
    const Deadline now = std::chrono::steady_clock::now();
    if (interrupted_) co_return Failed(call, "interrupted").answer;
    const Result<std::string> ca = Authorize(request);
    if (!ca) co_return Failed(call, ca.error().message).answer;
    const std::string error = co_await Connect(*ca, now + options_.attempt_deadline);
    if (!error.empty()) co_return Failed(call, server_.Authority() + ": " + error).answer;
    LineSplitter lines(options_.body_bytes, take);
    ApiConnection::Exchanged exchanged =
        co_await connection_->Stream(request, now + length + options_.attempt_deadline,
                                     [&](std::string_view bytes) { return lines.Take(bytes); });
    connection_.reset();
    if (lines.too_long()) co_return Failed(call, "an event is too large").answer;
    if (!exchanged.error.empty()) {
      co_return Failed(call, server_.Authority() + ": " + exchanged.error).answer;
    }
    co_return AttemptOf(call, request, exchanged.response).answer;
  }

  asio::awaitable<Answer> Repeat(Request request) {
    const std::string call = CallOf(request);
    const Deadline deadline =
        std::min(end_, Deadline::clock::now() + Deadline::duration(options_.deadline));
    for (int failures = 1;; ++failures) {
      if (interrupted_) co_return Failed(call, "interrupted").answer;
      const Deadline now = std::chrono::steady_clock::now();
      Attempted attempted =
          co_await Attempt(call, request, std::min(deadline, now + options_.attempt_deadline));
      const milliseconds wait = attempted.retry_after
                                    ? milliseconds(*attempted.retry_after)
                                    : Backoff(options_.first_backoff, failures, Random());
      const bool too_late = std::chrono::steady_clock::now() + wait >= deadline;
      if (!attempted.retry || failures >= options_.attempts || too_late || interrupted_) {
        co_return std::move(attempted.answer);
      }
      boost::system::error_code cancelled;
      timer_.expires_after(wait);
      co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    }
  }

  // Sets the token, and reads whom to trust. Both files are read for every attempt: kubelets
  // replace them.
  Result<std::string> Authorize(Request& request) const {
    TPU_ADMISSION_TRY(const std::string token, ReadToken(options_.token_file));
    request.set(http::field::authorization, "Bearer " + token);
    return ReadSmallFile(options_.ca_file, "CA file");
  }

  asio::awaitable<Attempted> Attempt(const std::string& call, Request& request, Deadline deadline) {
    const Result<std::string> ca = Authorize(request);
    if (!ca) co_return Failed(call, ca.error().message);
    if (*ca != ca_) connection_.reset();  // a server that is trusted no more

    const bool reused = connection_ && connection_->reusable();
    if (!reused) {
      const std::string error = co_await Connect(*ca, deadline);
      if (!error.empty()) co_return Failed(call, server_.Authority() + ": " + error);
    }
    ApiConnection::Exchanged exchanged = co_await connection_->Exchange(request, deadline);
    if (reused && exchanged.nothing_received && !interrupted_) {
      // The server closed the connection while nobody looked.
      const std::string error = co_await Connect(*ca, deadline);
      if (!error.empty()) co_return Failed(call, server_.Authority() + ": " + error);
      exchanged = co_await connection_->Exchange(request, deadline);
    }
    if (!exchanged.error.empty()) {
      connection_.reset();
      Attempted failed =
          Failed(call, server_.Authority() + ": " + exchanged.error, !exchanged.too_large);
      if (exchanged.too_large) failed.answer.outcome = Outcome::kTooLarge;
      co_return failed;
    }
    co_return AttemptOf(call, request, exchanged.response);
  }

  asio::awaitable<std::string> Connect(const std::string& ca, Deadline deadline) {
    connection_.reset();
    Result<TlsContextPtr> tls = MakeTlsContext(ca);
    if (!tls) co_return "cannot use CA file " + options_.ca_file + ": " + tls.error().message;
    ca_ = ca;
    connection_ = std::make_unique<ApiConnection>(context_, certified_, *tls, options_.body_bytes);
    std::string error = co_await connection_->Open(resolver_, deadline);
    if (!error.empty()) connection_.reset();
    co_return error;
  }

  static Attempted AttemptOf(const std::string& call, const Request& request, Response& response) {
    const unsigned status = response.result_int();
    const std::string_view proof = request[http::field::authorization];
    std::string body = std::move(response.body());
    if (status / 100 != 2) body = WithoutToken(std::move(body), proof);
    Attempted attempted;
    attempted.retry = IsWorthRetrying(status);
    attempted.retry_after = RetryAfter(response[http::field::retry_after]);
    attempted.answer = AnswerOf(call, status, std::move(body), response[http::field::date]);
    const auto [first, last] = response.equal_range(http::field::warning);
    for (auto field = first; field != last; ++field) {
      attempted.answer.warnings.push_back(WithoutToken(std::string(field->value()), proof));
    }
    return attempted;
  }

  double Random() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  const ClientOptions options_;
  const ServerAddress server_;
  const ServerAddress certified_;
  std::atomic<bool> interrupted_{false};
  std::minstd_rand random_{std::random_device{}()};
  Deadline end_ = Deadline::max();  // of every call
  std::string ca_;                  // that connection_ trusts
  asio::io_context context_{1};
  asio::steady_timer timer_{context_};
  NameResolver resolver_{context_, server_};
  std::unique_ptr<ApiConnection> connection_;
};

Result<ClientOptions> InCluster(ClientOptions options, const std::string& service_account_dir) {
  if (options.token_file.empty()) options.token_file = service_account_dir + "/token";
  if (options.ca_file.empty()) options.ca_file = service_account_dir + "/ca.crt";
  if (!options.server.empty()) return options;
  const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* const port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr || *host == '\0' || *port == '\0') {
    return Error{
        "there is no API server to talk to: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
        "are not set, so this is no pod; --api-server names one"};
  }
  options.server = ServerUrl(host, port);
  return options;
}

Result<std::unique_ptr<Client>> Client::Make(ClientOptions options) {
  Result<ServerAddress> server = ParseServer(options.server);
  if (!server) return server.error();
  return std::unique_ptr<Client>(
      new Client(std::make_unique<Impl>(std::move(options), std::move(*server))));
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;

Answer Client::Get(const ObjectPath& path) {
  return ObjectOf(path, impl_->Call(Request(http::verb::get, path.text, 11)));
}

Answer Client::Patch(const ObjectPath& path, PatchKind kind, const std::string& patch) {
  const std::string target = path.text + "?fieldManager=" + impl_->options().field_manager;
  Request request(http::verb::patch, target, 11, patch);
  request.set(http::field::content_type, ContentType(kind));
  return ObjectOf(path, impl_->Call(std::move(request)));
}

Answer Client::Read(const std::string& target) {
  return impl_->Call(Request(http::verb::get, target, 11));
}

Answer Client::Apply(const std::string& path, const std::string& object) {
  const std::string query = "?force=true&fieldManager=" + impl_->options().field_manager;
  Request request(http::verb::patch, path + query, 11, object);
  request.set(http::field::content_type,
              "application/apply-patch+yaml");  // of which JSON is a part
  return impl_->Call(std::move(request));
}

Answer Client::Delete(const std::string& path) {
  return impl_->Call(Request(http::verb::delete_, path, 11));
}

Answer Client::DryRunCreate(const std::string& collection, const std::string& object) {
  Request request(http::verb::post, collection + "?dryRun=All", 11, object);
  request.set(http::field::content_type, "application/json");
  return impl_->Call(std::move(request));
}

Answer Client::List(const ListQuery& query) {
  Request request(http::verb::get, TargetOf(query), 11);
  request.set(http::field::accept,
              "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
  return impl_->Call(std::move(request));
}

Answer Client::Watch(const WatchQuery& query, const Take& take) {
  Request request(http::verb::get, TargetOf(query), 11);
  request.set(http::field::accept, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  return impl_->Watch(std::move(request), query.length, take);
}

void Client::EndBy(std::chrono::steady_clock::time_point end) { impl_->EndBy(end); }

void Client::Interrupt() { impl_->Interrupt(); }

}  // namespace tpu_admission::kube
