// Cases 1 and 11: who calls now and then, on a connection that is kept, is served while others call
// without pause, and finds the connection open when it calls again.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/test_server.h"

namespace tpu_admission::net::flood_test {
namespace {

using namespace support;
using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

// Of the chart: the API server waits no longer for an answer.
constexpr milliseconds kWebhookTimeout{3'000};

// Connections that all ask again as soon as they are answered, by a few threads.
class Flood {
 public:
  Flood(const TestServer& server, int connections) {
    for (int i = 0; i < connections; ++i) clients_.push_back(server.Connect());
    constexpr std::size_t kThreads = 4;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads_.emplace_back([this, i] {
        while (!stop_) {
          for (std::size_t j = i; j < clients_.size(); j += kThreads) clients_[j].Send(kReview);
          for (std::size_t j = i; j < clients_.size(); j += kThreads) {
            if (clients_[j].Receive()) ++answered_;
          }
        }
      });
    }
  }
  ~Flood() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

  int answered() const { return answered_; }

 private:
  const std::string kReview = Post("/validate", std::string(6'400, 'x'));
  std::vector<HttpClient> clients_;
  std::atomic<bool> stop_{false};
  std::atomic<int> answered_{0};
  std::vector<std::thread> threads_;
};

TEST(FloodTest, Case1TheCanaryIsAnsweredWithinTheWebhooksTimeout) {
  TestServer server([](ServerOptions& options) { options.threads = 2; });
  HttpClient canary = server.Connect();
  ASSERT_TRUE(canary.Exchange(Post("/x", "")));
  Flood flood(server, 500);
  ASSERT_TRUE(Eventually([&] { return flood.answered() > 500; }));
  std::vector<Steady::duration> waits;
  for (int i = 0; i < 100; ++i) {
    const auto start = Steady::now();
    const auto answer = canary.Exchange(Post("/x", std::string(6'400, 'x')));
    ASSERT_TRUE(answer && answer->status == 200) << "call " << i;
    waits.push_back(Steady::now() - start);
    std::this_thread::sleep_for(milliseconds(10));
  }
  std::sort(waits.begin(), waits.end());
  const auto p99 = std::chrono::duration_cast<milliseconds>(waits[98]);
  EXPECT_LT(p99, kWebhookTimeout);
  RecordProperty("canary_p99_ms", static_cast<int>(p99.count()));
}

// New ones beside it get in, too: those of the flood are above the cap.
TEST(FloodTest, Case1AFloodAboveTheCapCostsTheCanaryNothing) {
  TestServer server([](ServerOptions& options) {
    options.threads = 2;
    options.limits.connections = 64;
  });
  HttpClient canary = server.Connect();
  ASSERT_TRUE(canary.Exchange(Post("/x", "")));
  std::vector<HttpClient> idle;
  for (int i = 0; i < 300; ++i) {
    idle.push_back(server.Connect());
    if (i % 10 != 0) continue;
    const auto answer = canary.Exchange(Post("/x", ""));
    ASSERT_TRUE(answer && answer->status == 200) << "after " << i;
    ASSERT_TRUE(server.Connect().Exchange(Post("/x", ""))) << "after " << i;
  }
}

std::size_t ResidentKiB() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "VmRSS:") continue;
  std::size_t kib = 0;
  status >> kib;
  return kib;
}

// Nobody ends his body: what is held at once is what the budget says, whoever comes, and a review
// of usual size is answered all the same.
TEST(FloodTest, Case64FiveHundredLargeBodiesFitTheBudget) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers use memory of their own";
#endif
  TestServer server([](ServerOptions& options) { options.threads = 2; });
  HttpClient canary = server.Connect();
  ASSERT_TRUE(canary.Exchange(Post("/x", "")));
  const std::string body(7'000'000, 'x');
  const std::string start = Post("/x", body).substr(0, 1'000'000);
  std::vector<HttpClient> clients;
  const std::size_t before = ResidentKiB();
  for (int i = 0; i < 500; ++i) {
    clients.push_back(server.Connect());
    clients.back().Send(start);  // in vain for those beyond the budget
    if (i % 50 != 0) continue;
    const auto answer = canary.Exchange(Post("/x", std::string(6'400, 'x')));
    ASSERT_TRUE(answer && answer->status == 200) << "after " << i;
  }
  EXPECT_GT(server.observer.count(ServerObserver::Refusal::kBytesInFlight), 0);
  const std::size_t used = (ResidentKiB() - before) / 1024;
  // Both ends are in this process: 200 KiB a connection, and the budget of 32 MiB.
  EXPECT_LT(used, 500 * 200 / 1024 + 32 + 16) << "MiB";
  RecordProperty("mib", static_cast<int>(used));
}

// Go's client, and so the API server, closes what was idle for 90 s. A server that closes earlier
// may do it while a request is on its way: the API server reads EOF.
TEST(FloodTest, Case11IdleConnectionsOutliveTheApiServersOwnTimeout) {
  EXPECT_GE(ServerLimits{}.idle, std::chrono::seconds(90 + 30));
}

}  // namespace
}  // namespace tpu_admission::net::flood_test
