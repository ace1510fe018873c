// The books of `tpu-admission controller`: it observes what happens, counts it and logs it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/controller/observer.h"
#include "tpu_admission/observability/log.h"

namespace tpu_admission::observability {

// Safe from any thread. What lasts is logged when it begins; an error that lasts, once a minute.
class ControllerJournal final : public controller::Observer {
 public:
  // `on_leadership` is called after a change. `log` and `clock` outlive it.
  ControllerJournal(Log& log, const Clock& clock, std::function<void()> on_leadership);
  ~ControllerJournal() override;

  // Not leading: what is in the Secret and the configurations is not known any more.
  void OnStandby();

  void OnLeadership(bool leading) override;
  void OnError(controller::Operation operation, const std::string& what) override;
  void OnIssued(controller::CertificateKind kind, const std::string& why) override;
  void OnExpiry(controller::CertificateKind kind, std::optional<Clock::Wall> not_after) override;
  void OnConfiguration(controller::ConfigurationKind kind, controller::ConfigurationState state,
                       const std::string& why) override;
  void OnNote(const std::string& what) override;
  void OnSynced() override;

  // The Prometheus text exposition of now.
  std::string MetricsText() const;

 private:
  struct State;

  Log& log_;
  const Clock& clock_;
  const std::function<void()> on_leadership_;
  const std::unique_ptr<State> state_;
};

}  // namespace tpu_admission::observability
