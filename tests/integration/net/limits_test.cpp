// Deadlines and caps: what a slow, greedy or numerous peer can and cannot do.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "support/test_server.h"

namespace tpu_admission::net::limits_test {
namespace {

using namespace support;
using std::chrono::milliseconds;
using Refusal = ServerObserver::Refusal;

TEST(LimitsTest, SlowHeaderIs408) {
  TestServer server([](ServerOptions& options) { options.limits.header = milliseconds(150); });
  HttpClient client = server.Connect();
  const auto start = std::chrono::steady_clock::now();
  std::optional<HttpAnswer> answer;
  // A byte now and then does not move the deadline.
  for (const char byte : std::string_view("POST /x HTTP/1.1\r\nHost: webhook.tpu.svc\r\nA: ")) {
    if (!client.Send({&byte, 1}) || client.IsClosed(milliseconds(20))) break;
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(5)) break;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(900));
  EXPECT_TRUE(Eventually([&] { return server.observer.count(Refusal::kTimeout) == 1; }));
}

TEST(LimitsTest, StalledRequestsAreAnsweredWith408) {
  TestServer server([](ServerOptions& options) {
    options.limits.header = milliseconds(100);
    options.limits.body = milliseconds(100);
  });
  for (const std::string& part : {std::string("PO"), std::string("POST /x HTTP/1.1\r\nHost: h"),
                                  Post("/x", std::string(100, 'x')).substr(0, 220)}) {
    HttpClient client = server.Connect();
    const auto answer = client.Exchange(part);
    ASSERT_TRUE(answer) << part;
    EXPECT_EQ(answer->status, 408u) << part;
    EXPECT_TRUE(answer->closes());
    EXPECT_TRUE(client.IsClosed());
  }
  EXPECT_EQ(server.observer.count(Refusal::kTimeout), 3);
}

TEST(LimitsTest, AnIdleConnectionIsClosedWithoutAnAnswer) {
  TestServer server([](ServerOptions& options) { options.limits.idle = milliseconds(100); });
  HttpClient fresh = server.Connect();
  HttpClient used = server.Connect();
  ASSERT_TRUE(used.Exchange(Post("/x", "")));
  EXPECT_FALSE(fresh.Receive());
  EXPECT_FALSE(used.Receive());
  EXPECT_EQ(SSL_get_shutdown(used.tls()) & SSL_RECEIVED_SHUTDOWN, SSL_RECEIVED_SHUTDOWN)
      << "no close_notify";
  EXPECT_EQ(server.observer.count(Refusal::kTimeout), 0);
}

TEST(LimitsTest, AReaderThatDoesNotReadIsGivenUp) {
  TestServer server([](ServerOptions& options) { options.limits.write = milliseconds(150); });
  HttpClient client = server.Connect();
  std::string requests;
  for (int i = 0; i < 50; ++i) requests += Post("/big", "");  // 50 MiB of answers
  ASSERT_TRUE(client.Send(requests));
  EXPECT_TRUE(Eventually([&] { return server.observer.connections == 0; }));
  EXPECT_EQ(server.observer.in_flight, 0);
  EXPECT_EQ(server.observer.count(Refusal::kTimeout), 1);
}

TEST(LimitsTest, TheBytesInFlightAreCapped) {
  TestServer server([](ServerOptions& options) { options.limits.bytes_in_flight = 1'500'000; });
  HttpClient holder = server.Connect();
  const std::string large = Post("/x", std::string(900'000, 'x'));
  ASSERT_TRUE(holder.Send(large.substr(0, 800'000)));
  std::this_thread::sleep_for(milliseconds(300));
  std::optional<HttpAnswer> refused;
  EXPECT_TRUE(Eventually([&] {  // once the server has read what the holder sent
    HttpClient other = server.Connect();
    refused = other.Exchange(large);
    return refused && refused->status == 503;
  }));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->fields.at("Retry-After"), "1");
  EXPECT_TRUE(refused->closes());
  EXPECT_GE(server.observer.count(Refusal::kBytesInFlight), 1);
  // Usual reviews are not what fills the memory.
  HttpClient small = server.Connect();
  const auto usual = small.Exchange(Post("/x", std::string(6'400, 'x')));
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->status, 200u);
  // And the holder's body is answered, after which there is room.
  const auto held = holder.Exchange(large.substr(800'000));
  ASSERT_TRUE(held);
  EXPECT_EQ(held->status, 200u);
  const auto after = small.Exchange(large);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->status, 200u);
}

TEST(LimitsTest, AtTheCapTheLongestIdleConnectionMakesRoom) {
  TestServer server([](ServerOptions& options) {
    options.limits.connections = 4;
    options.threads = 2;
  });
  // A connection is idle from when the server sees that its answer is written, which may be a
  // little after the client has it: on a busy machine the order would be another.
  const auto settle = [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
  std::vector<HttpClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(server.Connect());
    ASSERT_TRUE(clients.back().Exchange(Post("/x", "")));
    settle();
  }
  ASSERT_TRUE(clients[0].Exchange(Post("/x", "")));  // now 1 is the longest idle
  settle();
  HttpClient newcomer = server.Connect();
  ASSERT_TRUE(newcomer.Exchange(Post("/x", "")));
  EXPECT_TRUE(clients[1].IsClosed());
  for (const int kept : {0, 2, 3}) {
    EXPECT_TRUE(clients[static_cast<std::size_t>(kept)].Exchange(Post("/x", ""))) << kept;
  }
  EXPECT_EQ(server.observer.count(Refusal::kConnectionCap), 1);
}

// H5: what is only declared costs its sender nothing, so it may cost others nothing.
TEST(LimitsTest, DeclaredBodiesRefuseNobodysReview) {
  TestServer server;
  std::vector<HttpClient> liars;
  for (int i = 0; i < 20; ++i) {
    liars.push_back(server.Connect());
    ASSERT_TRUE(
        liars.back().Send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 7000000\r\n\r\n"));
  }
  std::this_thread::sleep_for(milliseconds(100));
  HttpClient client = server.Connect();
  const auto answer = client.Exchange(Post("/x", std::string(1'000'000, 'x')));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200u);
  EXPECT_EQ(server.observer.count(Refusal::kBytesInFlight), 0);
}

// Answers that nobody reads are memory, too.
TEST(LimitsTest, UnreadAnswersCountAsBytesInFlight) {
  TestServer server([](ServerOptions& options) { options.limits.bytes_in_flight = 100'000; });
  HttpClient client = server.Connect();
  const auto answer = client.Exchange(Post("/big", ""));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503u);
  EXPECT_EQ(answer->fields.at("Retry-After"), "1");
  EXPECT_TRUE(server.Connect().Exchange(Post("/x", "")));
}

// M1: what is slow makes room, what has proven itself stays, and new ones get in.
TEST(LimitsTest, SlowBodiesMakeRoom) {
  TestServer server([](ServerOptions& options) {
    options.limits.connections = 16;
    options.limits.body = std::chrono::seconds(60);
    options.threads = 2;
  });
  HttpClient kept = server.Connect();
  ASSERT_TRUE(kept.Exchange(Post("/x", "")));
  const std::string slow = Post("/x", std::string(100, 'x')).substr(0, 220);
  std::vector<HttpClient> flood;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 20; ++i) {
      flood.push_back(server.Connect());
      flood.back().Send(slow);
    }
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(kept.Exchange(Post("/x", ""))) << round;
    EXPECT_TRUE(server.Connect().Exchange(Post("/x", ""))) << round;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << round;
  }
}

// Half-open handshakes and dribbled headers hold a place no better than idle connections do.
TEST(LimitsTest, AFloodOfStalledPeersDoesNotKeepOthersOut) {
  TestServer server([](ServerOptions& options) { options.limits.connections = 8; });
  std::vector<HttpClient> flood;
  for (int i = 0; i < 20; ++i) {
    flood.emplace_back(server.server->port(), HttpClient::Transport::kPlain);
    if (i % 2 == 0) flood.back().Send(std::string("\x16\x03\x01", 3));
  }
  for (int i = 0; i < 8; ++i) {
    flood.push_back(server.Connect());
    flood.back().Send("POST /x HTTP/1.1\r\n");
  }
  HttpClient client = server.Connect();
  EXPECT_TRUE(client.Exchange(Post("/x", "")));
}

// Lowers the soft limit on file descriptors until it goes.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t limit) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit low{.rlim_cur = limit, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

// The number that the next descriptor gets.
rlim_t NextDescriptor() {
  const int next = dup(0);
  close(next);
  return static_cast<rlim_t>(next);
}

// H4: the cap is what there are descriptors for, so that it comes before EMFILE.
TEST(LimitsTest, TheCapFitsTheLimitOnDescriptors) {
  std::unique_ptr<TestServer> server;
  {
    const FewDescriptors few(160);  // 128 of them are for the rest of the process
    server = std::make_unique<TestServer>();
  }
  std::vector<HttpClient> idle;
  for (int i = 0; i < 60; ++i) idle.push_back(server->Connect());
  EXPECT_LE(server->observer.connections, 32);
  EXPECT_TRUE(server->Connect().Exchange(Post("/x", "")));
}

// And where somebody else has taken them, the server makes room for who comes.
TEST(LimitsTest, WithoutFileDescriptorsTheLongestIdleMakesRoom) {
  TestServer server;
  HttpClient kept = server.Connect();
  ASSERT_TRUE(kept.Exchange(Post("/x", "")));
  HttpClient idle = server.Connect();
  EXPECT_TRUE(Eventually([&] { return server.observer.connections == 2; }));
  const FewDescriptors none(NextDescriptor() + 1);  // the client's socket takes the last one
  HttpClient newcomer = server.Connect();
  EXPECT_TRUE(newcomer.Exchange(Post("/x", "")));
  EXPECT_TRUE(idle.IsClosed());
  EXPECT_TRUE(kept.Exchange(Post("/x", "")));
}

// With nobody to evict it waits, does not spin, and recovers.
TEST(LimitsTest, WithoutFileDescriptorsItBacksOff) {
  TestServer server;
  std::optional<FewDescriptors> none(std::in_place, NextDescriptor() + 1);
  HttpClient newcomer(server.server->port(), HttpClient::Transport::kPlain);
  EXPECT_TRUE(newcomer.connected());
  EXPECT_TRUE(Eventually([&] { return server.observer.count(Refusal::kConnectionCap) >= 2; }));
  timespec cpu_before{}, cpu_after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_before);
  std::this_thread::sleep_for(milliseconds(300));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_after);
  none.reset();
  const auto spent = (cpu_after.tv_sec - cpu_before.tv_sec) * 1'000'000'000 +
                     (cpu_after.tv_nsec - cpu_before.tv_nsec);
  EXPECT_LT(spent, 100'000'000) << "it spins";
  EXPECT_LE(server.observer.count(Refusal::kConnectionCap), 50);
  newcomer.Close();
  EXPECT_TRUE(server.Connect().Exchange(Post("/x", "")));
}

std::size_t ResidentKiB() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == "VmRSS:") break;
  }
  std::size_t kib = 0;
  status >> kib;
  return kib;
}

TEST(LimitsTest, FiveHundredIdleConnectionsAreBounded) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers use memory of their own";
#endif
  TestServer server;
  const std::size_t before = ResidentKiB();
  std::vector<HttpClient> clients;
  for (int i = 0; i < 500; ++i) {
    clients.push_back(server.Connect());
    ASSERT_TRUE(clients.back().Exchange(Post("/x", std::string(6'400, 'x')))) << i;
  }
  const std::size_t used = ResidentKiB() - before;
  // Both ends are in this process; ours is about 100 KiB a connection.
  EXPECT_LT(used, 500u * 200u) << used / 500 << " KiB a connection";
  RecordProperty("kib_per_connection", static_cast<int>(used / 500));
}

}  // namespace
}  // namespace tpu_admission::net::limits_test
