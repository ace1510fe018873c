#include "tpu_admission/net/health.h"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "support/http_client.h"

namespace tpu_admission::net {
namespace {

using namespace testing;

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
  const auto post = Connect().Exchange(Post("/livez", "{}"));
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

}  // namespace
}  // namespace tpu_admission::net
