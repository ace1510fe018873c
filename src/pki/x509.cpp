#include "tpu_admission/pki/x509.h"

#include "pki/openssl_memory.h"

namespace tpu_admission::pki {
namespace {

constexpr std::size_t kMostCertificates = 10;
constexpr std::size_t kMostChainBytes = 64u << 10;

// Certificates of today often have only alternative names.
std::string SubjectOf(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  if (std::string subject = TextOf(bio.get()); !subject.empty()) return subject;
  const int at = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1);
  if (at >= 0) X509V3_EXT_print(bio.get(), X509_get_ext(certificate, at), 0, 0);
  std::string names = TextOf(bio.get());
  return names.empty() ? "(no subject)" : names;
}

Status ReadChain(const std::string& pem, ServerIdentity& identity) {
  if (pem.size() > kMostChainBytes) return Error{"the certificate chain is over 64 KiB"};
  const BioPtr bio = BioOf(pem);
  identity.leaf.reset(PEM_read_bio_X509_AUX(bio.get(), nullptr, NoPassphrase, nullptr));
  if (!identity.leaf) {
    return Error{"there is no readable PEM certificate (" + OpenSslError() + ")"};
  }
  while (X509Ptr next{PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr)}) {
    identity.issuers.push_back(std::move(next));
    if (identity.issuers.size() >= kMostCertificates) {
      return Error{"the certificate chain has more than 10 certificates"};
    }
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = OpenSslError();
  if (!at_end) return Error{"the certificate chain is not readable PEM (" + reason + ")"};
  return OkStatus();
}

Status ReadPrivateKey(const std::string& pem, ServerIdentity& identity) {
  identity.key.reset(PEM_read_bio_PrivateKey(BioOf(pem).get(), nullptr, NoPassphrase, nullptr));
  if (!identity.key) {
    return Error{"there is no readable PEM private key without a passphrase (" + OpenSslError() +
                 ")"};
  }
  if (!IsKeyOf(identity.leaf.get(), identity.key.get())) {
    return Error{"the private key does not belong to the certificate"};
  }
  return OkStatus();
}

}  // namespace

void Release::operator()(X509* certificate) const { X509_free(certificate); }
void Release::operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }

std::string OpenSslError() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* const reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "unknown error";
}

Result<ServerIdentity> ReadServerIdentity(const std::string& certificate,
                                          const std::string& private_key) {
  ERR_clear_error();
  ServerIdentity identity;
  if (Status chain = ReadChain(certificate, identity); !chain) return chain.error();
  if (Status key = ReadPrivateKey(private_key, identity); !key) return key.error();
  identity.validity = ValidityOf(identity.leaf.get());
  identity.subject = SubjectOf(identity.leaf.get());
  return identity;
}

}  // namespace tpu_admission::pki
