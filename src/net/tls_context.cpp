#include "net/tls_context.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <string_view>

#include "net/openssl_memory.h"

namespace tpu_admission::net {
namespace {

constexpr char kTls12Ciphers[] =
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

// Only HTTP/1.1: a client that offers other protocols only is refused, one that offers none is not.
int SelectAlpn(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* in,
               unsigned int in_length, void*) {
  constexpr std::string_view kHttp11 = "http/1.1";
  for (unsigned int at = 0; at < in_length; at += 1u + in[at]) {
    const unsigned char* name = in + at + 1;
    if (at + 1 + in[at] > in_length) break;
    if (std::string_view(reinterpret_cast<const char*>(name), in[at]) == kHttp11) {
      *out = name;
      *out_length = in[at];
      return SSL_TLSEXT_ERR_OK;
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

// Without it OpenSSL would ask the terminal for the passphrase of an encrypted key.
int NoPassphrase(char*, int, int, void*) { return -1; }

void Configure(SSL_CTX* context, bool allow_tls12) {
  SSL_CTX_set_min_proto_version(context, allow_tls12 ? TLS1_2_VERSION : TLS1_3_VERSION);
  SSL_CTX_set_cipher_list(context, kTls12Ciphers);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE);
  // The API server never resumes a session, so a ticket is two records for nothing.
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, SelectAlpn, nullptr);
}

// The leaf goes to the context; the rest of the file is its chain.
Result<X509Ptr> UseCertificates(SSL_CTX* context, const std::string& pem) {
  const BioPtr bio = BioOf(pem);
  X509Ptr leaf(PEM_read_bio_X509_AUX(bio.get(), nullptr, NoPassphrase, nullptr));
  if (!leaf) return Error{"there is no readable PEM certificate (" + OpenSslError() + ")"};
  if (SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return Error{"the certificate cannot be used (" + OpenSslError() + ")"};
  }
  for (;;) {
    X509Ptr next(PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr));
    if (!next) break;
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) {
      return Error{"the certificate chain cannot be used (" + OpenSslError() + ")"};
    }
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = OpenSslError();
  if (!at_end) return Error{"the certificate chain is not readable PEM (" + reason + ")"};
  return leaf;
}

Status UseKey(SSL_CTX* context, const std::string& pem) {
  const BioPtr bio = BioOf(pem);
  const KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  if (!key) {
    return Error{"there is no readable PEM private key without a passphrase (" + OpenSslError() +
                 ")"};
  }
  // The second finds a key of another kind than the certificate's.
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    ERR_clear_error();
    return Error{"the private key does not belong to the certificate"};
  }
  return OkStatus();
}

Clock::Wall NotAfter(const X509& certificate) {
  std::tm time{};
  ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &time);
  return std::chrono::system_clock::from_time_t(timegm(&time));
}

// The subject in one line; certificates of today often have only alternative names.
std::string SubjectOf(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  if (std::string subject = TextOf(bio.get()); !subject.empty()) return subject;
  const int at = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1);
  if (at >= 0) X509V3_EXT_print(bio.get(), X509_get_ext(certificate, at), 0, 0);
  std::string names = TextOf(bio.get());
  return names.empty() ? "(no subject)" : names;
}

}  // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::FromPem(const std::string& certificate,
                                                              const std::string& private_key,
                                                              bool allow_tls12) {
  ERR_clear_error();
  std::shared_ptr<TlsContext> made(new TlsContext);
  made->context_.reset(SSL_CTX_new(TLS_server_method()));
  Configure(made->context_.get(), allow_tls12);
  Result<X509Ptr> leaf = UseCertificates(made->context_.get(), certificate);
  if (!leaf) return leaf.error();
  if (Status key = UseKey(made->context_.get(), private_key); !key) return key.error();
  made->not_after_ = NotAfter(**leaf);
  made->subject_ = SubjectOf(leaf->get());
  return std::shared_ptr<const TlsContext>(std::move(made));
}

}  // namespace tpu_admission::net
