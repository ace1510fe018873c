// The client of a real API server: HTTPS with the service account's token.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "tpu_admission/base/result.h"
#include "tpu_admission/kube/api.h"
#include "tpu_admission/kube/collections.h"
#include "tpu_admission/kube/watch_api.h"

namespace tpu_admission::kube {

struct ClientOptions {
  std::string server;      // "https://HOST[:PORT]"; HOST is a name or an IP address
  std::string token_file;  // read for every attempt, since kubelets renew it
  // Whom the server's certificate must be for, if not HOST; kubectl's flag of that name.
  std::string tls_server_name = {};
  std::string ca_file;  // PEM; read for every attempt; a changed one ends the open connection
  std::string user_agent = "tpu-admission";
  // Who wrote a field, in metadata.managedFields.
  std::string field_manager = "tpu-admission-controller";

  std::chrono::milliseconds deadline{10'000};         // of a call, with all its attempts
  std::chrono::milliseconds attempt_deadline{5'000};  // of one attempt, connecting included
  std::chrono::milliseconds first_backoff{200};       // doubles, up to 5 s; jittered by half
  int attempts = 5;
  std::size_t body_bytes = 4u << 20;  // of an answer or event; a larger one is an error
};

// Fills what is empty of server, token_file and ca_file as a pod finds it: the address in the
// environment (KUBERNETES_SERVICE_HOST and _PORT), the files in `service_account_dir`.
Result<ClientOptions> InCluster(ClientOptions options, const std::string& service_account_dir);

// TLS 1.2 or later; the server's chain must end in ca_file and its names must have HOST, IP
// addresses included. No proxies, no redirects, HTTP/1.1, one connection, which is kept open.
//
// Failed connections, 429 and 5xx are tried again within the deadline, after Retry-After if there
// is one.
class Client final : public Api, public Collections, public WatchApi {
 public:
  static Result<std::unique_ptr<Client>> Make(ClientOptions options);
  ~Client() override;

  Answer Get(const ObjectPath& path) override;
  Answer Patch(const ObjectPath& path, PatchKind kind, const std::string& patch) override;

  Answer Read(const std::string& target) override;
  Answer Apply(const std::string& path, const std::string& object) override;
  Answer Delete(const std::string& path) override;
  Answer List(const ListQuery& query) override;
  Answer Watch(const WatchQuery& query, const Take& take) override;

  // Asks what would become of the object if it were created in the collection, e.g.
  // "/api/v1/namespaces/default/pods". Nothing is created, so a repetition is safe. The body of kOk
  // is the object as admission has left it.
  Answer DryRunCreate(const std::string& collection, const std::string& object);

  // No later call goes on beyond `end`, or its own deadline.
  void EndBy(std::chrono::steady_clock::time_point end);

  // Ends the call under way, if any, and every later one at once (kUnreachable). Any thread.
  void Interrupt();

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tpu_admission::kube
