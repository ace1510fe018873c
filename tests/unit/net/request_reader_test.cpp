#include "net/request_reader.h"

#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>

namespace tpu_admission::net::request_reader_test {
namespace {

using State = RequestReader::State;
using namespace std::string_literals;

constexpr char kPost[] =
    "POST /mutate?timeout=10s HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";

class RequestReaderTest : public ::testing::Test {
 protected:
  // Feeds as much as the reader takes, in pieces of `step` bytes.
  State Feed(RequestReader& reader, std::string_view bytes, std::size_t step) {
    State state = reader.Advance();
    while (!bytes.empty() && state != State::kComplete && state != State::kRefused) {
      const std::string_view piece = bytes.substr(0, step);
      const std::size_t taken =
          boost::asio::buffer_copy(reader.Prepare(), boost::asio::buffer(piece));
      EXPECT_GT(taken, 0u) << "no room, and not refused";
      if (taken == 0) break;
      reader.Commit(taken);
      bytes.remove_prefix(taken);
      state = reader.Advance();
    }
    return state;
  }
  State Feed(std::string_view bytes, std::size_t step = 1u << 20) {
    return Feed(reader_, bytes, step);
  }

  ServerLimits limits_{.body_bytes = 100'000, .header_bytes = 1000};
  ByteBudget budget_{200'000};
  RequestReader reader_{limits_, budget_};
};

TEST_F(RequestReaderTest, ARequestInPiecesOfAnySizeIsTheSame) {
  const std::string request = std::string(kPost) + "Content-Length: 5\r\n\r\nhello";
  for (std::size_t step = 1; step <= request.size(); ++step) {
    RequestReader reader(limits_, budget_);
    ASSERT_EQ(Feed(reader, request, step), State::kComplete) << "pieces of " << step;
    const HttpRequest read = reader.request();
    EXPECT_EQ(read.method, "POST");
    EXPECT_EQ(read.path, "/mutate");
    EXPECT_EQ(read.content_type, "application/json");
    EXPECT_EQ(read.content_encoding, "");
    EXPECT_EQ(read.body, "hello");
    EXPECT_TRUE(reader.keep_alive());
  }
}

TEST_F(RequestReaderTest, AChunkedBodyInPiecesOfAnySize) {
  const std::string request = std::string(kPost) +
                              "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n6\r\n world\r\n"
                              "0\r\nContent-Type: text/evil\r\n\r\n";
  for (std::size_t step = 1; step <= request.size(); ++step) {
    RequestReader reader(limits_, budget_);
    ASSERT_EQ(Feed(reader, request, step), State::kComplete) << "pieces of " << step;
    EXPECT_EQ(reader.request().body, "hello world");
    EXPECT_EQ(reader.request().content_type, "application/json") << "a trailer changes nothing";
  }
}

TEST_F(RequestReaderTest, PipelinedRequestsComeInOrder) {
  const std::string one = "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::string two = std::string(kPost) + "Content-Length: 2\r\n\r\nab";
  ASSERT_EQ(Feed(one + two + "GET /3"), State::kComplete);
  EXPECT_EQ(reader_.request().path, "/1");
  reader_.NextRequest();
  ASSERT_EQ(reader_.Advance(), State::kComplete);
  EXPECT_EQ(reader_.request().body, "ab");
  reader_.NextRequest();
  EXPECT_EQ(reader_.Advance(), State::kHeader);
}

TEST_F(RequestReaderTest, Paths) {
  struct Case {
    std::string target, path;
  };
  const Case cases[] = {
      {"/mutate", "/mutate"},
      {"/mutate?timeout=10s", "/mutate"},
      {"//mutate", "//mutate"},
      {"/mutate/..%2f", "/mutate/..%2f"},
      {"https://webhook.tpu.svc:443/mutate?timeout=1s", "/mutate"},
      {"http://webhook.tpu.svc", "/"},
      {"*", "*"},
      {"webhook:443", "webhook:443"},
      {"?", ""},
  };
  for (const Case& test : cases) {
    RequestReader reader(limits_, budget_);
    ASSERT_EQ(Feed(reader, "OPTIONS " + test.target + " HTTP/1.1\r\nHost: h\r\n\r\n", 99),
              State::kComplete);
    EXPECT_EQ(reader.request().path, test.path) << test.target;
  }
}

TEST_F(RequestReaderTest, ExpectContinueIsWantedOnlyWhileTheBodyIsAwaited) {
  const std::string head = std::string(kPost) + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n";
  EXPECT_EQ(Feed(head), State::kWantsContinue);
  EXPECT_EQ(Feed("hello"), State::kComplete);
  reader_.NextRequest();
  EXPECT_EQ(Feed(head + "he"), State::kBody) << "the client did not wait";
}

TEST_F(RequestReaderTest, Refusals) {
  using Reason = ServerObserver::Refusal;
  struct Case {
    std::string name, fields;
    unsigned status;
    Reason reason;
  };
  const Case cases[] = {
      {"body at 8 MiB", "Content-Length: 8388608\r\n", 413, Reason::kBodyTooLarge},
      {"body at 4 GiB", "Content-Length: 4294967296\r\n", 413, Reason::kBodyTooLarge},
      {"body at 2^63", "Content-Length: 9223372036854775808\r\n", 413, Reason::kBodyTooLarge},
      {"body at 2^64", "Content-Length: 18446744073709551616\r\n", 400, Reason::kMalformed},
      {"negative length", "Content-Length: -1\r\n", 400, Reason::kMalformed},
      {"signed length", "Content-Length: +1\r\n", 400, Reason::kMalformed},
      {"hexadecimal length", "Content-Length: 0x10\r\n", 400, Reason::kMalformed},
      {"empty length", "Content-Length: \r\n", 400, Reason::kMalformed},
      {"lengths that differ", "Content-Length: 3\r\nContent-Length: 4\r\n", 400,
       Reason::kMalformed},
      {"lengths that differ in one field", "Content-Length: 3, 4\r\n", 400, Reason::kMalformed},
      {"length, then chunked", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", 400,
       Reason::kMalformed},
      {"chunked, then length", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", 400,
       Reason::kMalformed},
      {"gzip, chunked", "Transfer-Encoding: gzip, chunked\r\n", 400, Reason::kMalformed},
      {"chunked twice", "Transfer-Encoding: chunked, chunked\r\n", 400, Reason::kMalformed},
      {"identity", "Transfer-Encoding: identity\r\n", 400, Reason::kMalformed},
      {"vertical tab before chunked", "Transfer-Encoding: \vchunked\r\n", 400, Reason::kMalformed},
      {"folded", "X-A: b\r\n c\r\n", 400, Reason::kMalformed},
      {"folded after nothing", "X-A:\r\n c\r\n", 400, Reason::kMalformed},
      {"folded to nothing", "X-A: b\r\n \r\n", 400, Reason::kMalformed},
      {"folded length", "Content-Length:\r\n 5\r\n", 400, Reason::kMalformed},
      {"NUL in a value", "X-A: b\0c\r\n"s, 400, Reason::kMalformed},
      {"NUL in a name", "X-\0: b\r\n"s, 400, Reason::kMalformed},
      {"space before the colon", "Content-Length : 5\r\n", 400, Reason::kMalformed},
      {"bare CR", "X-A: b\rc\r\n", 400, Reason::kMalformed},
      {"bare LF", "X-A: b\nContent-Length: 5\r\n", 400, Reason::kMalformed},
      {"no name", ": b\r\n", 400, Reason::kMalformed},
      {"two hosts", "Host: other\r\n", 400, Reason::kMalformed},
      {"header too large", "X-A: " + std::string(1000, 'a') + "\r\n", 431, Reason::kHeaderTooLarge},
  };
  for (const Case& test : cases) {
    for (const std::size_t step : {1u, 7u, 4096u}) {
      RequestReader reader(limits_, budget_);
      EXPECT_EQ(Feed(reader, kPost + test.fields + "\r\n", step), State::kRefused) << test.name;
      EXPECT_EQ(reader.refusal().status, test.status) << test.name << ", pieces of " << step;
      EXPECT_EQ(reader.refusal().reason, test.reason) << test.name << ", pieces of " << step;
      EXPECT_FALSE(reader.keep_alive()) << test.name;
    }
  }
}

TEST_F(RequestReaderTest, TheTraceIdOfOneWellFormedHeader) {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736", other(32, 'e');
  const auto header = [](const std::string& id) {
    return "Traceparent: 00-" + id + "-00f067aa0ba902b7-01\r\n";
  };
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {header(trace), trace},
      {"TRACEPARENT:  00-" + trace + "-00f067aa0ba902b7-01 \r\n", trace},
      {"Trace-Parent: 00-" + trace + "-00f067aa0ba902b7-01\r\n", ""},
      {"Traceparent:\r\n", ""},
      {"Traceparent: 00-" + std::string(300, 'a') + "\r\n", ""},
      {header(std::string(32, '0')), ""},
      {header(std::string(32, 'A')), ""},
      {header(trace) + header(other), ""},
      {header(trace) + header(trace), ""},
      {header(trace) + header(trace) + header(trace), ""},
      {header(trace) + "Traceparent: x\r\n", ""},
      {"Traceparent: x\r\n" + header(trace), ""},
  };
  for (const auto& [fields, expected] : cases) {
    for (const std::size_t step : {1u, 4096u}) {
      RequestReader reader(limits_, budget_);
      ASSERT_EQ(Feed(reader, kPost + fields + "\r\n", step), State::kComplete) << fields;
      EXPECT_EQ(reader.request().trace_id, expected) << fields;
    }
  }
}

TEST_F(RequestReaderTest, ATraceIdIsOfItsOwnRequestOnly) {
  const std::string traced = "00-" + std::string(32, 'a') + "-" + std::string(16, 'b') + "-01";
  ASSERT_EQ(Feed(kPost + ("Traceparent: " + traced) + "\r\n\r\n"), State::kComplete);
  EXPECT_EQ(reader_.request().trace_id, std::string(32, 'a'));
  reader_.NextRequest();
  ASSERT_EQ(Feed(std::string(kPost) + "\r\n"), State::kComplete);
  EXPECT_EQ(reader_.request().trace_id, "");
  reader_.NextRequest();
  const std::string trailer = "Transfer-Encoding: chunked\r\n\r\n0\r\nTraceparent: " + traced;
  ASSERT_EQ(Feed(kPost + trailer + "\r\n\r\n"), State::kComplete);
  EXPECT_EQ(reader_.request().trace_id, "") << "a trailer";
}

TEST_F(RequestReaderTest, RefusedRequestLines) {
  const std::string lines[] = {
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",  // the preface of HTTP/2
      "POST / HTTP/1.2\r\nHost: h\r\n\r\n",
      "POST / HTTP/0.9\r\nHost: h\r\n\r\n",
      "POST  / HTTP/1.1\r\nHost: h\r\n\r\n",
      "POST / http/1.1\r\nHost: h\r\n\r\n",
      "POST /\r\n\r\n",
      "P@ST / HTTP/1.1\r\nHost: h\r\n\r\n",
      "POST /\x01 HTTP/1.1\r\nHost: h\r\n\r\n",
      "\x16\x03\x01\x02",         // a TLS hello where plain HTTP is spoken
      "POST / HTTP/1.1\r\n\r\n",  // no Host
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
  };
  for (const std::string& line : lines) {
    RequestReader reader(limits_, budget_);
    EXPECT_EQ(Feed(reader, line, 4096), State::kRefused) << line;
    EXPECT_EQ(reader.refusal().status, 400u) << line;
  }
}

TEST_F(RequestReaderTest, BadChunks) {
  const std::string bodies[] = {
      "fffffffffffffffff\r\n",  // 2^68
      "g\r\n",
      "\r\n",
      "-1\r\n",
      "3\r\nabcXYZ\r\n",  // no CRLF behind the data
      "3\r\nabc\n0\r\n\r\n",
      "3;" + std::string(1u << 15, 'x') + "\r\nabc\r\n",  // an extension larger than the buffer
      "0\r\nX-A: " + std::string(1u << 15, 'x'),          // a trailer larger than the buffer
      "0\r\nX-A: b\r\n c\r\n\r\n",                        // a folded trailer
  };
  for (const std::string& body : bodies) {
    RequestReader reader(limits_, budget_);
    EXPECT_EQ(Feed(reader, std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n" + body, 4096),
              State::kRefused)
        << body.substr(0, 40);
    EXPECT_EQ(reader.refusal().status, 400u) << body.substr(0, 40);
  }
}

TEST_F(RequestReaderTest, EndlessChunksAreRefusedAtTheLimit) {
  ASSERT_EQ(Feed(std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n"), State::kBody);
  const std::string chunk = "3e8\r\n" + std::string(1000, 'x') + "\r\n";
  std::size_t sent = 0;
  while (sent < 200 && Feed(chunk) == State::kBody) ++sent;
  EXPECT_EQ(sent, 100u);
  EXPECT_EQ(reader_.refusal().status, 413u);
}

TEST_F(RequestReaderTest, ManySmallFieldsAreRefusedByNumberAndByTotal) {
  const ServerLimits wide{.header_bytes = 64u << 10};
  RequestReader by_number(wide, budget_);
  std::string fields;
  for (int i = 0; i < 101; ++i) fields += "A: b\r\n";
  EXPECT_EQ(Feed(by_number, kPost + fields + "\r\n", 4096), State::kRefused);
  EXPECT_EQ(by_number.refusal().status, 431u);

  // Beast bounds only what it cannot yet consume; a field at a time, the sum must count.
  State state = Feed(kPost);
  for (int i = 0; i < 40 && state == State::kHeader; ++i) {
    state = Feed("X-Padding: 345678901234567890\r\n");
  }
  EXPECT_EQ(state, State::kRefused);
  EXPECT_EQ(reader_.refusal().status, 431u);
}

// What is only declared costs its sender nothing, so it may cost others nothing.
TEST_F(RequestReaderTest, BytesInFlightAreCountedAsTheyComeAndGivenBack) {
  const std::string head = std::string(kPost) + "Content-Length: 100000\r\n\r\n";
  const std::string body(100'000, 'x');
  RequestReader first(limits_, budget_), second(limits_, budget_), third(limits_, budget_);
  for (RequestReader* const reader : {&first, &second, &third}) {
    EXPECT_EQ(Feed(*reader, head, 4096), State::kBody);
  }
  EXPECT_EQ(budget_.used(), 0u);
  EXPECT_EQ(Feed(first, body, 4096), State::kComplete);
  EXPECT_EQ(budget_.used(), 100'000 - ByteBudget::kFreeBytes) << "not what doubling would hold";
  EXPECT_EQ(Feed(second, body, 4096), State::kRefused);
  EXPECT_EQ(second.refusal().status, 503u);
  EXPECT_EQ(second.refusal().reason, ServerObserver::Refusal::kBytesInFlight);
  second.NextRequest();
  EXPECT_TRUE(first.ExchangeBodyFor(1'000));
  EXPECT_EQ(budget_.used(), 0u);
  EXPECT_EQ(Feed(third, body, 4096), State::kComplete);
}

TEST_F(RequestReaderTest, AnAnswerTakesThePlaceOfItsBody) {
  ASSERT_EQ(Feed(std::string(kPost) + "Content-Length: 0\r\n\r\n"), State::kComplete);
  EXPECT_TRUE(reader_.ExchangeBodyFor(100'000));
  EXPECT_EQ(budget_.used(), 100'000 - ByteBudget::kFreeBytes);
  EXPECT_FALSE(reader_.ExchangeBodyFor(300'000));
  reader_.NextRequest();
  EXPECT_EQ(budget_.used(), 0u);
}

TEST_F(RequestReaderTest, ChunkedBytesInFlightCountAsTheyCome) {
  ByteBudget::Lease other(budget_);
  other.Prove();
  ASSERT_TRUE(other.Cover(200'000));
  ASSERT_EQ(Feed(std::string(kPost) + "Transfer-Encoding: chunked\r\n\r\n"), State::kBody);
  const std::string chunk = "2000\r\n" + std::string(0x2000, 'x') + "\r\n";
  EXPECT_EQ(Feed(chunk + chunk), State::kBody);  // 16 KiB are free
  EXPECT_EQ(Feed(chunk + chunk + chunk), State::kRefused);
  EXPECT_EQ(reader_.refusal().status, 503u);
}

TEST_F(RequestReaderTest, KeepAlive) {
  struct Case {
    std::string request;
    bool keep_alive;
  };
  const Case cases[] = {
      {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: x, CLOSE\r\n\r\n", false},
      {"GET / HTTP/1.0\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false},
  };
  for (const Case& test : cases) {
    RequestReader reader(limits_, budget_);
    ASSERT_EQ(Feed(reader, test.request, 4096), State::kComplete) << test.request;
    EXPECT_EQ(reader.keep_alive(), test.keep_alive) << test.request;
  }
}

TEST_F(RequestReaderTest, ATimeoutIsARefusalOnlyIfARequestHadBegun) {
  EXPECT_FALSE(reader_.TimeOut());
  EXPECT_EQ(reader_.state(), State::kIdle);
  Feed("GE");
  EXPECT_TRUE(reader_.TimeOut());
  EXPECT_EQ(reader_.refusal().status, 408u);
}

}  // namespace
}  // namespace tpu_admission::net::request_reader_test
