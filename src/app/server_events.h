// What the transport tells, into metrics and log.
#pragma once

#include <string>

#include "tpu_admission/net/server.h"
#include "tpu_admission/observability/log.h"
#include "tpu_admission/observability/metrics.h"

namespace tpu_admission::app {

// Thread safe, as metrics and log are.
class ServerEvents final : public net::ServerObserver {
 public:
  ServerEvents(observability::Metrics& metrics, observability::Log& log)
      : metrics_(metrics), log_(log) {}

  void OnConnections(int delta) override { metrics_.AddConnections(delta); }
  void OnHandshake(HandshakeResult result) override { metrics_.Count(result); }
  void OnRequestStarted() override { metrics_.AddInFlight(1); }
  void OnRequestFinished(unsigned status) override;
  void OnRefusal(Refusal refusal) override { metrics_.Count(refusal); }
  void OnHandlerException(const char* what) override;
  void OnCertificateLoaded(Clock::Wall not_after, const std::string& subject) override;
  void OnCertificateError(const std::string& what) override;

 private:
  observability::Metrics& metrics_;
  observability::Log& log_;
};

}  // namespace tpu_admission::app
