// Whom the client trusts.
#include <openssl/ui.h>
#include <sys/stat.h>

#include "unit/kube/client_fixture.h"

namespace tpu_admission::kube::client_tls_test {
namespace {

using support::HttpOk;
using support::MakeCertificate;
using support::MakeSelfSigned;
using support::ScriptedRequest;
using support::ScriptedServer;
using support::ValidFor;
using support::WriteText;
using ::testing::HasSubstr;

class ClientTlsTest : public ClientFixture {
 protected:
  // Names need no resolver here, nor a hosts file: the address stays 127.0.0.1.
  Answer Ask(const ScriptedServer& server, const std::string& name = "") const {
    ClientOptions options = Options(server.url());
    options.tls_server_name = name;
    options.attempts = 1;
    return ClientOf(options)->Get(secret_);
  }
  static std::string Ok(const ScriptedRequest&) {
    return HttpOk(R"({"kind": "Secret", "metadata": {"name": "tls", "resourceVersion": "7"}})");
  }
};

TEST_F(ClientTlsTest, TrustsNamesAndAddressesOfTheCertificate) {
  ScriptedServer server(pair_, Ok);
  EXPECT_TRUE(Ask(server).ok());
  EXPECT_EQ(server.sni(), "") << "addresses do not belong into SNI";
  const Answer by_name = Ask(server, "localhost");
  EXPECT_TRUE(by_name.ok()) << by_name.error;
  EXPECT_EQ(server.sni(), "localhost");
}

TEST_F(ClientTlsTest, SendsNoTokenToAnotherHost) {
  const pki::KeyPair other = MakeSelfSigned({"kubernetes.default.svc", "10.0.0.1"});
  WriteText(Ca(), other.certificate);
  ScriptedServer server(other, Ok);
  EXPECT_THAT(Ask(server).error, HasSubstr("IP address mismatch"));
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
  const pki::KeyPair expired = MakeSelfSigned({"127.0.0.1"}, ValidFor(std::chrono::seconds(1)));
  WriteText(Ca(), expired.certificate);
  ScriptedServer server(expired, Ok);
  EXPECT_THAT(Ask(server).error, HasSubstr("expired"));
}

TEST_F(ClientTlsTest, SpeaksTls12ButNothingOlder) {
  ScriptedServer newer(pair_, Ok, TLS1_2_VERSION);
  EXPECT_TRUE(Ask(newer).ok());
  ScriptedServer older(pair_, Ok, TLS1_1_VERSION);
  EXPECT_THAT(Ask(older).error, HasSubstr("TLS handshake failed"));
}

TEST_F(ClientTlsTest, ReadsARenewedCa) {
  const pki::KeyPair second = MakeCertificate();
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

// A certificate that is encrypted is an error. OpenSSL would ask the terminal for its passphrase.
TEST_F(ClientTlsTest, NeverAsksForAPassphrase) {
  static int asked = 0;
  asked = 0;
  UI_METHOD* const terminal = UI_create_method("terminal");
  UI_method_set_opener(terminal, [](UI*) { return ++asked, 0; });
  const UI_METHOD* const before = UI_get_default_method();
  UI_set_default_method(terminal);
  std::string encrypted = pair_.certificate;
  const std::string begin = "-----BEGIN CERTIFICATE-----\n";
  encrypted.insert(begin.size(),
                   "Proc-Type: 4,ENCRYPTED\nDEK-Info: "
                   "AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n");
  WriteText(Ca(), encrypted);
  ScriptedServer server(pair_, Ok);
  EXPECT_THAT(Ask(server).error, HasSubstr("no readable PEM certificate"));
  UI_set_default_method(before);
  UI_destroy_method(terminal);
  EXPECT_EQ(asked, 0);
}

// The service account's files are the kubelet's; a pipe in their place must hang nobody.
TEST_F(ClientTlsTest, APipeIsNoCaFile) {
  ScriptedServer server(pair_, Ok);
  std::filesystem::remove(Ca());
  ASSERT_EQ(mkfifo(Ca().c_str(), 0600), 0);
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
}  // namespace tpu_admission::kube::client_tls_test
