// Who has the chips of which node.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "tpu_admission/cluster/snapshot.h"

namespace tpu_admission::cluster {

class Holders {
 public:
  explicit Holders(std::size_t most) : most_(most) {}

  // False if there are too many by now.
  bool Take(const PodFacts& pod);
  void Clear();
  // Those of the nodes that the workload asks for, without its own.
  void Put(Snapshot& snapshot) const;

 private:
  const std::size_t most_;  // pods
  std::size_t pods_ = 0;
  std::map<std::string, std::map<std::string, std::int64_t>> chips_;  // by node and holder
};

}  // namespace tpu_admission::cluster
