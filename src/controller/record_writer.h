// Writes what the NodeTable knows into a ConfigMap, which servers mount: when it has changed, at
// most every ten seconds; and every five minutes, so that they see that it is kept.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "controller/node_table.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/controller/observer.h"
#include "tpu_admission/kube/api.h"

namespace tpu_admission::controller {

class RecordWriter {
 public:
  static constexpr std::chrono::seconds kBetweenWrites{10};
  static constexpr std::int64_t kBringUp = 300;  // seconds
  static constexpr std::chrono::seconds kAskAutoscaler{15};

  RecordWriter(kube::Api& api TPU_ADMISSION_LIFETIME_BOUND, kube::ObjectPath config_map,
               NodeTable& table TPU_ADMISSION_LIFETIME_BOUND,
               const Clock& clock TPU_ADMISSION_LIFETIME_BOUND, std::function<bool()> may_write,
               Observer& observer TPU_ADMISSION_LIFETIME_BOUND);

  // Looks, and writes at most once. To be called every second or so. One thread.
  void Step();

  // Somebody else may write now: what is in the ConfigMap is to be read first.
  void Forget() { version_.clear(); }

 private:
  bool Adopt();
  bool HasAutoscaler();
  bool IsDue(const tpu::SeenShapes& record) const;
  void Write(tpu::SeenShapes record);

  kube::Api& api_;
  const kube::ObjectPath path_;
  NodeTable& table_;
  const Clock& clock_;
  const std::function<bool()> may_write_;
  Observer& observer_;

  std::string version_;  // of the ConfigMap; empty: to be read
  std::optional<tpu::SeenShapes> written_;
  std::int64_t since_ = 0;  // as in tpu::SeenShapes
  Clock::Mono not_before_ = Clock::Mono::min();
  bool has_autoscaler_ = true;
  Clock::Mono ask_autoscaler_ = Clock::Mono::min();
};

}  // namespace tpu_admission::controller
