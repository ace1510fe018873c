// Keeps a NodeTable by a list and the watches after it, as client-go's reflector does: a list only
// at the start and where the API server says that a watch cannot go on; and after a failure a wait
// that grows, so that an API server that comes back is not met by a storm.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "controller/node_table.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/controller/observer.h"
#include "tpu_admission/kube/watch_api.h"

namespace tpu_admission::controller {

class NodeWatch {
 public:
  static constexpr std::chrono::seconds kFirstBackoff{1};
  static constexpr std::chrono::seconds kLongestBackoff{60};

  NodeWatch(kube::WatchApi& api TPU_ADMISSION_LIFETIME_BOUND,
            NodeTable& table TPU_ADMISSION_LIFETIME_BOUND,
            const Clock& clock TPU_ADMISSION_LIFETIME_BOUND,
            Observer& observer TPU_ADMISSION_LIFETIME_BOUND);

  // One list of all pages, or one watch to its end; then how long to wait before the next call.
  // `go_on` is asked at each event and page; `random` is in [0, 1). One thread.
  std::chrono::milliseconds Step(const std::function<bool()>& go_on, double random);

  // The next step is a list.
  void Forget() { version_.clear(); }

 private:
  bool List(const std::function<bool()>& go_on);
  bool Watch(const std::function<bool()>& go_on);
  bool Take(std::string_view event);
  // Tells once of a node that has no name.
  std::optional<Node> Named(std::optional<Node> node);
  bool Fail(const std::string& why);

  kube::WatchApi& api_;
  NodeTable& table_;
  const Clock& clock_;
  Observer& observer_;
  std::string version_;  // where the next watch goes on; empty: by a list
  int limit_ = 500;      // of nodes in a page
  int failures_ = 0;     // since a watch went well
  bool told_no_name_ = false;
};

}  // namespace tpu_admission::controller
