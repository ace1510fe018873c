// One certificate and key as an OpenSSL context: what new connections are greeted with.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/result.h"

namespace tpu_admission::net {

// Immutable; safe from several threads.
class TlsContext {
 public:
  // `certificate` is a PEM chain, leaf first; `private_key` a PEM key without a passphrase. They
  // must belong together. TLS 1.3, also 1.2 on demand (ECDHE with AEAD only); no tickets, no
  // renegotiation, no compression, ALPN http/1.1.
  static Result<std::shared_ptr<const TlsContext>> FromPem(const std::string& certificate,
                                                           const std::string& private_key,
                                                           bool allow_tls12);

  // A session for one connection; the caller owns it. It keeps what it needs of the context alive.
  SSL* NewSession() const { return SSL_new(context_.get()); }

  Clock::Wall not_after() const { return not_after_; }
  const std::string& subject() const { return subject_; }  // one line, never empty

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  TlsContext() = default;

  std::unique_ptr<SSL_CTX, Free> context_;
  Clock::Wall not_after_;
  std::string subject_;
};

}  // namespace tpu_admission::net
