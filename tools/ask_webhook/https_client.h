// One HTTPS POST, as the API server sends it.
#pragma once

#include <cstdint>
#include <string>

#include "tpu_admission/base/result.h"

namespace tpu_admission::tools {

struct HttpsTarget {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string ca_file;      // what the server's certificate must chain to
  std::string server_name;  // SNI, and the name the certificate must have
};

// The body of a 200; else an error with status and body.
Result<std::string> PostJson(const HttpsTarget& target, const std::string& path,
                             const std::string& body);

}  // namespace tpu_admission::tools
