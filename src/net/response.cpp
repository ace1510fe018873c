#include "net/response.h"

#include <boost/beast/http/status.hpp>
#include <charconv>

namespace tpu_admission::net {
namespace {

void AppendNumber(std::size_t number, std::string& out) {
  char digits[20];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  out.append(digits, end);
}

}  // namespace

void WriteResponse(const HttpResponse& response, Framing framing, std::string& out) {
  namespace http = boost::beast::http;
  const auto reason = http::obsolete_reason(http::int_to_status(response.status));
  out.assign("HTTP/1.1 ");
  AppendNumber(response.status, out);
  out.append(" ").append(reason.data(), reason.size());
  out.append("\r\nContent-Type: ").append(response.content_type);
  out.append("\r\nContent-Length: ");
  AppendNumber(response.body.size(), out);
  if (!response.allow.empty()) out.append("\r\nAllow: ").append(response.allow);
  if (response.retry_after) out.append("\r\nRetry-After: 1");
  if (framing.close) out.append("\r\nConnection: close");
  out.append("\r\n\r\n");
  if (!framing.omit_body) out.append(response.body);
}

}  // namespace tpu_admission::net
