// What the client sends, what it makes of answers, when it tries again, and that it always ends.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "unit/kube/client_fixture.h"

namespace tpu_admission::kube::client_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using support::HttpOk;
using support::HttpStatus;
using support::ScriptedRequest;
using support::ScriptedServer;
using support::WriteText;
using ::testing::HasSubstr;
using ::testing::Not;

using ClientTest = ClientFixture;

std::optional<std::string> Nothing(const ScriptedRequest&) { return std::nullopt; }

TEST_F(ClientTest, ReadsAnObjectByName) {
  ScriptedServer server(pair_, [&](const ScriptedRequest&) {
    return HttpOk(object_, "Date: Sat, 21 Nov 2026 12:00:01 GMT\r\n");
  });
  const Answer answer = ClientOf(Options(server.url()))->Get(secret_);
  ASSERT_TRUE(answer.ok()) << answer.error;
  EXPECT_EQ(answer.body, object_);
  EXPECT_EQ(answer.status, 200U);
  ASSERT_TRUE(answer.server_time);
  EXPECT_EQ(std::chrono::system_clock::to_time_t(*answer.server_time), 1795262401);

  const ScriptedRequest request = server.requests().at(0);
  EXPECT_TRUE(request.head.starts_with("GET /api/v1/namespaces/ns/secrets/tls HTTP/1.1\r\n"));
  EXPECT_TRUE(request.Has("Authorization: Bearer secret-token")) << request.head;
  EXPECT_TRUE(request.Has("Host: 127.0.0.1:" + std::to_string(server.port()))) << request.head;
  EXPECT_TRUE(request.Has("Accept: application/json")) << request.head;
}

// What is patched without a version is patched whatever stands there, so nothing is read from what
// is not the object.
TEST_F(ClientTest, WhatIsNotTheObjectIsAnError) {
  const std::string others[] = {
      "",
      "{}",
      "[]",
      "<html>maintenance</html>",
      R"({"kind": "Status", "metadata": {"name": "tls", "resourceVersion": "7"}})",
      R"({"kind": "Secret", "metadata": {"name": "other", "resourceVersion": "7"}})",
      R"({"kind": "Secret", "metadata": {"name": "tls", "resourceVersion": ""}})",
      R"({"kind": "Secret", "metadata": {"name": "tls", "resourceVersion": 7}})",
      R"({"kind": "Secret", "metadata": {"name": "tls"}})"};
  for (const std::string& other : others) {
    ScriptedServer server(pair_, [&](const ScriptedRequest&) { return HttpOk(other); });
    const auto client = ClientOf(Options(server.url()));
    for (const Answer& answer :
         {client->Get(secret_), client->Patch(secret_, PatchKind::kMerge, "{}")}) {
      EXPECT_EQ(answer.outcome, Outcome::kUnreachable) << other;
      EXPECT_EQ(answer.body, "");
      EXPECT_EQ(answer.error,
                "/api/v1/namespaces/ns/secrets/tls: what answers is no API server: it gives no "
                "Secret of this name with a resourceVersion");
    }
  }
}

TEST_F(ClientTest, HandsOnWarningsOfAnyAnswer) {
  for (const bool good : {true, false}) {
    ScriptedServer server(pair_, [&](const ScriptedRequest&) {
      const std::string warnings = "Warning: 299 - \"one\"\r\nWarning: 299 - \"two\"\r\n";
      return good ? HttpOk("{}", warnings) : HttpStatus(403, "{}", warnings);
    });
    const Answer answer = ClientOf(Options(server.url()))->DryRunCreate("/pods", "{}");
    EXPECT_EQ(answer.ok(), good);
    EXPECT_THAT(answer.warnings, ::testing::ElementsAre("299 - \"one\"", "299 - \"two\""));
    EXPECT_TRUE(server.requests().at(0).head.starts_with("POST /pods?dryRun=All HTTP/1.1\r\n"));
  }
}

// Some servers print the head of a request that they refuse; what we tell goes to logs.
TEST_F(ClientTest, TellsNobodyOfItsToken) {
  ScriptedServer server(pair_, [&](const ScriptedRequest& request) {
    return HttpStatus(401, "<pre>" + request.head + "</pre>",
                      "Warning: 299 - \"Bearer secret-token is old\"\r\n");
  });
  const auto client = ClientOf(Options(server.url()));
  for (const Answer& answer : {client->Get(secret_), client->Read("/api/v1/pods")}) {
    EXPECT_THAT(answer.error, HasSubstr("Bearer [our token]"));
    EXPECT_THAT(answer.error, Not(HasSubstr("secret-token")));
    EXPECT_THAT(answer.warnings, ::testing::ElementsAre("299 - \"Bearer [our token] is old\""));
  }
}

TEST_F(ClientTest, PatchesAnObjectByName) {
  ScriptedServer server(pair_, [&](const ScriptedRequest&) { return HttpOk(object_); });
  const auto client = ClientOf(Options(server.url()));
  EXPECT_TRUE(client->Patch(secret_, PatchKind::kMerge, R"({"data": {}})").ok());
  EXPECT_TRUE(client->Patch(secret_, PatchKind::kJson, "[]").ok());
  const auto requests = server.requests();
  EXPECT_TRUE(requests.at(0).head.starts_with(
      "PATCH /api/v1/namespaces/ns/secrets/tls?fieldManager=tpu-admission-controller HTTP/1.1"));
  EXPECT_TRUE(requests.at(0).Has("Content-Type: application/merge-patch+json"));
  EXPECT_EQ(requests.at(0).body, R"({"data": {}})");
  EXPECT_TRUE(requests.at(1).Has("Content-Type: application/json-patch+json"));
  EXPECT_EQ(server.connections(), 1) << "the connection is kept";
}

TEST_F(ClientTest, ReadsAppliesAndDeletesOfCollections) {
  ScriptedServer server(pair_, [&](const ScriptedRequest&) { return HttpOk(object_); });
  const auto client = ClientOf(Options(server.url()));
  EXPECT_TRUE(client->Read("/api/v1/pods?limit=1").ok());
  EXPECT_TRUE(client->Apply("/apis/x/v1/reports/r", R"({"a": 1})").ok());
  EXPECT_TRUE(client->Delete("/apis/x/v1/reports/r").ok());
  const auto requests = server.requests();
  EXPECT_TRUE(requests.at(0).head.starts_with("GET /api/v1/pods?limit=1 HTTP/1.1"));
  EXPECT_TRUE(requests.at(1).head.starts_with(
      "PATCH /apis/x/v1/reports/r?force=true&fieldManager=tpu-admission-controller HTTP/1.1"));
  EXPECT_TRUE(requests.at(1).Has("Content-Type: application/apply-patch+yaml"));
  EXPECT_EQ(requests.at(1).body, R"({"a": 1})");
  EXPECT_TRUE(requests.at(2).head.starts_with("DELETE /apis/x/v1/reports/r HTTP/1.1"));
}

TEST_F(ClientTest, TriesAgainWhatMayPass) {
  for (const int status : {429, 500, 503}) {
    std::atomic<int> left = 3;
    ScriptedServer server(pair_, [&](const ScriptedRequest&) {
      return left-- > 0 ? HttpStatus(status, "busy") : HttpOk(object_);
    });
    const Answer answer = ClientOf(Options(server.url()))->Get(secret_);
    EXPECT_TRUE(answer.ok()) << answer.error;
    EXPECT_EQ(server.requests().size(), 4U) << status;
  }
}

TEST_F(ClientTest, AsksOnceWhereTheAnswerIsFinal) {
  for (const int status : {400, 401, 403, 404, 409, 422}) {
    ScriptedServer server(
        pair_, [&](const ScriptedRequest&) { return HttpStatus(status, R"({"message": "no"})"); });
    const Answer answer = ClientOf(Options(server.url()))->Get(secret_);
    EXPECT_EQ(answer.status, static_cast<unsigned>(status));
    EXPECT_THAT(answer.error, HasSubstr("GET /api/v1/namespaces/ns/secrets/tls: HTTP"));
    EXPECT_EQ(server.requests().size(), 1U) << status;
  }
}

TEST_F(ClientTest, GivesUpAfterItsAttempts) {
  ScriptedServer server(pair_, [](const ScriptedRequest&) { return HttpStatus(503, "down"); });
  ClientOptions options = Options(server.url());
  options.attempts = 3;
  const Answer answer = ClientOf(options)->Get(secret_);
  EXPECT_EQ(answer.outcome, Outcome::kUnreachable);
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST_F(ClientTest, WaitsForRetryAfter) {
  std::atomic<int> left = 1;
  ScriptedServer server(pair_, [&](const ScriptedRequest&) {
    return left-- > 0 ? HttpStatus(429, "slowly", "Retry-After: 1\r\n") : HttpOk(object_);
  });
  const auto start = steady_clock::now();
  EXPECT_TRUE(ClientOf(Options(server.url()))->Get(secret_).ok());
  EXPECT_GE(steady_clock::now() - start, milliseconds(1'000));
}

TEST_F(ClientTest, DoesNotWaitPastItsDeadline) {
  ScriptedServer server(pair_, [](const ScriptedRequest&) {
    return HttpStatus(429, "slowly", "Retry-After: 3600\r\n");
  });
  const auto start = steady_clock::now();
  EXPECT_EQ(ClientOf(Options(server.url()))->Get(secret_).status, 429U);
  EXPECT_LT(steady_clock::now() - start, milliseconds(1'500));
}

// A server may send answers of 1xx before the one that counts, unasked.
TEST_F(ClientTest, ReadsOnBehindInterimAnswers) {
  ScriptedServer server(pair_, [](const ScriptedRequest& request) {
    const std::string asked = request.head.substr(0, request.head.find(" HTTP"));
    return "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
           HttpOk(asked);
  });
  const auto client = ClientOf(Options(server.url()));
  for (const char* path : {"/a", "/b", "/c"}) {
    const Answer answer = client->Read(path);
    EXPECT_TRUE(answer.ok()) << answer.error;
    EXPECT_EQ(answer.body, std::string("GET ") + path);
  }
  EXPECT_EQ(server.connections(), 1);
}

// Nor is what follows them taken for the answer to another request.
TEST_F(ClientTest, InterimAnswersWithoutEndAndOtherProtocolsAreErrors) {
  std::string many;
  for (int i = 0; i < 1'000; ++i) many += "HTTP/1.1 100 Continue\r\n\r\n";
  for (const std::string& before :
       {many, std::string("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")}) {
    ScriptedServer server(pair_, [&](const ScriptedRequest&) { return before + HttpOk(object_); });
    const auto client = ClientOf(Options(server.url()));
    for (int call = 1; call <= 2; ++call) {
      const Answer answer = client->Get(secret_);
      EXPECT_EQ(answer.outcome, Outcome::kRefused);
      EXPECT_THAT(answer.error, HasSubstr("HTTP 10"));
      EXPECT_EQ(server.connections(), call) << "it is not kept";
    }
  }
}

TEST_F(ClientTest, KeepsNoConnectionOnWhichMoreWasSaidThanAsked) {
  ScriptedServer server(pair_,
                        [&](const ScriptedRequest&) { return HttpOk(object_) + HttpOk("{}"); });
  const auto client = ClientOf(Options(server.url()));
  for (int call = 1; call <= 3; ++call) {
    EXPECT_EQ(client->Get(secret_).body, object_);
    EXPECT_EQ(server.connections(), call);
  }
}

TEST_F(ClientTest, NoCallGoesOnBeyondTheEndOfAll) {
  ScriptedServer server(pair_, [](const ScriptedRequest&) { return ""; });
  const auto client = ClientOf(Options(server.url()));
  const auto start = steady_clock::now();
  client->EndBy(start + milliseconds(300));
  for (int call = 1; call <= 3; ++call) {
    EXPECT_EQ(client->Get(secret_).outcome, Outcome::kUnreachable);
    EXPECT_LT(steady_clock::now() - start, milliseconds(1'500));
  }
}

TEST_F(ClientTest, OpensAnotherConnectionWhenTheServerClosedTheOldOne) {
  ScriptedServer server(pair_, [&](const ScriptedRequest&) { return HttpOk(object_); });
  ClientOptions options = Options(server.url());
  options.attempts = 1;
  const auto client = ClientOf(options);
  EXPECT_TRUE(client->Get(secret_).ok());
  server.CloseConnections();
  const Answer answer = client->Get(secret_);
  EXPECT_TRUE(answer.ok()) << answer.error;
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(ClientTest, ClosesWhereTheServerAsksForIt) {
  ScriptedServer server(
      pair_, [&](const ScriptedRequest&) { return HttpOk(object_, "Connection: close\r\n"); });
  const auto client = ClientOf(Options(server.url()));
  EXPECT_TRUE(client->Get(secret_).ok());
  EXPECT_TRUE(client->Get(secret_).ok());
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(ClientTest, EndsWhenNobodyListens) {
  std::string url;
  {
    ScriptedServer server(pair_, Nothing);
    url = server.url();
  }
  const Answer answer = ClientOf(Options(url))->Get(secret_);
  EXPECT_EQ(answer.outcome, Outcome::kUnreachable);
  EXPECT_EQ(answer.status, 0U);
  EXPECT_THAT(answer.error, HasSubstr("cannot connect"));
  EXPECT_FALSE(answer.server_time);
}

TEST_F(ClientTest, ComesBackWithTheServer) {
  auto first = std::make_unique<ScriptedServer>(
      pair_, [&](const ScriptedRequest&) { return HttpOk(object_); });
  const std::uint16_t port = first->port();
  ClientOptions options = Options(first->url());
  options.first_backoff = milliseconds(50);
  options.attempts = 100;
  const auto client = ClientOf(options);
  EXPECT_TRUE(client->Get(secret_).ok());
  first.reset();
  std::thread restart([&] {
    std::this_thread::sleep_for(milliseconds(300));
    first = std::make_unique<ScriptedServer>(
        pair_, [&](const ScriptedRequest&) { return HttpOk(object_); }, TLS1_3_VERSION, port);
  });
  const Answer answer = client->Get(secret_);
  restart.join();
  EXPECT_TRUE(answer.ok()) << answer.error;
}

TEST_F(ClientTest, EndsAtTheDeadlineWhenTheServerIsSilent) {
  const std::pair<const char*, std::string> halves[] = {
      {"nothing", ""},
      {"half a head", "HTTP/1.1 200 OK\r\nContent-"},
      {"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"}};
  for (const auto& [name, bytes] : halves) {
    ScriptedServer server(pair_, [bytes = bytes](const ScriptedRequest&) { return bytes; });
    ClientOptions options = Options(server.url());
    options.deadline = milliseconds(400);
    options.attempt_deadline = milliseconds(200);
    const auto start = steady_clock::now();
    const Answer answer = ClientOf(options)->Get(secret_);
    EXPECT_EQ(answer.outcome, Outcome::kUnreachable) << name;
    EXPECT_THAT(answer.error, HasSubstr("no answer within the deadline")) << name;
    EXPECT_LT(steady_clock::now() - start, milliseconds(1'500)) << name;
  }
}

TEST_F(ClientTest, EndsAtTheDeadlineWhenNobodyShakesHands) {
  const int silent = ::socket(AF_INET, SOCK_STREAM, 0);  // the kernel takes connections, we do not
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(silent, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(silent, 4), 0);
  ::getsockname(silent, reinterpret_cast<sockaddr*>(&address), &size);
  ClientOptions options = Options("https://127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
  options.deadline = milliseconds(300);
  const auto start = steady_clock::now();
  const Answer answer = ClientOf(options)->Get(secret_);
  EXPECT_THAT(answer.error, HasSubstr("TLS handshake failed: no answer within the deadline"));
  EXPECT_LT(steady_clock::now() - start, milliseconds(1'500));
  ::close(silent);
}

TEST_F(ClientTest, RefusesAnAnswerWithoutEnd) {
  ScriptedServer server(pair_,
                        [](const ScriptedRequest&) { return HttpOk(std::string(2000, ' ')); });
  ClientOptions options = Options(server.url());
  options.body_bytes = 1000;
  const Answer answer = ClientOf(options)->Get(secret_);
  EXPECT_EQ(answer.outcome, Outcome::kTooLarge);
  EXPECT_THAT(answer.error, HasSubstr("body limit"));
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(ClientTest, MakesAnErrorOfWhatIsNoHttp) {
  ScriptedServer server(pair_, [](const ScriptedRequest&) { return "SSH-2.0-OpenSSH\r\n\r\n"; });
  const Answer answer = ClientOf(Options(server.url()))->Get(secret_);
  EXPECT_EQ(answer.outcome, Outcome::kUnreachable);
  EXPECT_THAT(answer.error, HasSubstr("no whole answer"));
}

TEST_F(ClientTest, ReadsARenewedToken) {
  ScriptedServer server(pair_, [&](const ScriptedRequest&) { return HttpOk(object_); });
  const auto client = ClientOf(Options(server.url()));
  EXPECT_TRUE(client->Get(secret_).ok());
  WriteText(Token(), "another-token");
  EXPECT_TRUE(client->Get(secret_).ok());
  EXPECT_TRUE(server.requests().at(1).Has("Authorization: Bearer another-token"));
}

TEST_F(ClientTest, SendsNothingWithoutAToken) {
  ScriptedServer server(pair_, [&](const ScriptedRequest&) { return HttpOk(object_); });
  const auto client = ClientOf(Options(server.url()));
  const std::pair<std::string, const char*> cases[] = {{"", "it is empty"},
                                                       {"a\r\nX-Evil: 1", "it holds no token"}};
  for (const auto& [text, reason] : cases) {
    WriteText(Token(), text);
    const Answer answer = client->Get(secret_);
    EXPECT_EQ(answer.outcome, Outcome::kUnreachable);
    EXPECT_THAT(answer.error, HasSubstr(reason));
    EXPECT_THAT(answer.error, Not(HasSubstr("Evil"))) << "a token is never shown";
  }
  std::filesystem::remove(Token());
  EXPECT_THAT(client->Get(secret_).error, HasSubstr("cannot read token file"));
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(ClientTest, InterruptEndsACallAndAllLaterOnes) {
  ScriptedServer server(pair_, [](const ScriptedRequest&) { return ""; });
  const auto client = ClientOf(Options(server.url()));
  const auto start = steady_clock::now();
  std::thread interrupter([&] {
    std::this_thread::sleep_for(milliseconds(200));
    client->Interrupt();
  });
  EXPECT_EQ(client->Get(secret_).outcome, Outcome::kUnreachable);
  interrupter.join();
  EXPECT_THAT(client->Get(secret_).error, HasSubstr("interrupted"));
  EXPECT_LT(steady_clock::now() - start, milliseconds(1'500));
}

TEST(InCluster, FindsWhatAPodIsGiven) {
  ::setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  ::setenv("KUBERNETES_SERVICE_PORT", "6443", 1);
  const auto options = InCluster({}, "/sa");
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->server, "https://[fd00::1]:6443");
  EXPECT_EQ(options->token_file, "/sa/token");
  EXPECT_EQ(options->ca_file, "/sa/ca.crt");
  ::unsetenv("KUBERNETES_SERVICE_PORT");
  const auto outside = InCluster({}, "/sa");
  ASSERT_FALSE(outside);
  EXPECT_THAT(outside.error().message, HasSubstr("--api-server"));
  ClientOptions named;
  named.server = "https://10.0.0.1";
  named.token_file = "t";
  EXPECT_EQ(InCluster(named, "/sa")->token_file, "t");
}

}  // namespace
}  // namespace tpu_admission::kube::client_test
