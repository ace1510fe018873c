// The books of `tpu-admission serve`: it observes what happens, counts it and logs it.
#pragma once

#include <memory>
#include <string>

#include "tpu_admission/admission/handler.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/net/server.h"
#include "tpu_admission/observability/log.h"
#include "tpu_admission/tpu/catalog.h"

namespace tpu_admission::observability {

// Safe from any thread.
class ServerJournal final : public net::ServerObserver {
 public:
  explicit ServerJournal(Log& log);  // `log` outlives it
  ~ServerJournal() override;

  // The transport.
  void OnConnections(int delta) override;
  void OnHandshake(HandshakeResult result) override;
  void OnRequestStarted() override;
  void OnRequestFinished(unsigned status) override;
  void OnRefusal(Refusal refusal) override;
  void OnHandlerException(const char* what) override;
  void OnCertificateLoaded(Clock::Wall not_after, const std::string& subject) override;
  void OnCertificateError(const std::string& what) override;

  // One review was answered.
  void OnReview(const admission::Record& record, const Log::Call& call);
  // Catalog and policy were read, or could not be.
  void OnSettings(const tpu::Catalog& catalog, Clock::Wall now);
  void OnSettingsError(const std::string& what);

  // The Prometheus text exposition of now.
  std::string MetricsText() const;

 private:
  struct State;

  Log& log_;
  const std::unique_ptr<State> state_;
};

}  // namespace tpu_admission::observability
