#include "tpu_admission/net/self_signed.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "net/openssl_memory.h"

namespace tpu_admission::net {
namespace {

constexpr long kClockSkewSeconds = 5 * 60;
constexpr std::size_t kMaxCommonName = 64;  // ub-common-name of RFC 5280

// Letters of names and addresses only: the list of names is a text that OpenSSL parses.
bool IsName(const std::string& name) {
  return !name.empty() && name.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_*:") == std::string::npos;
}

bool IsAddress(const std::string& name) {
  const std::unique_ptr<ASN1_OCTET_STRING, FreeWith<ASN1_OCTET_STRING_free>> address(
      a2i_IPADDRESS(name.c_str()));
  ERR_clear_error();
  return address != nullptr;
}

bool AddExtension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool AddNames(X509* certificate, const std::vector<std::string>& names) {
  const std::string common_name = names.front().substr(0, kMaxCommonName);
  X509_NAME* subject = X509_get_subject_name(certificate);
  if (X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                 reinterpret_cast<const unsigned char*>(common_name.c_str()), -1,
                                 -1, 0) != 1) {
    return false;
  }
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ',';
    list += (IsAddress(name) ? "IP:" : "DNS:") + name;
  }
  return X509_set_issuer_name(certificate, subject) == 1 &&
         AddExtension(certificate, NID_subject_alt_name, list);
}

bool AddValidity(X509* certificate, int days) {
  unsigned char serial[16];
  if (RAND_bytes(serial, sizeof serial) != 1) return false;
  serial[0] = static_cast<unsigned char>((serial[0] & 0x7f) | 0x40);  // positive, never zero
  const std::unique_ptr<BIGNUM, FreeWith<BN_free>> number(
      BN_bin2bn(serial, sizeof serial, nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) &&
         X509_set_version(certificate, X509_VERSION_3) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kClockSkewSeconds) &&
         X509_time_adj_ex(X509_getm_notAfter(certificate), days, 0, nullptr);
}

bool Sign(X509* certificate, EVP_PKEY* key) {
  return X509_set_pubkey(certificate, key) == 1 &&
         AddExtension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         AddExtension(certificate, NID_key_usage, "critical,digitalSignature") &&
         AddExtension(certificate, NID_ext_key_usage, "serverAuth") &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

}  // namespace

Result<SelfSigned> MakeSelfSigned(const std::vector<std::string>& names, int days) {
  if (names.empty()) return Error{"a certificate needs at least one name"};
  for (const std::string& name : names) {
    if (!IsName(name)) return Error{"\"" + name + "\" is no DNS name or IP address"};
  }
  const KeyPtr key(EVP_EC_gen("P-256"));
  const X509Ptr certificate(X509_new());
  if (!key || !certificate || !AddValidity(certificate.get(), days) ||
      !AddNames(certificate.get(), names) || !Sign(certificate.get(), key.get())) {
    return Error{"cannot make a certificate for " + names.front() + ": " + OpenSslError()};
  }
  const BioPtr certificate_pem(BIO_new(BIO_s_mem()));
  const BioPtr key_pem(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_pem.get(), certificate.get()) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr) != 1) {
    return Error{"cannot write the certificate for " + names.front() + ": " + OpenSslError()};
  }
  return SelfSigned{TextOf(certificate_pem.get()), TextOf(key_pem.get())};
}

}  // namespace tpu_admission::net
