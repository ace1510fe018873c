// Keeps the certificates in the Secret, and what the API server trusts, in order.
//
// All state is in the Secret, so a crash or another leader between any two writes loses nothing.
// docs/certificates.md has the timeline.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/controller/observer.h"
#include "tpu_admission/kube/api.h"

namespace tpu_admission::controller {

// `"false"` on a webhook configuration: hands off.
inline constexpr const char* kManagedAnnotation = "tpu-admission.io/managed";

struct ReconcilerOptions {
  std::string namespace_name;
  std::string service_name;
  std::string secret_name;
  std::string cluster_domain = "cluster.local";
  std::string mutating_configuration;    // empty: none
  std::string validating_configuration;  // empty: none
  std::chrono::seconds certificate_lifetime{90 * 24 * 3600};
  std::chrono::seconds authority_lifetime{365 * 24 * 3600};  // at least 3 times the former
  // How long all configurations must have carried a new authority before it signs: what API
  // servers take at most to see a changed configuration.
  std::chrono::milliseconds propagation_delay{120'000};

  // What a serving certificate is for, the name that API servers ask for first.
  std::vector<std::string> DnsNames() const;
};

class Reconciler {
 public:
  // `may_write` is asked before every write.
  Reconciler(kube::Api& api TPU_ADMISSION_LIFETIME_BOUND, ReconcilerOptions options,
             const Clock& clock TPU_ADMISSION_LIFETIME_BOUND, std::function<bool()> may_write,
             Observer& observer TPU_ADMISSION_LIFETIME_BOUND);
  ~Reconciler();
  Reconciler(const Reconciler&) = delete;
  Reconciler& operator=(const Reconciler&) = delete;

  // One pass: reads the Secret, makes at most one step there, then sees to the configurations. To
  // be called every poll interval while leading. True if it went through without an error.
  bool Sync();

  // To be called when leadership is lost: forgets what was only observed.
  void Forget();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tpu_admission::controller
