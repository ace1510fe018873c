// Objects of a cluster -> the snapshot of one workload. Takes what `kubectl get ... -o json`
// prints, in any order and with other people's objects among them. Keeps facts, not objects: memory
// is bounded by `most` of each kind. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tpu_admission/admission/judge.h"
#include "tpu_admission/base/day.h"
#include "tpu_admission/base/result.h"
#include "tpu_admission/cluster/kubectl.h"
#include "tpu_admission/cluster/snapshot.h"

namespace tpu_admission::cluster {

// Which object is asked about, as kubectl is told: kind ("job", "jobs.batch", "Job") and name.
struct Target {
  std::string kind;
  std::string name;
  std::string namespace_name;  // empty: the context's; of a stream: any

  bool Means(std::string_view kind_of_object) const;
};

// "job/train"; an error says what is wanted instead.
Result<Target> ParseTarget(const std::string& text, const std::string& namespace_name);

class Collector {
 public:
  static constexpr std::size_t kMost = 20'000;  // pods, nodes and others between: of each

  Collector(const admission::Settings& settings, Day today, std::size_t most = kMost);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // An object of any kind; what cannot be read or does not matter is passed over.
  void Take(std::string_view json);
  // What to look for in a stream; to be said before it is read.
  void LookFor(const Target& target);
  // What kubectl prints, cut wherever, with the object looked for in it.
  Status Read(std::string_view json);
  Status FinishReading();

  // Asks kubectl: the object, what it owns, its events, nodes, Kueue and the autoscaler. An error
  // if the object itself cannot be read; else what is missing is in Snapshot::not_read.
  Status ReadCluster(Kubectl& kubectl, const Target& target);

  // An error if the object is not among what was taken.
  Result<Snapshot> Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tpu_admission::cluster
