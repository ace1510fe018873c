// The books of `tpu-admission audit`: what a pass has found, counted and logged.
#pragma once

#include <memory>
#include <string>

#include "tpu_admission/audit/auditor.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/observability/log.h"

namespace tpu_admission::observability {

// Safe from any thread. `log` and `clock` outlive it.
class AuditJournal {
 public:
  AuditJournal(Log& log, const Clock& clock);
  ~AuditJournal();

  // The figures of a pass with errors are not shown: some of it was not read.
  void OnPass(const audit::Outcome& outcome, Clock::Mono begun);
  void OnSettingsError(const std::string& what);

  // The Prometheus text exposition of now.
  std::string MetricsText() const;

 private:
  struct State;

  Log& log_;
  const Clock& clock_;
  const std::unique_ptr<State> state_;
};

}  // namespace tpu_admission::observability
