#include "tpu_admission/controller/node_recorder.h"

#include <utility>

#include "controller/node_table.h"
#include "controller/node_watch.h"
#include "controller/record_writer.h"

namespace tpu_admission::controller {

class NodeRecorder::Impl {
 public:
  Impl(kube::WatchApi& nodes, kube::Api& api, kube::ObjectPath config_map, const Clock& clock,
       std::function<bool()> may_write, Observer& observer)
      : watch(nodes, table, clock, observer),
        writer(api, std::move(config_map), table, clock, std::move(may_write), observer) {}

  NodeTable table;
  NodeWatch watch;
  RecordWriter writer;
};

NodeRecorder::NodeRecorder(kube::WatchApi& nodes, kube::Api& api, kube::ObjectPath config_map,
                           const Clock& clock, std::function<bool()> may_write, Observer& observer)
    : impl_(std::make_unique<Impl>(nodes, api, std::move(config_map), clock, std::move(may_write),
                                   observer)) {}
NodeRecorder::~NodeRecorder() = default;

std::chrono::milliseconds NodeRecorder::Watch(const std::function<bool()>& go_on, double random) {
  return impl_->watch.Step(go_on, random);
}

void NodeRecorder::Forget() {
  impl_->watch.Forget();
  impl_->table.Forget();
}

void NodeRecorder::Write() { impl_->writer.Step(); }

}  // namespace tpu_admission::controller
