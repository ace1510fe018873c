// Where the API server is.
#pragma once

#include <string>

#include "tpu_admission/base/result.h"

namespace tpu_admission::kube {

struct ServerAddress {
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
  bool is_ip = false;

  // Of the Host field: "name", "10.0.0.1:6443", "[::1]:6443".
  std::string Authority() const;
};

// "https://HOST[:PORT]", the port 443 if it has none. http is refused: a token would travel in
// plain text.
Result<ServerAddress> ParseServer(const std::string& url);

// Whom a certificate is for: a name or an IP address, without a port.
ServerAddress NamedServer(const std::string& name);

// The URL of a host, as environment variables name it (an IPv6 address without brackets), and port.
std::string ServerUrl(const std::string& host, const std::string& port);

}  // namespace tpu_admission::kube
