// Any bytes as PEM, or as DER in PEM: certificates, keys and bundles as servers and the controller
// read them. The first byte says how the rest is meant: 1 wraps it, 2 too, before a key.
#include <string>
#include <vector>

#include "fuzz/require.h"
#include "tpu_admission/base/base64.h"
#include "tpu_admission/pki/certificate.h"
#include "tpu_admission/pki/x509.h"

namespace {

using namespace tpu_admission;

std::string Pem(const std::string& label, std::string_view der) {
  return "-----BEGIN " + label + "-----\n" + EncodeBase64(der) + "\n-----END " + label + "-----\n";
}

const pki::KeyPair& Own() {
  static const pki::KeyPair own =
      pki::MakeAuthority("fuzz", {Clock::Wall(), Clock::Wall() + std::chrono::hours(24 * 365)})
          .value();
  return own;
}

// Whether there is a certificate that can be read.
bool CheckBundle(const std::string& pem) {
  const std::vector<pki::Certificate> bundle = pki::ReadBundle(pem);
  for (const pki::Certificate& certificate : bundle) {
    // What is read from it is read again from the text that stands for it.
    const auto again = pki::ReadCertificate(certificate.pem);
    REQUIRE(again.ok() && again->pem == certificate.pem);
    REQUIRE(again->validity == certificate.validity && again->dns_names == certificate.dns_names);
  }
  return !bundle.empty();
}

void CheckIdentity(const std::string& certificate, const std::string& key) {
  const auto identity = pki::ReadServerIdentity(certificate, key);
  if (!identity) return;
  REQUIRE(identity->leaf && identity->key && !identity->subject.empty());
  REQUIRE(identity->issuers.size() < 10);
  (void)UtcText(identity->validity.not_after);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = fuzz::Text(data, size);
  const unsigned form = fuzz::TakeByte(bytes);
  const std::string pem = form == 1   ? Pem("CERTIFICATE", bytes)
                          : form == 2 ? Pem("PRIVATE KEY", bytes)
                                      : std::string(bytes);
  // OpenSSL takes long to read a key: only beside what may be of use with it.
  if (CheckBundle(pem)) {
    (void)pki::Verify(pem, Own().certificate, "localhost", Clock::Wall());
    (void)pki::Verify(Own().certificate, pem, "localhost", Clock::Wall());
  }
  if (pem.find("KEY-----") != pem.npos) {
    (void)pki::BelongTogether(Own().certificate, pem);
    CheckIdentity(pem, pem);
  }
  CheckIdentity(pem, Own().private_key);
  return 0;
}
