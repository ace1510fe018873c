#include "tpu_admission/net/self_signed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "net/openssl_memory.h"

namespace tpu_admission::net {
namespace {

using ::testing::HasSubstr;

X509Ptr Parse(const std::string& pem) {
  const BioPtr bio = BioOf(pem);
  return X509Ptr(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

TEST(MakeSelfSigned, HoldsNamesAndAddressesAndVerifiesItself) {
  const std::vector<std::string> names = {"webhook.tpu.svc", "*.example.com", "127.0.0.1", "::1"};
  const auto made = MakeSelfSigned(names, 30);
  ASSERT_TRUE(made) << made.error().message;
  const X509Ptr certificate = Parse(made->certificate);
  ASSERT_TRUE(certificate);
  EXPECT_EQ(X509_check_host(certificate.get(), "webhook.tpu.svc", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(certificate.get(), "a.example.com", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(certificate.get(), "other.tpu.svc", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.2", 0), 0);
  EXPECT_EQ(X509_verify(certificate.get(), X509_get0_pubkey(certificate.get())), 1);
  EXPECT_EQ(EVP_PKEY_get_bits(X509_get0_pubkey(certificate.get())), 256);

  const BioPtr bio = BioOf(made->private_key);
  const KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  ASSERT_TRUE(key);
  EXPECT_EQ(X509_check_private_key(certificate.get(), key.get()), 1);
}

TEST(MakeSelfSigned, IsValidFromBeforeNowForTheDaysAsked) {
  const auto made = MakeSelfSigned({"a"}, 30);
  ASSERT_TRUE(made);
  const X509Ptr certificate = Parse(made->certificate);
  int days = 0, seconds = 0;
  ASSERT_EQ(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(certificate.get()),
                           X509_get0_notAfter(certificate.get())),
            1);
  EXPECT_EQ(days, 30);
  EXPECT_LT(X509_cmp_current_time(X509_get0_notBefore(certificate.get())), 0);
}

TEST(MakeSelfSigned, TwoAreNeverTheSame) {
  const auto first = MakeSelfSigned({"a"}, 1), second = MakeSelfSigned({"a"}, 1);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->certificate, second->certificate);
  EXPECT_NE(first->private_key, second->private_key);
}

TEST(MakeSelfSigned, ALongNameIsCutInTheSubjectOnly) {
  const std::string name = std::string(60, 'a') + ".tpu-admission-system.svc";
  const auto made = MakeSelfSigned({name}, 1);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(X509_check_host(Parse(made->certificate).get(), name.c_str(), 0, 0, nullptr), 1);
}

TEST(MakeSelfSigned, RefusesWhatIsNoName) {
  EXPECT_THAT(MakeSelfSigned({}, 1).error().message, HasSubstr("at least one name"));
  EXPECT_FALSE(MakeSelfSigned({"a,b"}, 1));
  EXPECT_FALSE(MakeSelfSigned({"a\nIP:1.2.3.4"}, 1));
  EXPECT_FALSE(MakeSelfSigned({""}, 1));
}

}  // namespace
}  // namespace tpu_admission::net
