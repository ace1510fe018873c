// What workloads of known kinds have made: it was judged with its owner if that was read too,
// whichever comes first; else it is told of by itself. Keeps a hash of each object and, while the
// owner has not come, the first of those that an owner made with the same faults. One thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "tpu_admission/cluster/scan.h"
#include "tpu_admission/k8s/json.h"

namespace tpu_admission::cluster {

class Orphans {
 public:
  // Of objects that wait for their owners, `most` are kept.
  explicit Orphans(std::size_t most) : most_(most) {}

  // What was read may own others.
  void Saw(k8s::JsonView object);
  // Its controller was read.
  bool HasOwner(k8s::JsonView object) const;

  // `told` says nothing if the object is sound. Where it is the first of its like it is kept, and
  // where that is, to be completed, is the answer; else nullptr.
  ScannedWorkload* Hold(k8s::JsonView object, ScannedWorkload told);

  struct Released {
    std::size_t workloads = 0;          // whose owners were not read
    std::vector<ScannedWorkload> told;  // of these, one of each kind of faults
    std::size_t left_out = 0;           // too many to be kept
  };
  // All that is held, when everything has been read.
  Released Release();

 private:
  struct Held {
    std::size_t owner = 0;
    std::string owner_title;
    std::size_t count = 0;
    ScannedWorkload told;
  };

  const std::size_t most_;
  std::unordered_set<std::size_t> seen_;
  std::map<std::string, Held> held_;  // by owner and faults
  std::size_t left_out_ = 0;
};

}  // namespace tpu_admission::cluster
