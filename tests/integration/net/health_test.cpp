#include "tpu_admission/net/health.h"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "support/http_client.h"

namespace tpu_admission::net::health_test {
namespace {

using namespace support;

// A kubelet gives up after 2 s.
#if defined(__SANITIZE_THREAD__)
constexpr std::chrono::milliseconds kQuick{10'000};  // each byte of a copy is looked up
#else
constexpr std::chrono::milliseconds kQuick{1'500};
#endif

class HealthTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Status started = server_.Start();
    ASSERT_TRUE(started) << started.error().message;
  }

  HttpClient Connect() const { return HttpClient(server_.port(), HttpClient::Transport::kPlain); }
  std::optional<HttpAnswer> Get(const std::string& path) const {
    return Connect().Exchange("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
  }

  void ExpectQuickProbe(std::uint16_t port = 0) const {
    const auto start = std::chrono::steady_clock::now();
    HttpClient probe(port != 0 ? port : server_.port(), HttpClient::Transport::kPlain);
    const auto answer = probe.Exchange("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200u);
    EXPECT_LT(std::chrono::steady_clock::now() - start, kQuick);
  }

  std::mutex mutex_;
  std::optional<std::string> not_ready_ = "no certificate yet";
  HealthServer server_{"127.0.0.1",
                       0,
                       {.not_ready =
                            [this] {
                              std::lock_guard lock(mutex_);
                              return not_ready_;
                            },
                        .metrics = [] { return std::string("up 1\n"); }}};
};

// Each costs more than a probe; who asks for thousands is refused, and keeps no probe waiting.
TEST_F(HealthTest, ManyScrapesDoNotShutProbesOut) {
  HttpClient scraper = Connect();
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto answer = scraper.Exchange("GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n");
    ASSERT_TRUE(answer);
    refused += answer->status == 503 ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
  ExpectQuickProbe();
}

TEST_F(HealthTest, Pages) {
  struct Case {
    std::string path;
    unsigned status;
    std::string body, type;
  };
  const Case cases[] = {
      {"/livez", 200, "ok\n", "text/plain; charset=utf-8"},
      {"/readyz", 503, "no certificate yet\n", "text/plain; charset=utf-8"},
      {"/readyz?verbose", 503, "no certificate yet\n", "text/plain; charset=utf-8"},
      {"/metrics", 200, "up 1\n", "text/plain; version=0.0.4; charset=utf-8"},
      {"/", 404, "not found: here are /livez, /readyz and /metrics\n", "text/plain; charset=utf-8"},
      {"/mutate", 404, "not found: here are /livez, /readyz and /metrics\n",
       "text/plain; charset=utf-8"},
      {"/debug/pprof", 404, "not found: here are /livez, /readyz and /metrics\n",
       "text/plain; charset=utf-8"},
  };
  for (const Case& test : cases) {
    const auto answer = Get(test.path);
    ASSERT_TRUE(answer) << test.path;
    EXPECT_EQ(answer->status, test.status) << test.path;
    EXPECT_EQ(answer->body, test.body) << test.path;
    EXPECT_EQ(answer->fields.at("Content-Type"), test.type) << test.path;
  }
}

TEST_F(HealthTest, ReadinessFollows) {
  {
    std::lock_guard lock(mutex_);
    not_ready_ = std::nullopt;
  }
  const auto answer = Get("/readyz");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200u);
  EXPECT_EQ(answer->body, "ok\n");
}

TEST_F(HealthTest, OnlyGetAndHead) {
  const auto post = Connect().Exchange(Post("/livez", ""));
  ASSERT_TRUE(post);
  EXPECT_EQ(post->status, 405u);
  EXPECT_EQ(post->fields.at("Allow"), "GET, HEAD");
  HttpClient client = Connect();
  client.Send("HEAD /metrics HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto head = client.Receive(/*to_head=*/true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->fields.at("Content-Length"), "5");
}

TEST_F(HealthTest, KeepsConnectionsAlive) {
  HttpClient client = Connect();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(client.Exchange("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n"));
  }
}

TEST_F(HealthTest, ManyIdleConnectionsDoNotShutProbesOut) {
  std::vector<HttpClient> idle;
  for (int i = 0; i < 100; ++i) idle.push_back(Connect());
  const auto answer = Get("/livez");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200u);
}

// H1: bodies are refused when their length is told, so they keep no place.
TEST_F(HealthTest, BodiesAreRefusedAndDoNotShutProbesOut) {
  const std::string request = "GET /livez HTTP/1.1\r\nHost: h\r\nContent-Length: 4000\r\n\r\n";
  const auto refused = Connect().Exchange(request);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 413u);
  std::vector<HttpClient> strangers;
  for (int i = 0; i < 400; ++i) {
    strangers.push_back(Connect());
    strangers.back().Send(request);
    if (i % 50 == 0) ExpectQuickProbe();
  }
  ExpectQuickProbe();
}

TEST_F(HealthTest, ScrapesThatNobodyReadsDoNotShutProbesOut) {
  HealthServer server("127.0.0.1", 0,
                      {.not_ready = [] { return std::nullopt; },
                       .metrics = [] { return std::string(1u << 20, 'm'); }});
  ASSERT_TRUE(server.Start());
  std::vector<HttpClient> strangers;
  for (int i = 0; i < 200; ++i) {
    strangers.emplace_back(server.port(), HttpClient::Transport::kPlain);
    for (int j = 0; j < 10; ++j) strangers.back().Send("GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  ExpectQuickProbe(server.port());
}

TEST_F(HealthTest, LivenessTellsTheTruth) {
  HealthServer server("127.0.0.1", 0,
                      {.not_ready = [] { return std::nullopt; },
                       .metrics = [] { return std::string(); },
                       .not_live = [] { return std::optional<std::string>("it hangs"); }});
  ASSERT_TRUE(server.Start());
  const auto answer = HttpClient(server.port(), HttpClient::Transport::kPlain)
                          .Exchange("GET /livez HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503u);
  EXPECT_EQ(answer->body, "it hangs\n");
}

}  // namespace
}  // namespace tpu_admission::net::health_test
