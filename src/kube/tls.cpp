#include "kube/tls.h"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "tpu_admission/pki/x509.h"

namespace tpu_admission::kube {

namespace ssl = boost::asio::ssl;

Result<TlsContextPtr> MakeTlsContext(const std::string& ca_pem) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_verify(native, SSL_VERIFY_PEER, nullptr);
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(native), X509_V_FLAG_PARTIAL_CHAIN);
  int trusted = 0;
  for (const pki::X509Ptr& each : pki::ReadTrusted(ca_pem)) {
    trusted += X509_STORE_add_cert(SSL_CTX_get_cert_store(native), each.get());
  }
  ERR_clear_error();
  if (trusted == 0) return Error{"there is no readable PEM certificate"};
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
