#include <ctime>

#include "pki/openssl_memory.h"
#include "tpu_admission/pki/certificate.h"

namespace tpu_admission::pki {
namespace {

Clock::Wall TimeOf(const ASN1_TIME* time) {
  std::tm utc{};
  ASN1_TIME_to_tm(time, &utc);
  return WallOf(timegm(&utc));
}

std::vector<std::string> DnsNamesOf(const X509* certificate) {
  const Owned<GENERAL_NAMES, GENERAL_NAMES_free> all(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> names;
  for (int i = 0; i < sk_GENERAL_NAME_num(all.get()); ++i) {
    int type = 0;
    const auto* const text = static_cast<const ASN1_IA5STRING*>(
        GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(all.get(), i), &type));
    if (type != GEN_DNS) continue;
    names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                       static_cast<std::size_t>(ASN1_STRING_length(text)));
  }
  ERR_clear_error();
  return names;
}

Certificate Describe(X509* certificate) {
  const BioPtr pem(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(pem.get(), certificate);
  const bool is_authority =
      X509_check_ca(certificate) == 1 && X509_self_signed(certificate, /*verify_signature=*/1) == 1;
  ERR_clear_error();
  return {TextOf(pem.get()), ValidityOf(certificate), is_authority, DnsNamesOf(certificate)};
}

}  // namespace

Validity ValidityOf(const X509* certificate) {
  return {TimeOf(X509_get0_notBefore(certificate)), TimeOf(X509_get0_notAfter(certificate))};
}

Result<Certificate> ReadCertificate(const std::string& pem) {
  const X509Ptr certificate = ReadX509(BioOf(pem).get());
  if (!certificate) return Error{"there is no readable PEM certificate"};
  return Describe(certificate.get());
}

// A block that is damaged costs only itself: the reader goes on behind it.
std::vector<X509Ptr> ReadTrusted(const std::string& pem) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  std::vector<X509Ptr> certificates;
  for (std::size_t at = pem.find(kBegin); at != pem.npos;) {
    const std::size_t next = pem.find(kBegin, at + kBegin.size());
    if (X509Ptr certificate = ReadX509(BioOf(pem.substr(at, next - at)).get())) {
      certificates.push_back(std::move(certificate));
    }
    at = next;
  }
  return certificates;
}

std::vector<Certificate> ReadBundle(const std::string& pem) {
  std::vector<Certificate> certificates;
  for (const X509Ptr& each : ReadTrusted(pem)) certificates.push_back(Describe(each.get()));
  return certificates;
}

// The key's file has the public half too, and a comparison of certificates looks at that one only:
// the secret half may be damaged all the same.
bool IsKeyOf(const X509* certificate, EVP_PKEY* key) {
  const Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free> context(
      EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
  const bool same = X509_check_private_key(certificate, key) == 1 && context &&
                    EVP_PKEY_pairwise_check(context.get()) == 1;
  ERR_clear_error();
  return same;
}

bool BelongTogether(const std::string& certificate, const std::string& private_key) {
  const X509Ptr read = ReadX509(BioOf(certificate).get());
  const KeyPtr key = ReadKey(private_key);
  return read && key && IsKeyOf(read.get(), key.get());
}

Status Verify(const std::string& certificate, const std::string& bundle,
              const std::string& dns_name, Clock::Wall time) {
  const X509Ptr leaf = ReadX509(BioOf(certificate).get());
  if (!leaf) return Error{"there is no readable PEM certificate"};
  const Owned<X509_STORE, X509_STORE_free> store(X509_STORE_new());
  for (const X509Ptr& trusted : ReadTrusted(bundle)) {
    X509_STORE_add_cert(store.get(), trusted.get());
  }
  const Owned<X509_STORE_CTX, X509_STORE_CTX_free> context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr);
  X509_STORE_CTX_set_default(context.get(), "ssl_server");
  X509_VERIFY_PARAM* const wanted = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_time(wanted, std::chrono::system_clock::to_time_t(time));
  X509_VERIFY_PARAM_set1_host(wanted, dns_name.c_str(), 0);
  const bool verified = X509_verify_cert(context.get()) == 1;
  const int why = X509_STORE_CTX_get_error(context.get());
  ERR_clear_error();
  if (verified) return OkStatus();
  return Error{X509_verify_cert_error_string(why)};
}

}  // namespace tpu_admission::pki
