// One certificate and key as an OpenSSL context: what new connections are greeted with.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/base/result.h"
#include "tpu_admission/pki/certificate.h"

namespace tpu_admission::net {

// Immutable; safe from several threads.
class TlsContext {
 public:
  // Of what pki::ReadServerIdentity() takes. TLS 1.3, also 1.2 on demand (ECDHE with AEAD only);
  // key exchange by X25519 (with ML-KEM where OpenSSL has it), P-256 and P-384; no tickets, no
  // renegotiation, no compression, ALPN http/1.1. Validity is not judged.
  static Result<std::shared_ptr<const TlsContext>> FromPem(const std::string& certificate,
                                                           const std::string& private_key,
                                                           bool allow_tls12);

  // A session for one connection, null if there is no memory for it; the caller owns it. It keeps
  // what it needs of the context alive.
  SSL* NewSession() const { return SSL_new(context_.get()); }

  const pki::Validity& validity() const TPU_ADMISSION_LIFETIME_BOUND { return validity_; }
  // One line, never empty.
  const std::string& subject() const TPU_ADMISSION_LIFETIME_BOUND { return subject_; }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  TlsContext() = default;

  std::unique_ptr<SSL_CTX, Free> context_;
  pki::Validity validity_;
  std::string subject_;
};

}  // namespace tpu_admission::net
