// What the controller tells, into metrics and log.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/controller/observer.h"
#include "tpu_admission/observability/controller_metrics.h"
#include "tpu_admission/observability/log.h"

namespace tpu_admission::app {

// Thread safe. What lasts is logged when it begins; an error that lasts, once a minute.
class ControllerEvents final : public controller::Observer {
 public:
  // `on_leadership` is called after a change.
  ControllerEvents(observability::ControllerMetrics& metrics, observability::Log& log,
                   const Clock& clock, std::function<void()> on_leadership)
      : metrics_(metrics), log_(log), clock_(clock), on_leadership_(std::move(on_leadership)) {}

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

 private:
  struct Told {
    std::string what;
    Clock::Mono when;
  };
  struct Configuration {
    controller::ConfigurationState state;
    std::string why;
    friend bool operator==(const Configuration&, const Configuration&) = default;
  };

  observability::ControllerMetrics& metrics_;
  observability::Log& log_;
  const Clock& clock_;
  const std::function<void()> on_leadership_;
  std::mutex mutex_;
  std::map<controller::Operation, Told> errors_;                           // mutex_
  std::map<controller::ConfigurationKind, Configuration> configurations_;  // mutex_
};

}  // namespace tpu_admission::app
