// The threads of the record of nodes: one watches, one writes, both while this controller leads.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "app/sleeper.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/controller/node_recorder.h"
#include "tpu_admission/kube/client.h"

namespace tpu_admission::app {

// One for each thread.
struct NodeClients {
  std::unique_ptr<kube::Client> watching;
  std::unique_ptr<kube::Client> writing;

  static Result<std::unique_ptr<NodeClients>> Make(const kube::ClientOptions& options);
};

class NodeWatcher {
 public:
  NodeWatcher(NodeClients& clients TPU_ADMISSION_LIFETIME_BOUND, kube::ObjectPath config_map,
              const Clock& clock TPU_ADMISSION_LIFETIME_BOUND, std::function<bool()> leading,
              controller::Observer& observer TPU_ADMISSION_LIFETIME_BOUND);

  void Start();
  void Stop();  // ends calls under way

 private:
  void Watch(const std::stop_token& stop);
  void Write(const std::stop_token& stop);

  NodeClients& clients_;
  const std::function<bool()> leading_;
  controller::NodeRecorder recorder_;
  Sleeper watch_sleeper_;
  Sleeper write_sleeper_;
  std::jthread watching_;
  std::jthread writing_;
};

}  // namespace tpu_admission::app
