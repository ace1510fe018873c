#include "net/certificate_watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/certificate.h"
#include "support/recording_observer.h"

namespace tpu_admission::net::certificate_watcher_test {
namespace {

using support::MakeCertificate;
using support::MakeSelfSigned;
using support::MountedSecret;
using support::ValidFor;
using support::WriteText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Outcome = CertificateWatcher::Outcome;

class CertificateWatcherTest : public ::testing::Test {
 protected:
  std::string subject() const {
    const auto current = watcher_.current();
    return current ? current->subject() : "(none)";
  }

  MountedSecret secret_;
  support::RecordingObserver observer_;
  const SystemClock clock_;
  CertificateWatcher watcher_{secret_.files(), clock_, observer_};
};

TEST_F(CertificateWatcherTest, MissingFilesAreReportedAtEachLookAndPickedUpLater) {
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kMissing);
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kMissing);
  EXPECT_EQ(watcher_.current(), nullptr);
  EXPECT_THAT(observer_.certificate_errors(),
              ElementsAre(HasSubstr("tls.crt: No such file"), HasSubstr("tls.crt: No such file")));
  secret_.Swap(MakeCertificate("late"));
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kLoaded);
  EXPECT_EQ(subject(), "CN=late");
}

TEST_F(CertificateWatcherTest, OneOfTheTwoMissingIsMissing) {
  const pki::KeyPair pair = MakeCertificate();
  WriteText(secret_.files().certificate, pair.certificate);
  const CertificateWatcher::Look look = watcher_.Poll();
  EXPECT_EQ(look.outcome, Outcome::kMissing);
  EXPECT_THAT(look.why, HasSubstr("private key " + secret_.files().private_key));
}

TEST_F(CertificateWatcherTest, TheSameBytesAreNotLoadedAgain) {
  const pki::KeyPair pair = MakeCertificate();
  secret_.Swap(pair);
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kLoaded);
  const auto first = watcher_.current();
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kUnchanged);
  secret_.Swap(pair);  // the kubelet swaps, the bytes stay
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kUnchanged);
  EXPECT_EQ(watcher_.current(), first);
  EXPECT_EQ(observer_.certificates().size(), 1u);
}

TEST_F(CertificateWatcherTest, FollowsTheKubeletsSwap) {
  secret_.Swap(MakeCertificate("first"));
  watcher_.Poll();
  secret_.Swap(MakeCertificate("second"));
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kLoaded);
  EXPECT_EQ(subject(), "CN=second");
  EXPECT_THAT(observer_.certificates(), ElementsAre("CN=first", "CN=second"));
  EXPECT_EQ(observer_.not_after(), watcher_.current()->validity().not_after);
  EXPECT_THAT(observer_.certificate_errors(), IsEmpty());
}

TEST_F(CertificateWatcherTest, ABadPairKeepsTheOldOne) {
  const pki::KeyPair good = MakeCertificate("good"), other = MakeCertificate("other");
  secret_.Swap(good);
  watcher_.Poll();
  const pki::KeyPair bad[] = {
      {other.certificate, good.private_key},  // certificate and key of two moments
      {"-----BEGIN CERTIFICATE-----\n", good.private_key},
      {good.certificate, ""},
      {std::string(2u << 20, 'x'), good.private_key},  // absurdly large
  };
  for (const pki::KeyPair& pair : bad) {
    secret_.Swap(pair);
    const CertificateWatcher::Look look = watcher_.Poll();
    EXPECT_EQ(look.outcome, Outcome::kFailed);
    EXPECT_THAT(look.why, HasSubstr(secret_.files().certificate));
    EXPECT_EQ(subject(), "CN=good");
  }
  EXPECT_EQ(observer_.certificate_errors().size(), std::size(bad));
  secret_.Swap(other);
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kLoaded);
  EXPECT_EQ(subject(), "CN=other");
}

TEST_F(CertificateWatcherTest, AVanishedSecretKeepsTheOldPair) {
  secret_.Swap(MakeCertificate("good"));
  watcher_.Poll();
  std::filesystem::remove(secret_.files().private_key);
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kMissing);
  EXPECT_EQ(subject(), "CN=good");
}

TEST_F(CertificateWatcherTest, ADirectoryIsNoCertificate) {
  std::filesystem::create_directory(secret_.files().certificate);
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kFailed);
}

// Readiness and clients depend on the good one.
TEST_F(CertificateWatcherTest, WhatNoClientTakesNowNeverReplacesAGoodPair) {
  secret_.Swap(MakeCertificate("good"));
  watcher_.Poll();
  const auto now = clock_.Now();
  const pki::KeyPair expired = MakeSelfSigned({"expired"}, ValidFor(std::chrono::seconds(60)));
  const pki::KeyPair future =
      MakeSelfSigned({"future"}, {now + std::chrono::hours(1), now + std::chrono::hours(2)});
  secret_.Swap(expired);
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kFailed);
  secret_.Swap(future);
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kFailed);
  EXPECT_EQ(subject(), "CN=good");
  EXPECT_THAT(observer_.certificate_errors(),
              ElementsAre(HasSubstr("it expired at 20"), HasSubstr("it is not valid before 20")));
  EXPECT_EQ(observer_.certificates().size(), 1u);
}

// A pipe that nobody writes to must not keep the thread, which SIGTERM waits for.
TEST_F(CertificateWatcherTest, APipeIsNoKey) {
  const pki::KeyPair pair = MakeCertificate();
  WriteText(secret_.files().certificate, pair.certificate);
  ASSERT_EQ(mkfifo(secret_.files().private_key.c_str(), 0600), 0);
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kFailed);
}

TEST_F(CertificateWatcherTest, EmptyFilesAreNoCertificate) {
  secret_.Swap({"", ""});
  EXPECT_EQ(watcher_.Poll().outcome, Outcome::kFailed);
}

}  // namespace
}  // namespace tpu_admission::net::certificate_watcher_test
