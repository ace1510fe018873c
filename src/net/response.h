// An answer as bytes: head and body in one flat buffer, so that it is one TLS record and one write.
#pragma once

#include <string>
#include <string_view>

#include "tpu_admission/net/http.h"

namespace tpu_admission::net {

inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

struct Framing {
  bool close = false;      // adds `Connection: close`
  bool omit_body = false;  // the answer to a HEAD: the length is told, the body is not sent
};

// Replaces `out`. The header fields come from static storage, so nothing a peer sent gets into
// them.
void WriteResponse(const HttpResponse& response, Framing framing, std::string& out);

}  // namespace tpu_admission::net
