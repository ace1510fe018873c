// Stopping without losing a request.
#include <gtest/gtest.h>

#include <latch>

#include "integration/net/load.h"

namespace tpu_admission::net::drain_test {
namespace {

using namespace support;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Answers nothing until it is released.
class HangingHandler final : public RequestHandler {
 public:
  explicit HangingHandler(std::latch& released) : released_(released) {}
  void Handle(const HttpRequest&, HttpResponse&) override { released_.wait(); }

 private:
  std::latch& released_;
};

TEST(DrainTest, UnderLoadNoRequestIsLost) {
  TestServer server([](ServerOptions& options) { options.threads = 2; });
  Load load(server.server->port(), 6);
  EXPECT_TRUE(Eventually([&] { return load.answered > 50; }));
  EXPECT_EQ(load.told_to_close, 0);
  server.server->BeginDrain();
  EXPECT_TRUE(Eventually([&] { return load.told_to_close > 50; })) << "new ones are still taken";
  EXPECT_TRUE(server.server->FinishDrain(seconds(10)));
  EXPECT_TRUE(Eventually([&] { return load.refused > 0; }));
  load.Stop();
  EXPECT_EQ(load.lost, 0);
  EXPECT_EQ(server.observer.connections, 0);
  EXPECT_EQ(server.observer.in_flight, 0);
}

TEST(DrainTest, WhatIsInFlightIsAnswered) {
  TestServer server;
  HttpClient client = server.Connect();
  const std::string request = Post("/x", std::string(50'000, 'x'));
  ASSERT_TRUE(client.Send(request.substr(0, 10'000)));
  std::this_thread::sleep_for(milliseconds(50));
  std::thread rest([&] {
    std::this_thread::sleep_for(milliseconds(800));  // longer than idle connections are waited for
    const auto answer = client.Exchange(request.substr(10'000));
    EXPECT_TRUE(answer && answer->status == 200 && answer->closes());
    client.Close();
  });
  EXPECT_TRUE(server.server->FinishDrain(seconds(10)));
  rest.join();
}

// A request that was on its way on an idle connection when the port closed.
TEST(DrainTest, AnIdleConnectionMayStillAskForAMoment) {
  TestServer server;
  HttpClient client = server.Connect();
  ASSERT_TRUE(client.Exchange(Post("/x", "")));
  std::thread late([&] {
    std::this_thread::sleep_for(milliseconds(50));
    const auto answer = client.Exchange(Post("/x", ""));
    EXPECT_TRUE(answer && answer->closes());
    client.Close();
  });
  EXPECT_TRUE(server.server->FinishDrain(seconds(10)));
  late.join();
}

TEST(DrainTest, IdleConnectionsDoNotHoldItUp) {
  TestServer server;
  HttpClient idle = server.Connect();
  ASSERT_TRUE(idle.Exchange(Post("/x", "")));
  std::thread reader([&] {
    EXPECT_FALSE(idle.Receive());
    idle.Close();
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(server.server->FinishDrain(seconds(30)));
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
  reader.join();
  EXPECT_EQ(server.observer.connections, 0);
}

TEST(DrainTest, ItEndsAtItsLimit) {
  TestServer server;
  HttpClient stuck = server.Connect();
  ASSERT_TRUE(stuck.Send(Post("/x", "1234").substr(0, 100)));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(server.server->FinishDrain(milliseconds(100)));
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5));
  EXPECT_EQ(server.observer.connections, 0);
}

TEST(DrainTest, TwiceIsOnce) {
  TestServer server;
  server.server->BeginDrain();
  EXPECT_TRUE(server.server->FinishDrain(seconds(1)));
  EXPECT_TRUE(server.server->FinishDrain(seconds(1)));
  EXPECT_FALSE(server.Connect().connected());
}

TEST(DrainTest, AServerThatNeverStartedStops) {
  RecordingObserver observer;
  Server server(
      {}, [] { return std::make_unique<EchoHandler>(); }, observer);
  EXPECT_TRUE(server.FinishDrain(seconds(1)));
}

// P11: on the thread of the listener as on another. And liveness says so.
TEST(DrainTest, AHandlerThatHangsHoldsItUpForAMomentOnly) {
  for (const int connection : {0, 1}) {
    std::latch released(1);
    RecordingObserver observer;
    const MountedSecret secret(MakeCertificate());
    ServerOptions options = LoopbackOptions(secret.files());
    options.threads = 2;
    options.limits.stall = milliseconds(2'000);
    Server server(
        options, [&] { return std::make_unique<HangingHandler>(released); }, observer);
    ASSERT_TRUE(server.Start());
    HttpClient others(server.port());
    HttpClient hanging(server.port());
    EXPECT_EQ(server.NotLive(), std::nullopt);
    (connection == 0 ? others : hanging).Send(Post("/hang", ""));
    EXPECT_TRUE(Eventually([&] { return server.NotLive().has_value(); }));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(server.FinishDrain(milliseconds(200)));
    EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5));
    released.count_down();
    EXPECT_TRUE(server.FinishDrain(seconds(5)));
    EXPECT_EQ(server.NotLive(), std::nullopt);
  }
}

}  // namespace
}  // namespace tpu_admission::net::drain_test
