#include <openssl/rand.h>

#include <array>

#include "pki/openssl_memory.h"
#include "tpu_admission/pki/certificate.h"

namespace tpu_admission::pki {
namespace {

constexpr std::size_t kMaxCommonName = 64;  // ub-common-name of RFC 5280

// Letters of names only: the list of names is a text that OpenSSL parses.
bool IsDnsName(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string::npos;
}

// 16 random bytes as a number that is positive and never zero.
bool SetSerial(X509* certificate) {
  std::array<unsigned char, 16> serial;
  if (RAND_bytes(serial.data(), serial.size()) != 1) return false;
  serial[0] = static_cast<unsigned char>((serial[0] & 0x7f) | 0x40);
  const Owned<BIGNUM, BN_free> number(BN_bin2bn(serial.data(), serial.size(), nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool SetTime(ASN1_TIME* time, Clock::Wall value) {
  return ASN1_TIME_set(time, std::chrono::system_clock::to_time_t(value)) != nullptr;
}

bool SetCommonName(X509* certificate, const std::string& name) {
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                                    0) == 1;
}

bool AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION, X509_EXTENSION_free> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// Everything but issuer, extensions and signature.
X509Ptr Begin(EVP_PKEY* key, Validity validity) {
  X509Ptr certificate(X509_new());
  const bool made = certificate && SetSerial(certificate.get()) &&
                    X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
                    SetTime(X509_getm_notBefore(certificate.get()), validity.not_before) &&
                    SetTime(X509_getm_notAfter(certificate.get()), validity.not_after) &&
                    X509_set_pubkey(certificate.get(), key) == 1;
  return made ? std::move(certificate) : nullptr;
}

Result<KeyPair> Write(X509* certificate, EVP_PKEY* key) {
  const BioPtr certificate_pem(BIO_new(BIO_s_mem()));
  const BioPtr key_pem(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_pem.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_pem.get(), key, nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return Error{"cannot write a certificate: " + OpenSslError()};
  }
  return KeyPair{TextOf(certificate_pem.get()), TextOf(key_pem.get())};
}

bool SignAuthority(X509* certificate, EVP_PKEY* key) {
  return X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1 &&
         AddExtension(certificate, certificate, NID_basic_constraints,
                      "critical,CA:TRUE,pathlen:0") &&
         AddExtension(certificate, certificate, NID_key_usage, "critical,keyCertSign") &&
         AddExtension(certificate, certificate, NID_subject_key_identifier, "hash") &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

bool SignServing(X509* certificate, X509* issuer, EVP_PKEY* issuer_key, const std::string& names) {
  return X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
         AddExtension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         AddExtension(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
         AddExtension(certificate, issuer, NID_ext_key_usage, "serverAuth") &&
         AddExtension(certificate, issuer, NID_subject_key_identifier, "hash") &&
         AddExtension(certificate, issuer, NID_authority_key_identifier, "keyid") &&
         AddExtension(certificate, issuer, NID_subject_alt_name, names) &&
         X509_sign(certificate, issuer_key, EVP_sha256()) > 0;
}

std::string RandomHex() {
  std::array<unsigned char, 4> bytes;
  RAND_bytes(bytes.data(), bytes.size());
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 0xf];
  }
  return text;
}

}  // namespace

Result<KeyPair> MakeAuthority(const std::string& name, Validity validity) {
  const KeyPtr key(EVP_EC_gen("P-256"));
  const X509Ptr certificate = key ? Begin(key.get(), validity) : nullptr;
  const std::string suffix = " " + RandomHex();
  const std::string common_name = name.substr(0, kMaxCommonName - suffix.size()) + suffix;
  if (!certificate || !SetCommonName(certificate.get(), common_name) ||
      !SignAuthority(certificate.get(), key.get())) {
    return Error{"cannot make a certificate authority: " + OpenSslError()};
  }
  return Write(certificate.get(), key.get());
}

Result<KeyPair> Issue(const KeyPair& authority, const std::vector<std::string>& dns_names,
                      Validity validity) {
  std::string names;
  for (const std::string& name : dns_names) {
    if (!IsDnsName(name)) return Error{"\"" + name + "\" is no DNS name"};
    names += (names.empty() ? "DNS:" : ",DNS:") + name;
  }
  if (names.empty()) return Error{"a certificate needs at least one name"};
  const X509Ptr issuer = ReadX509(BioOf(authority.certificate).get());
  const KeyPtr issuer_key = ReadKey(authority.private_key);
  if (!issuer || !issuer_key) return Error{"the certificate authority is unreadable"};

  const KeyPtr key(EVP_EC_gen("P-256"));
  const X509Ptr certificate = key ? Begin(key.get(), validity) : nullptr;
  if (!certificate || !SetCommonName(certificate.get(), dns_names[0].substr(0, kMaxCommonName)) ||
      !SignServing(certificate.get(), issuer.get(), issuer_key.get(), names)) {
    return Error{"cannot make a certificate for " + dns_names[0] + ": " + OpenSslError()};
  }
  return Write(certificate.get(), key.get());
}

}  // namespace tpu_admission::pki
