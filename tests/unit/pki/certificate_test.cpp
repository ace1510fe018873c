#include "tpu_admission/pki/certificate.h"
#include "tpu_admission/pki/x509.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "pki/openssl_memory.h"

namespace tpu_admission::pki::certificate_test {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Clock::Wall kNow = std::chrono::system_clock::from_time_t(1795262401);
const Validity kDay{kNow - hours(1), kNow + hours(24)};
const std::vector<std::string> kNames = {"webhook.tpu.svc", "webhook"};

KeyPair Authority(Validity validity = kDay) {
  auto made = MakeAuthority("tpu-admission", validity);
  if (!made) ADD_FAILURE() << made.error().message;
  return made ? *made : KeyPair{};
}

KeyPair Serving(const KeyPair& authority, Validity validity = kDay) {
  auto made = Issue(authority, kNames, validity);
  if (!made) ADD_FAILURE() << made.error().message;
  return made ? *made : KeyPair{};
}

TEST(Certificates, SayWhatTheyWereMadeFor) {
  const KeyPair authority = Authority();
  const auto ca = ReadCertificate(authority.certificate);
  ASSERT_TRUE(ca);
  EXPECT_TRUE(ca->is_authority);
  EXPECT_EQ(ca->validity, kDay);
  EXPECT_EQ(ca->pem, authority.certificate);
  const auto serving = ReadCertificate(Serving(authority).certificate);
  ASSERT_TRUE(serving);
  EXPECT_FALSE(serving->is_authority);
  EXPECT_THAT(serving->dns_names, ElementsAre("webhook.tpu.svc", "webhook"));
}

TEST(Certificates, HaveTheProfileThatClientsDemand) {
  const KeyPair authority = Authority();
  const X509Ptr ca = ReadX509(BioOf(authority.certificate).get());
  const X509Ptr serving = ReadX509(BioOf(Serving(authority).certificate).get());
  EXPECT_EQ(EVP_PKEY_get_bits(X509_get0_pubkey(serving.get())), 256);
  EXPECT_EQ(X509_get_extended_key_usage(serving.get()), static_cast<unsigned>(XKU_SSL_SERVER));
  EXPECT_EQ(X509_get_key_usage(ca.get()), static_cast<unsigned>(KU_KEY_CERT_SIGN));
  EXPECT_EQ(X509_get_pathlen(ca.get()), 0);
  ASSERT_NE(X509_get0_authority_key_id(serving.get()), nullptr);
  EXPECT_EQ(ASN1_OCTET_STRING_cmp(X509_get0_authority_key_id(serving.get()),
                                  X509_get0_subject_key_id(ca.get())),
            0);
  const X509Ptr other = ReadX509(BioOf(Authority().certificate).get());
  EXPECT_NE(X509_NAME_cmp(X509_get_subject_name(ca.get()), X509_get_subject_name(other.get())), 0);
}

// RFC 5280 4.1.2.5: what never ends says 9999, which a Wall cannot hold. It was read as 1816.
TEST(Certificates, WithoutAnEndHaveNotExpired) {
  const KeyPair made = Authority();
  const X509Ptr certificate = ReadX509(BioOf(made.certificate).get());
  ASSERT_EQ(ASN1_TIME_set_string(X509_getm_notAfter(certificate.get()), "99991231235959Z"), 1);
  ASSERT_EQ(ASN1_TIME_set_string(X509_getm_notBefore(certificate.get()), "00010101000000Z"), 1);
  const std::unique_ptr<BIO, decltype(&BIO_free)> pem(BIO_new(BIO_s_mem()), BIO_free);
  ASSERT_EQ(PEM_write_bio_X509(pem.get(), certificate.get()), 1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(pem.get(), &text);
  const auto read = ReadCertificate(std::string(text, static_cast<std::size_t>(size)));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->validity.Contains(kNow));
  EXPECT_GT(read->validity.not_after - read->validity.not_before, hours(24));
}

TEST(Verify, TakesACertificateOfATrustedAuthorityOnly) {
  const KeyPair authority = Authority(), other = Authority();
  const KeyPair serving = Serving(authority);
  const auto why = [&](const std::string& bundle, const char* name, Clock::Wall time) {
    const Status status = Verify(serving.certificate, bundle, name, time);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(why(authority.certificate, "webhook.tpu.svc", kNow), "");
  EXPECT_EQ(why(other.certificate + "garbage\n" + authority.certificate, "webhook", kNow), "");
  EXPECT_THAT(why(other.certificate, "webhook", kNow), HasSubstr("unable to get"));
  EXPECT_THAT(why("", "webhook", kNow), HasSubstr("unable to get"));
  EXPECT_THAT(why(authority.certificate, "other.tpu.svc", kNow), HasSubstr("hostname mismatch"));
  EXPECT_THAT(why(authority.certificate, "webhook", kNow + hours(25)), HasSubstr("expired"));
  EXPECT_THAT(why(authority.certificate, "webhook", kNow - hours(2)), HasSubstr("not yet valid"));
}

TEST(Verify, DoesNotOutliveTheAuthority) {
  const KeyPair authority = Authority({kNow - hours(1), kNow + hours(2)});
  const KeyPair serving = Serving(authority);
  EXPECT_FALSE(Verify(serving.certificate, authority.certificate, "webhook", kNow + hours(3)));
}

TEST(Issue, RefusesWhatIsNoNameOrNoAuthority) {
  const KeyPair authority = Authority();
  EXPECT_THAT(Issue(authority, {"a,DNS:evil"}, kDay).error().message, HasSubstr("no DNS name"));
  EXPECT_THAT(Issue(authority, {}, kDay).error().message, HasSubstr("at least one name"));
  EXPECT_THAT(Issue({"x", "y"}, kNames, kDay).error().message, HasSubstr("unreadable"));
}

TEST(Issue, ALongNameIsCutInTheSubjectOnly) {
  const std::string name = std::string(60, 'a') + ".very-long-namespace.svc";
  const auto made = Issue(Authority(), {name}, kDay);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(ReadCertificate(made->certificate)->dns_names, ElementsAre(name));
}

TEST(ReadBundle, SkipsWhatIsDamaged) {
  const KeyPair first = Authority(), second = Authority(), damaged = Authority();
  std::string cut = damaged.certificate;
  cut.erase(60, 20);
  const auto bundle = ReadBundle("text\n" + first.certificate + cut + second.certificate);
  ASSERT_EQ(bundle.size(), 2U);
  EXPECT_EQ(bundle[0].pem, first.certificate);
  EXPECT_EQ(bundle[1].pem, second.certificate);
  EXPECT_TRUE(ReadBundle("").empty());
  EXPECT_TRUE(ReadBundle("-----BEGIN CERTIFICATE-----").empty());
}

TEST(BelongTogether, TellsPairsFromStrangers) {
  const KeyPair first = Authority(), second = Authority();
  EXPECT_TRUE(BelongTogether(first.certificate, first.private_key));
  EXPECT_FALSE(BelongTogether(first.certificate, second.private_key));
  EXPECT_FALSE(BelongTogether(first.certificate, ""));
  EXPECT_FALSE(BelongTogether("", first.private_key));
}

TEST(BelongTogether, SeesADamagedSecretHalf) {
  const KeyPair pair = Authority();
  std::string key = pair.private_key;
  key[80] = key[80] == 'A' ? 'B' : 'A';
  const X509Ptr certificate = ReadX509(BioOf(pair.certificate).get());
  EXPECT_EQ(X509_check_private_key(certificate.get(), ReadKey(key).get()), 1) << "does not see it";
  EXPECT_FALSE(BelongTogether(pair.certificate, key));
}

TEST(ReadCertificate, CallsNoAuthorityWhatDidNotSignItself) {
  const KeyPair authority = Authority();
  std::string damaged = authority.certificate;
  damaged[80] = damaged[80] == 'A' ? 'B' : 'A';
  const auto read = ReadCertificate(damaged);
  EXPECT_TRUE(!read || !read->is_authority);
}

std::string Why(const std::string& certificate, const std::string& key) {
  const auto identity = ReadServerIdentity(certificate, key);
  return identity ? "" : identity.error().message;
}

TEST(ReadServerIdentity, KnowsSubjectValidityAndIssuers) {
  const KeyPair authority = Authority();
  const KeyPair serving = Serving(authority);
  const auto identity =
      ReadServerIdentity(serving.certificate + authority.certificate, serving.private_key);
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_EQ(identity->subject, "CN=" + kNames[0]);
  EXPECT_EQ(identity->validity, kDay);
  EXPECT_EQ(identity->issuers.size(), 1U);
}

// Clients refuse a handshake that long.
TEST(ReadServerIdentity, RefusesAChainThatIsTooLong) {
  const KeyPair pair = Authority();
  std::string chain;
  for (int i = 0; i < 10; ++i) chain += pair.certificate;
  EXPECT_EQ(Why(chain, pair.private_key), "");
  EXPECT_THAT(Why(chain + pair.certificate, pair.private_key), HasSubstr("more than 10"));
  for (int i = 10; i < 300; ++i) chain += pair.certificate;
  EXPECT_THAT(Why(chain, pair.private_key), HasSubstr("over 64 KiB"));
}

TEST(ReadServerIdentity, SeesADamagedSecretHalf) {
  const KeyPair pair = Authority();
  std::string key = pair.private_key;
  key[80] = key[80] == 'A' ? 'B' : 'A';
  EXPECT_THAT(Why(pair.certificate, key), HasSubstr("does not belong"));
}

}  // namespace
}  // namespace tpu_admission::pki::certificate_test
