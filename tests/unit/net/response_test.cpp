#include "net/response.h"

#include <gtest/gtest.h>

namespace tpu_admission::net::response_test {
namespace {

TEST(WriteResponse, HeadAndBodyAreOneBuffer) {
  std::string out = "left over";
  WriteResponse({.body = "{}"}, {}, out);
  EXPECT_EQ(out,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
}

TEST(WriteResponse, OptionalFields) {
  struct Case {
    HttpResponse response;
    Framing framing;
    std::string expected;
  };
  const Case cases[] = {
      {{.status = 405, .content_type = "text/plain", .allow = "POST", .body = "no\n"},
       {},
       "HTTP/1.1 405 Method Not Allowed\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n"
       "Allow: POST\r\n\r\nno\n"},
      {{.status = 503, .content_type = "text/plain", .retry_after = true, .body = "full"},
       {.close = true},
       "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n"
       "Retry-After: 1\r\nConnection: close\r\n\r\nfull"},
      {{.body = "12345678901"},
       {.omit_body = true},
       "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n"},
      {{}, {}, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n"},
  };
  for (const Case& test : cases) {
    std::string out;
    WriteResponse(test.response, test.framing, out);
    EXPECT_EQ(out, test.expected);
  }
}

}  // namespace
}  // namespace tpu_admission::net::response_test
