// The HTTPS server of the admission port: TLS, HTTP/1.1, deadlines, caps, reload, drain.
//
// N io_contexts with one thread each; one acceptor deals connections round robin; no strands and no
// locks on the way of a request. Its functions are called from one thread (main's) unless said
// otherwise. Its threads inherit the signal mask, so block what main waits for before Start().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/base/result.h"
#include "tpu_admission/net/http.h"

namespace tpu_admission::net {

struct TlsFiles {
  std::string certificate;   // PEM, leaf first
  std::string private_key;   // PEM
  bool allow_tls12 = false;  // TLS 1.3 only unless set
};

struct ServerLimits {
  std::size_t body_bytes = 7u << 20;     // more: 413 (the API server's own bound, doubled)
  std::size_t header_bytes = 16u << 10;  // more: 431
  // At the cap, or without file descriptors, the one that has done nothing for longest is closed;
  // those that have had a good answer only where they hold more than three quarters of the places.
  std::size_t connections = 768;
  // Of bodies and answers, as they come; more: 503 with Retry-After. Only what one has beyond 16
  // KiB counts (the rest is bounded by `connections`), so usual reviews are never refused.
  std::size_t bytes_in_flight = 32u << 20;
  std::chrono::milliseconds handshake{10'000};
  std::chrono::milliseconds header{10'000};  // from the first byte of a request
  std::chrono::milliseconds body{10'000};
  std::chrono::milliseconds write{10'000};
  std::chrono::milliseconds idle{180'000};  // above the API server's 90 s, so that it closes first
  std::chrono::milliseconds certificate_poll{10'000};
  std::chrono::milliseconds stall{10'000};  // a thread that has not moved for so long hangs
};

// What the limits add up to with so many threads: connections with their buffers, bodies and
// answers. What handlers use comes on top.
std::size_t MemoryBound(const ServerLimits& limits, int threads);

struct ServerOptions {
  std::string bind_address = "0.0.0.0";
  std::uint16_t port = 10250;  // 0 takes a free one
  int threads = 1;
  TlsFiles tls;
  ServerLimits limits;
};

// What the server tells the world around it. Called from server threads, often: implementations
// are thread safe and do not block.
class ServerObserver {
 public:
  enum class HandshakeResult { kOk, kFailed, kTimeout, kNoCertificate };
  enum class Refusal {
    kConnectionCap,
    kBytesInFlight,
    kBodyTooLarge,
    kHeaderTooLarge,
    kMalformed,
    kTimeout
  };

  virtual ~ServerObserver() = default;
  virtual void OnConnections(int delta) = 0;  // +1 opened, -1 closed
  virtual void OnHandshake(HandshakeResult result) = 0;
  // Around a request that reached the handler, from there to the end of the writing of its answer,
  // also if that fails. A request that the transport itself answers is a refusal only.
  virtual void OnRequestStarted() = 0;
  virtual void OnRequestFinished(unsigned status) = 0;
  // kConnectionCap: a connection was closed for a new one, or there is no file descriptor for a new
  // one and nobody to close (told about ten times a second while that lasts). kTimeout: a request
  // or an answer took longer than its deadline; an idle connection that is closed is none.
  virtual void OnRefusal(Refusal refusal) = 0;
  // A bug, or no memory: a handler threw, or the server itself did and went on.
  virtual void OnHandlerException(const char* what) = 0;
  // A certificate was loaded (its notAfter), or could not be (what is the reason, in one line).
  virtual void OnCertificateLoaded(Clock::Wall not_after, const std::string& subject) = 0;
  virtual void OnCertificateError(const std::string& what) = 0;
};

class Server {
 public:
  Server(ServerOptions options, HandlerFactory handlers,
         ServerObserver& observer TPU_ADMISSION_LIFETIME_BOUND);
  ~Server();  // FinishDrain(0), and then waits for every thread
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds, loads the certificate and starts the threads. Certificate files that do not exist yet
  // are no error: the server listens, is not ready, and looks again every certificate_poll. Files
  // that exist but are broken, expired or not valid yet, or do not belong together, are an error.
  Status Start();

  std::uint16_t port() const;    // the bound port, after Start()
  bool has_certificate() const;  // thread safe
  // nullopt while its threads move; else why not, one line. Thread safe.
  std::optional<std::string> NotLive() const;

  // Ends the server gracefully. From BeginDrain() on every answer carries `Connection: close`, new
  // connections are still taken. FinishDrain() stops accepting, waits for what is in flight at
  // most `limit`, then closes everything and joins the threads. It is false, a second after the
  // limit, if a handler hangs: its thread cannot be joined, so the process has to end by
  // std::_Exit().
  void BeginDrain();
  [[nodiscard]] bool FinishDrain(std::chrono::milliseconds limit);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tpu_admission::net
