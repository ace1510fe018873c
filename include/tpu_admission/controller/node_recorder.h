// The record of the cluster's TPU nodes: watched, reduced to shapes, and kept in a ConfigMap that
// servers mount as a file. docs/live.md tells of it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/controller/observer.h"
#include "tpu_admission/kube/api.h"
#include "tpu_admission/kube/watch_api.h"

namespace tpu_admission::controller {

// The key of the ConfigMap's data.
inline constexpr const char* kNodeRecordKey = "nodes.yaml";

class NodeRecorder {
 public:
  // `may_write` is asked before every write.
  NodeRecorder(kube::WatchApi& nodes TPU_ADMISSION_LIFETIME_BOUND,
               kube::Api& api TPU_ADMISSION_LIFETIME_BOUND, kube::ObjectPath config_map,
               const Clock& clock TPU_ADMISSION_LIFETIME_BOUND, std::function<bool()> may_write,
               Observer& observer TPU_ADMISSION_LIFETIME_BOUND);
  ~NodeRecorder();
  NodeRecorder(const NodeRecorder&) = delete;
  NodeRecorder& operator=(const NodeRecorder&) = delete;

  // One list or one watch, which blocks for minutes; then how long to wait before the next call.
  // It ends early when `go_on` is false at an event; `random` in [0, 1) spreads the waits. A thread
  // of its own.
  std::chrono::milliseconds Watch(const std::function<bool()>& go_on, double random);
  // Nothing is known of the nodes any more. The thread of Watch().
  void Forget();

  // Writes what is known, if it is time to. To be called every second or so, by another thread.
  void Write();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tpu_admission::controller
