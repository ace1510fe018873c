// Whom the client trusts.
#include "unit/kube/client_fixture.h"

namespace tpu_admission::kube {
namespace {

using ::testing::HasSubstr;
using testing::HttpOk;
using testing::MakeCertificate;
using testing::ScriptedRequest;
using testing::ScriptedServer;
using testing::WriteText;

class ClientTlsTest : public ClientFixture {
 protected:
  Answer Ask(const ScriptedServer& server, const std::string& host = "127.0.0.1") const {
    ClientOptions options = Options(server.url(host));
    options.attempts = 1;
    return ClientOf(options)->Get(secret_);
  }
  static std::string Ok(const ScriptedRequest&) { return HttpOk("{}"); }
};

TEST_F(ClientTlsTest, TrustsNamesAndAddressesOfTheCertificate) {
  ScriptedServer server(pair_, Ok);
  EXPECT_TRUE(Ask(server, "127.0.0.1").ok());
  EXPECT_EQ(server.sni(), "") << "addresses do not belong into SNI";
  const Answer by_name = Ask(server, "localhost");
  EXPECT_TRUE(by_name.ok()) << by_name.error;
  EXPECT_EQ(server.sni(), "localhost");
}

TEST_F(ClientTlsTest, SendsNoTokenToAnotherHost) {
  const auto other = net::MakeSelfSigned({"kubernetes.default.svc", "10.0.0.1"}, 1);
  ASSERT_TRUE(other);
  WriteText(Ca(), other->certificate);
  ScriptedServer server(*other, Ok);
  EXPECT_THAT(Ask(server, "127.0.0.1").error, HasSubstr("IP address mismatch"));
  EXPECT_THAT(Ask(server, "localhost").error, HasSubstr("hostname mismatch"));
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(ClientTlsTest, SendsNoTokenToAStranger) {
  ScriptedServer server(MakeCertificate(), Ok);
  const Answer answer = Ask(server);
  EXPECT_EQ(answer.outcome, Outcome::kUnreachable);
  EXPECT_THAT(answer.error, HasSubstr("TLS handshake failed"));
  EXPECT_THAT(answer.error, HasSubstr("self-signed certificate"));
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(ClientTlsTest, RefusesAnExpiredCertificate) {
  const auto expired = net::MakeSelfSigned({"127.0.0.1"}, -1);
  ASSERT_TRUE(expired);
  WriteText(Ca(), expired->certificate);
  ScriptedServer server(*expired, Ok);
  EXPECT_THAT(Ask(server).error, HasSubstr("expired"));
}

TEST_F(ClientTlsTest, SpeaksTls12ButNothingOlder) {
  ScriptedServer newer(pair_, Ok, TLS1_2_VERSION);
  EXPECT_TRUE(Ask(newer).ok());
  ScriptedServer older(pair_, Ok, TLS1_1_VERSION);
  EXPECT_THAT(Ask(older).error, HasSubstr("TLS handshake failed"));
}

TEST_F(ClientTlsTest, ReadsARenewedCa) {
  const net::SelfSigned second = MakeCertificate();
  auto server = std::make_unique<ScriptedServer>(pair_, Ok);
  const std::uint16_t port = server->port();
  ClientOptions options = Options(server->url());
  options.attempts = 1;
  const auto client = ClientOf(options);
  EXPECT_TRUE(client->Get(secret_).ok());
  server.reset();
  server = std::make_unique<ScriptedServer>(second, Ok, TLS1_3_VERSION, port);
  EXPECT_FALSE(client->Get(secret_).ok());
  WriteText(Ca(), pair_.certificate + second.certificate);
  const Answer answer = client->Get(secret_);
  EXPECT_TRUE(answer.ok()) << answer.error;
}

TEST_F(ClientTlsTest, DropsTheConnectionToAServerThatIsTrustedNoMore) {
  ScriptedServer server(pair_, Ok);
  ClientOptions options = Options(server.url());
  options.attempts = 1;
  const auto client = ClientOf(options);
  EXPECT_TRUE(client->Get(secret_).ok());
  WriteText(Ca(), MakeCertificate().certificate);
  EXPECT_THAT(client->Get(secret_).error, HasSubstr("TLS handshake failed"));
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(ClientTlsTest, NamesABrokenCaFile) {
  ScriptedServer server(pair_, Ok);
  WriteText(Ca(), "garbage");
  EXPECT_THAT(Ask(server).error, HasSubstr("cannot use CA file " + Ca()));
  std::filesystem::remove(Ca());
  EXPECT_THAT(Ask(server).error, HasSubstr("cannot read CA file " + Ca()));
}

TEST(Client, RefusesPlainHttp) {
  ClientOptions options;
  options.server = "http://127.0.0.1:8080";
  const auto client = Client::Make(options);
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().message, HasSubstr("https://HOST"));
}

}  // namespace
}  // namespace tpu_admission::kube
