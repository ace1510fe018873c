#include "kube/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

namespace tpu_admission::kube {
namespace {

namespace ssl = boost::asio::ssl;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeX509 {
  void operator()(X509* certificate) const { X509_free(certificate); }
};

// How many certificates of `pem` the store took.
int AddAll(X509_STORE* store, const std::string& pem) {
  const std::unique_ptr<BIO, FreeBio> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  int added = 0;
  for (;;) {
    const std::unique_ptr<X509, FreeX509> certificate(
        PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!certificate) break;
    if (X509_STORE_add_cert(store, certificate.get()) == 1) ++added;
  }
  ERR_clear_error();
  return added;
}

}  // namespace

Result<TlsContextPtr> MakeTlsContext(const std::string& ca_pem) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_verify(native, SSL_VERIFY_PEER, nullptr);
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(native), X509_V_FLAG_PARTIAL_CHAIN);
  if (AddAll(SSL_CTX_get_cert_store(native), ca_pem) == 0) {
    return Error{"there is no readable PEM certificate"};
  }
  return context;
}

Status Expect(SSL* tls, const ServerAddress& server) {
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(tls);
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool set = server.is_ip
                       ? X509_VERIFY_PARAM_set1_ip_asc(wanted, server.host.c_str()) == 1
                       : X509_VERIFY_PARAM_set1_host(wanted, server.host.c_str(), 0) == 1 &&
                             SSL_set_tlsext_host_name(tls, server.host.c_str()) == 1;
  if (!set) return Error{"the host " + server.host + " cannot be verified"};
  return OkStatus();
}

std::string HandshakeError(SSL* tls, const std::string& reason) {
  const long verified = SSL_get_verify_result(tls);
  if (verified == X509_V_OK) return reason;
  return reason + ": " + X509_verify_cert_error_string(verified);
}

}  // namespace tpu_admission::kube
