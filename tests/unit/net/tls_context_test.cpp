#include "net/tls_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "pki/openssl_memory.h"
#include "support/certificate.h"

namespace tpu_admission::net::tls_context_test {
namespace {

using support::MakeCertificate;
using ::testing::HasSubstr;
using ::testing::Not;

std::string RsaKey() {
  const pki::KeyPtr key(EVP_RSA_gen(2048));
  const pki::BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return pki::TextOf(bio.get());
}

TEST(TlsContext, KnowsSubjectAndExpiry) {
  const pki::KeyPair pair = MakeCertificate("webhook.tpu.svc");
  const auto context = TlsContext::FromPem(pair.certificate, pair.private_key, false);
  ASSERT_TRUE(context) << context.error().message;
  EXPECT_EQ((*context)->subject(), "CN=webhook.tpu.svc");
  const auto left = (*context)->validity().not_after - std::chrono::system_clock::now();
  EXPECT_GT(left, std::chrono::hours(23));
  EXPECT_LE(left, std::chrono::hours(24));
}

TEST(TlsContext, TakesAChain) {
  const pki::KeyPair leaf = MakeCertificate("leaf"), issuer = MakeCertificate("issuer");
  const auto context =
      TlsContext::FromPem(leaf.certificate + issuer.certificate, leaf.private_key, false);
  ASSERT_TRUE(context) << context.error().message;
  EXPECT_EQ((*context)->subject(), "CN=leaf");
}

TEST(TlsContext, ASessionOutlivesItsContext) {
  const pki::KeyPair pair = MakeCertificate();
  auto context = TlsContext::FromPem(pair.certificate, pair.private_key, false);
  ASSERT_TRUE(context);
  SSL* const session = (*context)->NewSession();
  context = Error{"gone"};
  EXPECT_EQ(SSL_CTX_get_min_proto_version(SSL_get_SSL_CTX(session)), TLS1_3_VERSION);
  SSL_free(session);
}

TEST(TlsContext, Refusals) {
  const pki::KeyPair pair = MakeCertificate(), other = MakeCertificate();
  const std::string cut = pair.certificate.substr(0, pair.certificate.size() / 2);
  struct Case {
    const char* name;
    std::string certificate, key, reason;
  };
  const Case cases[] = {
      {"empty certificate", "", pair.private_key, "no readable PEM certificate"},
      {"text", "not PEM", pair.private_key, "no readable PEM certificate"},
      {"cut", cut, pair.private_key, "no readable PEM certificate"},
      {"broken chain", pair.certificate + cut, pair.private_key, "chain is not readable"},
      {"empty key", pair.certificate, "", "no readable PEM private key"},
      {"certificate for a key", pair.certificate, pair.certificate, "no readable PEM private key"},
      {"a key of another kind", pair.certificate, RsaKey(), "does not belong"},
      {"another key", pair.certificate, other.private_key, "does not belong"},
      {"files exchanged", pair.private_key, pair.certificate, "no readable PEM certificate"},
  };
  for (const Case& test : cases) {
    const auto context = TlsContext::FromPem(test.certificate, test.key, false);
    ASSERT_FALSE(context) << test.name;
    EXPECT_THAT(context.error().message, HasSubstr(test.reason)) << test.name;
    EXPECT_THAT(context.error().message, Not(HasSubstr("\n"))) << test.name;
  }
}

// An encrypted key must fail at once: OpenSSL would ask the terminal for its passphrase.
TEST(TlsContext, AnEncryptedKeyIsRefusedWithoutAsking) {
  const pki::KeyPair pair = MakeCertificate();
  const std::string encrypted =
      "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n"
      "DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\nAAAAAAAAAAAAAAAAAAAAAA==\n"
      "-----END EC PRIVATE KEY-----\n";
  const auto context = TlsContext::FromPem(pair.certificate, encrypted, false);
  ASSERT_FALSE(context);
  EXPECT_THAT(context.error().message, HasSubstr("without a passphrase"));
}

}  // namespace
}  // namespace tpu_admission::net::tls_context_test
