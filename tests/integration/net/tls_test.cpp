// What is greeted and what is not: versions, ciphers, ALPN, tickets, renegotiation.
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "support/test_server.h"

namespace tpu_admission::net::tls_test {
namespace {

using namespace support;
using Handshake = ServerObserver::HandshakeResult;

std::string Alpn(std::initializer_list<std::string> names) {
  std::string wire;
  for (const std::string& name : names) wire += static_cast<char>(name.size()) + name;
  return wire;
}

struct VersionCase {
  bool allow_tls12;
  int version;
  std::string ciphers;
  bool welcome;
};

TEST(TlsTest, Versions) {
  const VersionCase cases[] = {
      {false, TLS1_3_VERSION, "", true},
      {false, TLS1_2_VERSION, "", false},
      {false, TLS1_1_VERSION, "ALL:@SECLEVEL=0", false},
      {true, TLS1_3_VERSION, "", true},
      {true, TLS1_2_VERSION, "", true},
      {true, TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256", true},
      {true, TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA256", false},  // CBC
      {true, TLS1_2_VERSION, "ECDHE-ECDSA-AES256-SHA", false},
      {true, TLS1_2_VERSION, "aNULL:@SECLEVEL=0", false},
      {true, TLS1_1_VERSION, "ALL:@SECLEVEL=0", false},
      {true, TLS1_VERSION, "ALL:@SECLEVEL=0", false},
  };
  for (const bool allow_tls12 : {false, true}) {
    TestServer server(
        [allow_tls12](ServerOptions& options) { options.tls.allow_tls12 = allow_tls12; });
    for (const VersionCase& test : cases) {
      if (test.allow_tls12 != allow_tls12) continue;
      HttpClient client = server.Connect({.min_version = test.version,
                                          .max_version = test.version,
                                          .alpn = {},
                                          .ciphers = test.ciphers});
      const bool answered = client.connected() && client.Exchange(Post("/x", "")).has_value();
      EXPECT_EQ(answered, test.welcome) << std::hex << test.version << " " << test.ciphers
                                        << (allow_tls12 ? ", 1.2 allowed" : ", 1.3 only");
    }
    EXPECT_TRUE(Eventually([&server] { return server.observer.count(Handshake::kFailed) > 1; }));
  }
}

TEST(TlsTest, AlpnIsHttp11Only) {
  TestServer server;
  struct Case {
    std::string offer;
    bool welcome;
    std::string chosen;
  };
  const Case cases[] = {
      {"", true, ""},
      {Alpn({"http/1.1"}), true, "http/1.1"},
      {Alpn({"h2", "http/1.1"}), true, "http/1.1"},
      {Alpn({"h2"}), false, ""},
      {Alpn({"http/1.0", "spdy/3"}), false, ""},
  };
  for (const Case& test : cases) {
    HttpClient client = server.Connect({.alpn = test.offer, .ciphers = {}});
    const bool answered = client.connected() && client.Exchange(Post("/x", "")).has_value();
    EXPECT_EQ(answered, test.welcome) << test.offer;
    const unsigned char* chosen = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(client.tls(), &chosen, &length);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(chosen), length), test.chosen);
  }
}

// H2: a handshake by ffdhe8192 costs a server 400 times what one by X25519 does.
TEST(TlsTest, OnlyGroupsThatAreCheapAreWelcome) {
  TestServer server;
  const auto connects = [&](const std::string& groups) {
    return server.Connect({.alpn = {}, .ciphers = {}, .groups = groups}).connected();
  };
  for (const char* const cheap : {"X25519", "P-256", "P-384", "ffdhe8192:X25519"}) {
    EXPECT_TRUE(connects(cheap)) << cheap;
  }
  for (const char* const dear : {"ffdhe8192", "ffdhe2048:ffdhe4096", "P-521", "X448"}) {
    EXPECT_FALSE(connects(dear)) << dear;
  }
  const std::string hybrid = "X25519MLKEM768";  // of OpenSSL 3.5
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  const bool known = SSL_CTX_set1_groups_list(context, hybrid.c_str()) == 1;
  SSL_CTX_free(context);
  if (known) {
    EXPECT_TRUE(connects(hybrid));
  }
}

TEST(TlsTest, NoTicketsNoResumptionNoCompression) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TestServer server([](ServerOptions& options) { options.tls.allow_tls12 = true; });
    HttpClient client = server.Connect({.max_version = version, .alpn = {}, .ciphers = {}});
    ASSERT_TRUE(client.Exchange(Post("/x", "")));
    const SSL_SESSION* session = SSL_get_session(client.tls());
    EXPECT_EQ(SSL_SESSION_has_ticket(session), 0);
    EXPECT_EQ(SSL_SESSION_get_max_early_data(session), 0u);
    EXPECT_EQ(SSL_get_current_compression(client.tls()), nullptr);
  }
}

TEST(TlsTest, RenegotiationIsRefused) {
  TestServer server([](ServerOptions& options) { options.tls.allow_tls12 = true; });
  HttpClient client = server.Connect({.max_version = TLS1_2_VERSION, .alpn = {}, .ciphers = {}});
  ASSERT_TRUE(client.Exchange(Post("/x", "")));
  SSL_renegotiate(client.tls());
  EXPECT_NE(SSL_do_handshake(client.tls()), 1);
}

TEST(TlsTest, PlainHttpIsNoHandshake) {
  TestServer server;
  HttpClient client(server.server->port(), HttpClient::Transport::kPlain);
  client.Send(Post("/x", ""));
  EXPECT_TRUE(client.IsClosed());
  EXPECT_EQ(server.observer.count(Handshake::kFailed), 1);
}

TEST(TlsTest, AConnectionThatSaysNothingTimesOut) {
  TestServer server(
      [](ServerOptions& options) { options.limits.handshake = std::chrono::milliseconds(100); });
  HttpClient silent(server.server->port(), HttpClient::Transport::kPlain);
  HttpClient half(server.server->port(), HttpClient::Transport::kPlain);
  half.Send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  EXPECT_TRUE(silent.IsClosed());
  EXPECT_TRUE(half.IsClosed());
  EXPECT_TRUE(Eventually([&] { return server.observer.count(Handshake::kTimeout) == 2; }));
  EXPECT_TRUE(server.Connect().Exchange(Post("/x", "")));
}

}  // namespace
}  // namespace tpu_admission::net::tls_test
