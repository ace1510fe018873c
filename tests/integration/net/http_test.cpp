// What the server answers to well-formed and malformed HTTP, byte for byte, over TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_server.h"

namespace tpu_admission::net::http_test {
namespace {

using ::testing::ElementsAre;
using namespace support;
using namespace std::string_literals;

struct Case {
  const char* name;
  std::string request;
  unsigned status;
  bool closes;
  std::string body;  // empty: not looked at
};

constexpr char kHost[] = "Host: h\r\n";

std::string ChunkedPost(const std::string& chunks) {
  return std::string("POST /x HTTP/1.1\r\n") + kHost + "Transfer-Encoding: chunked\r\n\r\n" +
         chunks;
}

const Case kCases[] = {
    {"post", Post("/mutate?timeout=10s", "12345"), 200, false, "POST /mutate 5 application/json"},
    {"empty body", Post("/x", ""), 200, false, "POST /x 0 application/json"},
    {"get", "GET /x HTTP/1.1\r\nHost: h\r\n\r\n", 200, false, "GET /x 0 "},
    {"put", "PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n.", 200, false, "PUT /x 1 "},
    {"options", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", 200, false, "OPTIONS * 0 "},
    {"trace", "TRACE /x HTTP/1.1\r\nHost: h\r\n\r\n", 200, false, "TRACE /x 0 "},
    {"unheard-of method", "BREW /x HTTP/1.1\r\nHost: h\r\n\r\n", 200, false, "BREW /x 0 "},
    {"absolute form", "GET https://h/x?y HTTP/1.1\r\nHost: h\r\n\r\n", 200, false, "GET /x 0 "},
    {"upgrade to h2c is not taken up",
     "GET /x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 200, false,
     "GET /x 0 "},
    {"http 1.0", "GET /x HTTP/1.0\r\n\r\n", 200, true, "GET /x 0 "},
    {"http 1.0 that would stay", "GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, true,
     ""},
    {"client says close", Post("/x", "1", "Connection: close\r\n"), 200, true, ""},
    {"chunked", ChunkedPost("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), 200, false, "POST /x 5 "},
    {"a bug in the handler", Post("/throw", ""), 500, true, "internal error\n"},
    {"content length over the limit",
     "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 8388608\r\n\r\n", 413, true, ""},
    {"content length of 2^63",
     "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 9223372036854775808\r\n\r\n", 413, true, ""},
    {"one chunk over the limit", ChunkedPost("ffffffff\r\n"), 413, true, ""},
    {"chunk size overflow", ChunkedPost("fffffffffffffffff\r\n"), 400, true, ""},
    {"length and chunked",
     "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
     true, ""},
    {"two lengths", "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
     400, true, ""},
    {"folded field", "GET /x HTTP/1.1\r\nHost: h\r\nX-A: b\r\n c\r\n\r\n", 400, true, ""},
    {"NUL in a field", "GET /x HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n"s, 400, true, ""},
    {"large header", "GET /x HTTP/1.1\r\nHost: h\r\nX-A: " + std::string(20'000, 'a') + "\r\n\r\n",
     431, true, ""},
    {"endless request line", "GET /" + std::string(20'000, 'a'), 431, true, ""},
    {"h2 with prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, true, ""},
    {"expect, but too large",
     "POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 8388608\r\n\r\n", 413,
     true, ""},
};

class HttpTest : public ::testing::Test {
 protected:
  TestServer server_;
};

TEST_F(HttpTest, Answers) {
  for (const Case& test : kCases) {
    HttpClient client = server_.Connect();
    const auto answer = client.Exchange(test.request);
    ASSERT_TRUE(answer) << test.name;
    EXPECT_EQ(answer->status, test.status) << test.name;
    EXPECT_EQ(answer->closes(), test.closes) << test.name;
    if (!test.body.empty()) {
      EXPECT_EQ(answer->body, test.body) << test.name;
    }
    if (test.closes) {
      EXPECT_TRUE(client.IsClosed()) << test.name;
    } else {
      const auto next = client.Exchange(Post("/next", "."));
      ASSERT_TRUE(next) << test.name;
      EXPECT_EQ(next->body, "POST /next 1 application/json") << test.name;
    }
  }
  EXPECT_THAT(server_.observer.exceptions(), ElementsAre("a bug"));
  EXPECT_TRUE(Eventually([this] { return server_.observer.connections == 0; }));
  EXPECT_EQ(server_.observer.in_flight, 0);
}

TEST_F(HttpTest, OneByteAtATimeIsTheSame) {
  HttpClient client = server_.Connect();
  for (const char byte : Post("/x", "12345")) ASSERT_TRUE(client.Send({&byte, 1}));
  const auto answer = client.Receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "POST /x 5 application/json");
}

TEST_F(HttpTest, PipelinedRequestsAreAnsweredInOrder) {
  HttpClient client = server_.Connect();
  std::string requests;
  for (int i = 0; i < 100; ++i) requests += Post("/" + std::to_string(i), std::string(200, '.'));
  ASSERT_TRUE(client.Send(requests));
  for (int i = 0; i < 100; ++i) {
    const auto answer = client.Receive();
    ASSERT_TRUE(answer) << i;
    EXPECT_EQ(answer->body, "POST /" + std::to_string(i) + " 200 application/json");
  }
}

TEST_F(HttpTest, NothingIsAnsweredBehindTheLastAnswer) {
  HttpClient client = server_.Connect();
  const auto answer = client.Exchange(Post("/1", "", "Connection: close\r\n") + Post("/2", ""));
  ASSERT_TRUE(answer);
  EXPECT_FALSE(client.Receive());
  EXPECT_EQ(server_.observer.finished(200), 1);
}

TEST_F(HttpTest, HeadHasALengthAndNoBody) {
  HttpClient client = server_.Connect();
  ASSERT_TRUE(client.Send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n"));
  const auto answer = client.Receive(/*to_head=*/true);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->fields.at("Content-Length"), "10");  // "HEAD /x 0 "
  EXPECT_TRUE(client.Exchange(Post("/next", ""))) << "a body was sent";
}

TEST_F(HttpTest, ExpectContinue) {
  HttpClient client = server_.Connect();
  const std::string request = Post("/x", "12345", "Expect: 100-continue\r\n");
  const auto go_on = client.Exchange(request.substr(0, request.size() - 5));
  ASSERT_TRUE(go_on);
  EXPECT_EQ(go_on->status, 100u);
  const auto answer = client.Exchange("12345");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "POST /x 5 application/json");
  // A client that did not wait gets no 100.
  const auto direct = client.Exchange(request);
  ASSERT_TRUE(direct);
  EXPECT_EQ(direct->status, 200u);
}

TEST_F(HttpTest, EndlessChunksEndAtTheLimit) {
  TestServer server([](ServerOptions& options) { options.limits.body_bytes = 100'000; });
  HttpClient client = server.Connect();
  ASSERT_TRUE(client.Send(ChunkedPost("")));
  const std::string chunk = "1000\r\n" + std::string(0x1000, 'x') + "\r\n";
  for (int i = 0; i < 30; ++i) client.Send(chunk);
  const auto answer = client.Receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413u);
  EXPECT_TRUE(client.IsClosed());
  EXPECT_EQ(server.observer.count(ServerObserver::Refusal::kBodyTooLarge), 1);
}

// A client that sends its whole 8 MiB before it reads can do so, and then sees the 413.
TEST_F(HttpTest, ARefusalReachesAClientThatSendsOn) {
  HttpClient client = server_.Connect();
  const std::string request = Post("/x", std::string(8u << 20, 'x'));
  EXPECT_TRUE(client.Send(request));
  const auto answer = client.Receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413u);
}

TEST_F(HttpTest, TheLargestBodyIsRead) {
  TestServer server([](ServerOptions& options) { options.limits.body_bytes = 1u << 20; });
  HttpClient client = server.Connect();
  const auto answer = client.Exchange(Post("/x", std::string(1u << 20, 'x')));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "POST /x 1048576 application/json");
  EXPECT_TRUE(client.Exchange(Post("/x", "small again")));
}

TEST_F(HttpTest, ALargeAnswerIsWholeAndTheNextOneToo) {
  HttpClient client = server_.Connect();
  const auto big = client.Exchange(Post("/big", ""));
  ASSERT_TRUE(big);
  EXPECT_EQ(big->body, std::string(1u << 20, 'x'));
  const auto next = client.Exchange(Post("/x", ""));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->body, "POST /x 0 application/json");
}

TEST_F(HttpTest, CountsWhatItDoes) {
  using Refusal = ServerObserver::Refusal;
  {
    HttpClient client = server_.Connect();
    client.Exchange(Post("/x", ""));
    EXPECT_EQ(server_.observer.connections, 1);
    client.Exchange("nonsense\r\n\r\n");
  }
  EXPECT_TRUE(Eventually([this] { return server_.observer.connections == 0; }));
  EXPECT_EQ(server_.observer.count(ServerObserver::HandshakeResult::kOk), 1);
  EXPECT_EQ(server_.observer.finished(200), 1);
  EXPECT_EQ(server_.observer.count(Refusal::kMalformed), 1);
}

}  // namespace
}  // namespace tpu_admission::net::http_test
