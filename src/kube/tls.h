// Whom we trust: the TLS side of a connection to the API server.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <string>

#include "kube/server_address.h"
#include "tpu_admission/base/result.h"

namespace tpu_admission::kube {

using TlsContextPtr = std::shared_ptr<boost::asio::ssl::context>;

// A client context that trusts the certificates of `ca_pem` alone, TLS 1.2 or later. An
// intermediate certificate is as good as a root, as Go's and so all other clients see it.
Result<TlsContextPtr> MakeTlsContext(const std::string& ca_pem);

// Asks for the server's name or address in `tls` (SNI for names only) and demands it of the
// certificate.
Status Expect(SSL* tls, const ServerAddress& server);

// Why the last handshake of `tls` failed, e.g. "certificate verify failed: hostname mismatch".
std::string HandshakeError(SSL* tls, const std::string& reason);

}  // namespace tpu_admission::kube
