// Every metric of `tpu-admission controller`, made once at start. All members may be used from any
// thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/controller/observer.h"

namespace tpu_admission::observability {

class ControllerMetrics {
 public:
  ControllerMetrics();
  ~ControllerMetrics();
  ControllerMetrics(const ControllerMetrics&) = delete;
  ControllerMetrics& operator=(const ControllerMetrics&) = delete;

  void SetLeader(bool leading);
  void SetExpiry(controller::CertificateKind kind, std::optional<Clock::Wall> not_after);
  void SetSynced(Clock::Wall now);
  void SetManaged(controller::ConfigurationKind kind, bool managed);
  void CountIssued(controller::CertificateKind kind);
  void CountWritten(controller::ConfigurationKind kind);
  void CountError(controller::Operation operation);
  void SetLogLinesDropped(std::size_t total);

  // The Prometheus text exposition of now.
  std::string Text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace tpu_admission::observability
