// The TPU nodes of the cluster, reduced to their shapes. Safe from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/thread_annotations.h"
#include "tpu_admission/tpu/seen_shapes.h"

namespace tpu_admission::controller {

struct NodeShape {
  std::string accelerator;
  std::string topology;
  std::int64_t chips = 0;  // 0: not known
  friend auto operator<=>(const NodeShape&, const NodeShape&) = default;
};

struct Node {
  std::string name;
  std::string pool;
  NodeShape shape;
};

class NodeTable {
 public:
  static constexpr std::size_t kMostNodes = 100'000;         // and shapes; more than there are
  static constexpr std::chrono::hours kRemembered{30 * 24};  // a shape without nodes

  // What a list says: these nodes, and no others.
  void Replace(const std::vector<Node>& nodes, Clock::Wall now);
  // What events say.
  void Put(const Node& node, Clock::Wall now);
  void Remove(const std::string& name, Clock::Wall now);
  // All that happened until now is in the table.
  void Touch(Clock::Wall now);
  // What an earlier record knew of shapes that are gone.
  void Remember(const tpu::SeenShapes& earlier);
  // Nothing is known any more of the nodes of now.
  void Forget();

  // What there is and was; nullopt until the first list is whole. `since` is not filled in, and
  // `autoscaler` is true where not all could be told, so that nothing is certain.
  std::optional<tpu::SeenShapes> Record();

 private:
  struct Row {
    std::map<std::string, std::int64_t> pools;  // nodes by pool, none with 0
    std::int64_t nodes = 0;
    std::int64_t most_nodes = 0;
    std::string last_pool;
    Clock::Wall seen{};  // when the last node was there
  };
  using Rows = std::map<NodeShape, Row>;
  struct Place {
    Rows::iterator row;
    std::map<std::string, std::int64_t>::iterator pool;
  };

  void Add(const Node& node) TPU_ADMISSION_REQUIRES(mutex_);
  void Drop(const std::string& name, Clock::Wall now) TPU_ADMISSION_REQUIRES(mutex_);
  void Clear(Clock::Wall now) TPU_ADMISSION_REQUIRES(mutex_);

  Mutex mutex_;
  Rows rows_ TPU_ADMISSION_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Place> nodes_ TPU_ADMISSION_GUARDED_BY(mutex_);
  std::optional<Clock::Wall> current_ TPU_ADMISSION_GUARDED_BY(mutex_);
  bool too_many_ TPU_ADMISSION_GUARDED_BY(mutex_) = false;
};

}  // namespace tpu_admission::controller
