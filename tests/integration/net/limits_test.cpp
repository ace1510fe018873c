// Deadlines and caps: what a slow, greedy or numerous peer can and cannot do.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

#include "support/test_server.h"

namespace tpu_admission::net {
namespace {

using namespace testing;
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
  TestServer server([](ServerOptions& options) { options.limits.bytes_in_flight = 1'000'000; });
  HttpClient holder = server.Connect();
  const std::string large = Post("/x", std::string(900'000, 'x'));
  ASSERT_TRUE(holder.Send(large.substr(0, 100'000)));
  std::optional<HttpAnswer> refused;
  EXPECT_TRUE(Eventually([&] {  // once the server has read the holder's header
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
  const auto held = holder.Exchange(large.substr(100'000));
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

TEST(LimitsTest, AConnectionThatIsBeingAnsweredIsNotEvicted) {
  TestServer server([](ServerOptions& options) { options.limits.connections = 1; });
  HttpClient slow_reader = server.Connect();
  constexpr int kRequests = 20;  // 20 MiB of answers: more than the kernel buffers
  std::string requests;
  for (int i = 0; i < kRequests; ++i) requests += Post("/big", "");
  ASSERT_TRUE(slow_reader.Send(requests));
  EXPECT_TRUE(Eventually([&] { return server.observer.in_flight == 1; }));
  HttpClient newcomer(server.server->port(), HttpClient::Transport::kPlain);
  std::this_thread::sleep_for(milliseconds(100));  // the server looks for room every 20 ms
  for (int i = 0; i < kRequests; ++i) {
    const auto answer = slow_reader.Receive();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->body.size(), 1u << 20);
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

TEST(LimitsTest, AtTheCapWithNobodyIdleANewConnectionWaits) {
  TestServer server([](ServerOptions& options) {
    options.limits.connections = 1;
    options.limits.body = milliseconds(300);
  });
  HttpClient busy = server.Connect();
  const std::string request = Post("/x", std::string(100, 'x'));
  ASSERT_TRUE(busy.Send(request.substr(0, request.size() - 1)));  // its body is being read
  std::this_thread::sleep_for(milliseconds(100));
  HttpClient waiting = server.Connect();  // its handshake ends when the other's deadline strikes
  EXPECT_TRUE(waiting.Exchange(Post("/x", "")));
  EXPECT_EQ(server.observer.count(Refusal::kTimeout), 1) << "it was closed before its deadline";
}

// Without descriptors the server goes on with the connections it has, waits, and recovers.
TEST(LimitsTest, WithoutFileDescriptorsItBacksOff) {
  TestServer server;
  HttpClient kept = server.Connect();
  ASSERT_TRUE(kept.Exchange(Post("/x", "")));
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int next = dup(0);  // the lowest free number
  close(next);
  const int socket_of_client = next + 1;
  const rlimit low{.rlim_cur = static_cast<rlim_t>(socket_of_client), .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  HttpClient newcomer(server.server->port(), HttpClient::Transport::kPlain);  // takes the last one
  EXPECT_TRUE(newcomer.connected());
  EXPECT_TRUE(Eventually([&] { return server.observer.count(Refusal::kConnectionCap) >= 2; }));
  EXPECT_TRUE(kept.Exchange(Post("/x", "")));
  timespec cpu_before{}, cpu_after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_before);
  std::this_thread::sleep_for(milliseconds(300));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_after);
  setrlimit(RLIMIT_NOFILE, &before);
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
}  // namespace tpu_admission::net
