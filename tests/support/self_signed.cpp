#include "support/self_signed.h"

#include <openssl/rand.h>

#include <cstdlib>
#include <iostream>

#include "pki/openssl_memory.h"

namespace tpu_admission::support {
namespace {

using namespace pki;

void Must(bool done) {
  if (done) return;
  std::cerr << "cannot make a certificate: " << OpenSslError() << '\n';
  std::abort();
}

bool IsAddress(const std::string& name) {
  const Owned<ASN1_OCTET_STRING, ASN1_OCTET_STRING_free> address(a2i_IPADDRESS(name.c_str()));
  ERR_clear_error();
  return address != nullptr;
}

void AddExtension(X509* certificate, int nid, const std::string& value) {
  const Owned<X509_EXTENSION, X509_EXTENSION_free> extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str()));
  Must(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

void AddNames(X509* certificate, const std::vector<std::string>& names) {
  X509_NAME* const subject = X509_get_subject_name(certificate);
  Must(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                  reinterpret_cast<const unsigned char*>(names.front().c_str()), -1,
                                  -1, 0) == 1 &&
       X509_set_issuer_name(certificate, subject) == 1);
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ",") + std::string(IsAddress(name) ? "IP:" : "DNS:") + name;
  }
  AddExtension(certificate, NID_subject_alt_name, list);
}

void SetTime(ASN1_TIME* time, Clock::Wall value) {
  Must(ASN1_TIME_set(time, std::chrono::system_clock::to_time_t(value)) != nullptr);
}

}  // namespace

Validity ValidFor(std::chrono::seconds time) {
  const Clock::Wall start = std::chrono::system_clock::now() - std::chrono::minutes(5);
  return {start, start + time};
}

KeyPair MakeSelfSigned(const std::vector<std::string>& names, Validity validity) {
  const KeyPtr key(EVP_EC_gen("P-256"));
  const X509Ptr certificate(X509_new());
  std::uint64_t serial = 0;
  Must(key && certificate && RAND_bytes(reinterpret_cast<unsigned char*>(&serial), 7) == 1);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial + 1);
  X509_set_version(certificate.get(), X509_VERSION_3);
  SetTime(X509_getm_notBefore(certificate.get()), validity.not_before);
  SetTime(X509_getm_notAfter(certificate.get()), validity.not_after);
  X509_set_pubkey(certificate.get(), key.get());
  AddNames(certificate.get(), names);
  AddExtension(certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(certificate.get(), NID_key_usage, "critical,digitalSignature");
  AddExtension(certificate.get(), NID_ext_key_usage, "serverAuth");
  Must(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
  const BioPtr certificate_pem(BIO_new(BIO_s_mem()));
  const BioPtr key_pem(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_pem.get(), certificate.get());
  PEM_write_bio_PKCS8PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {TextOf(certificate_pem.get()), TextOf(key_pem.get())};
}

}  // namespace tpu_admission::support
