// The border between HTTP and what answers it. `net` knows no Kubernetes; whoever handles requests
// knows no sockets.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tpu_admission::net {

// One request; the views live until Handle() returns.
struct HttpRequest {
  std::string_view method;            // "POST"
  std::string_view path;              // without the query
  std::string_view content_type;      // as sent; empty if absent
  std::string_view content_encoding;  // as sent; empty if absent
  std::string_view trace_id;          // of a well-formed traceparent: 32 hex digits; else empty
  std::string_view body;
};

// One answer. The object is reused from request to request of a connection: Handle() gets it with
// status 200, an empty body (capacity kept) and the other fields at their defaults.
struct HttpResponse {
  unsigned status = 200;
  std::string_view content_type = "application/json";  // static storage only
  std::string_view allow = {};  // the Allow header of a 405; static storage only
  bool retry_after = false;     // adds Retry-After: 1, which makes the API server try again
  std::string body = {};
};

// Answers requests. Each thread of the server has an instance of its own, so Handle() is never
// called concurrently on one object; it must not block. An exception is a bug: the server answers
// 500 and counts it.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  virtual void Handle(const HttpRequest& request, HttpResponse& response) = 0;
};

using HandlerFactory = std::function<std::unique_ptr<RequestHandler>()>;

}  // namespace tpu_admission::net
