// Certificates that come late, change under load, or are broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509v3.h>

#include "integration/net/load.h"

namespace tpu_admission::net::reload_test {
namespace {

using ::testing::HasSubstr;
using namespace support;
using std::chrono::milliseconds;

std::string SubjectSeenBy(const HttpClient& client) {
  X509* certificate = SSL_get1_peer_certificate(client.tls());
  if (certificate == nullptr) return "(none)";
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
  X509_free(certificate);
  return name;
}

void PollQuickly(ServerOptions& options) { options.limits.certificate_poll = milliseconds(10); }

TEST(ReloadTest, UnderLoadNoRequestIsLost) {
  TestServer server([](ServerOptions& options) {
    PollQuickly(options);
    options.threads = 2;
  });
  HttpClient old = server.Connect();
  ASSERT_TRUE(old.Exchange(Post("/x", "")));
  Load load(server.server->port(), 4);
  for (int round = 1; round <= 5; ++round) {
    const std::string name = "round" + std::to_string(round);
    server.secret.Swap(MakeCertificate(name));
    EXPECT_TRUE(Eventually([&] { return SubjectSeenBy(server.Connect()) == name; })) << round;
  }
  const int answered = load.answered;
  EXPECT_TRUE(Eventually([&] { return load.answered > answered; }));
  load.Stop();
  EXPECT_EQ(load.lost, 0);
  EXPECT_EQ(load.refused, 0);
  EXPECT_TRUE(old.Exchange(Post("/x", ""))) << "the old connection lives on";
  EXPECT_EQ(SubjectSeenBy(old), "localhost");
}

TEST(ReloadTest, ABrokenPairIsReportedAndTheOldOneStays) {
  TestServer server(PollQuickly);
  server.secret.Swap({"broken", "broken"});
  EXPECT_TRUE(Eventually([&] { return !server.observer.certificate_errors().empty(); }));
  EXPECT_TRUE(server.server->has_certificate());
  EXPECT_TRUE(server.Connect().Exchange(Post("/x", "")));
}

TEST(ReloadTest, MissingFilesAreNoErrorAndArePickedUp) {
  MountedSecret secret;
  RecordingObserver observer;
  ServerOptions options = LoopbackOptions(secret.files());
  PollQuickly(options);
  Server server(
      options, [] { return std::make_unique<EchoHandler>(); }, observer);
  ASSERT_TRUE(server.Start());
  EXPECT_FALSE(server.has_certificate());
  EXPECT_FALSE(HttpClient(server.port()).connected());
  EXPECT_TRUE(Eventually(
      [&] { return observer.count(ServerObserver::HandshakeResult::kNoCertificate) == 1; }));
  EXPECT_TRUE(Eventually([&] { return observer.certificate_errors().size() >= 3; }));
  secret.Swap(MakeCertificate());
  EXPECT_TRUE(Eventually([&] { return server.has_certificate(); }));
  EXPECT_TRUE(HttpClient(server.port()).Exchange(Post("/x", "")));
}

TEST(ReloadTest, BrokenFilesAtStartAreAnError) {
  const pki::KeyPair first = MakeCertificate(), second = MakeCertificate();
  MountedSecret secret({first.certificate, second.private_key});
  RecordingObserver observer;
  Server server(
      LoopbackOptions(secret.files()), [] { return std::make_unique<EchoHandler>(); }, observer);
  const Status started = server.Start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("does not belong to the certificate"));
  EXPECT_THAT(started.error().message, HasSubstr(secret.files().certificate));
}

// No client would take it: better to say so at once than to serve nobody.
TEST(ReloadTest, AnExpiredCertificateAtStartIsAnError) {
  const MountedSecret secret(MakeSelfSigned({"localhost"}, ValidFor(std::chrono::seconds(60))));
  RecordingObserver observer;
  Server server(
      LoopbackOptions(secret.files()), [] { return std::make_unique<EchoHandler>(); }, observer);
  const Status started = server.Start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("it expired at 20"));
  EXPECT_EQ(observer.certificate_errors().size(), 1u);
}

TEST(ReloadTest, APortThatIsTakenIsAnErrorThatNamesIt) {
  TestServer first;
  RecordingObserver observer;
  ServerOptions options = LoopbackOptions(first.secret.files());
  options.port = first.server->port();
  Server second(
      options, [] { return std::make_unique<EchoHandler>(); }, observer);
  const Status started = second.Start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("127.0.0.1 port " + std::to_string(options.port)));
  options.bind_address = "localhost";
  Server third(
      options, [] { return std::make_unique<EchoHandler>(); }, observer);
  EXPECT_THAT(third.Start().error().message, HasSubstr("localhost is no IP address"));
}

}  // namespace
}  // namespace tpu_admission::net::reload_test
