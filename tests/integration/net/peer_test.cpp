// Peers that leave in the middle: nothing leaks, nothing dies.
#include <gtest/gtest.h>

#include <sys/socket.h>

#include <csignal>
#include <vector>

#include "support/test_server.h"

namespace tpu_admission::net::peer_test {
namespace {

using namespace support;

class PeerTest : public ::testing::Test {
 protected:
  // Everything of the departed is gone, and others are served.
  void ExpectNothingLeft() {
    EXPECT_TRUE(Eventually([this] { return server_.observer.connections == 0; }));
    EXPECT_EQ(server_.observer.in_flight, 0);
    EXPECT_TRUE(server_.Connect().Exchange(Post("/x", "")));
  }

  TestServer server_;
};

TEST_F(PeerTest, LeavesMidHandshake) {
  HttpClient client(server_.server->port(), HttpClient::Transport::kPlain);
  client.Send(std::string("\x16\x03\x01\x02\x00", 5));
  client.Close();
  ExpectNothingLeft();
}

TEST_F(PeerTest, LeavesMidHeaderAndMidBody) {
  const std::string request = Post("/x", std::string(100'000, 'x'));
  for (const std::size_t sent : {1u, 30u, 200u, 50'000u}) {
    HttpClient politely = server_.Connect();
    politely.Send(request.substr(0, sent));
    politely.Close();
    HttpClient rudely = server_.Connect();
    rudely.Send(request.substr(0, sent));
    rudely.Reset();
  }
  ExpectNothingLeft();
}

TEST_F(PeerTest, ResetsWhileTheAnswerIsWritten) {
  struct sigaction before {};
  sigaction(SIGPIPE, nullptr, &before);
  ::signal(SIGPIPE, SIG_DFL);  // the server may not need it ignored
  for (int i = 0; i < 10; ++i) {
    HttpClient client = server_.Connect();
    ::signal(SIGPIPE, SIG_DFL);
    client.Send(Post("/big", "") + Post("/big", "") + Post("/slow", "") + Post("/big", ""));
    client.Reset();
  }
  ExpectNothingLeft();
  sigaction(SIGPIPE, &before, nullptr);
}

TEST_F(PeerTest, LeavesWithoutCloseNotify) {
  HttpClient client = server_.Connect();
  ASSERT_TRUE(client.Exchange(Post("/x", "")));
  shutdown(client.fd(), SHUT_RDWR);
  ExpectNothingLeft();
}

TEST_F(PeerTest, SendsGarbageRecords) {
  HttpClient client = server_.Connect();
  ASSERT_TRUE(client.Exchange(Post("/x", "")));
  const std::string garbage(100, '\x17');
  ASSERT_GT(::send(client.fd(), garbage.data(), garbage.size(), MSG_NOSIGNAL), 0);
  EXPECT_TRUE(client.IsClosed());
  ExpectNothingLeft();
}

// The server waits for its peer's goodbye only so long.
TEST_F(PeerTest, NeverReadsTheGoodbye) {
  HttpClient client = server_.Connect();
  client.Send(Post("/x", "", "Connection: close\r\n"));
  EXPECT_TRUE(Eventually([this] { return server_.observer.finished(200) == 1; }));
  EXPECT_TRUE(Eventually([this] { return server_.observer.connections == 0; }));
}

}  // namespace
}  // namespace tpu_admission::net::peer_test
