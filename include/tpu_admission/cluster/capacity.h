// What becomes of a cluster's TPU chips, from its nodes and pods: chips that nobody uses, slices
// that are used in part or cannot start, workloads that hold chips and wait, pods that a node
// refused. Pure: the time is given. Times are seconds since 1970, 0 where they are not known.
//
// A node pool of a multi-host topology is one slice, as GKE makes them.
// https://cloud.google.com/kubernetes-engine/docs/concepts/tpus
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tpu_admission/k8s/json.h"

namespace tpu_admission::cluster {

// Of a node with the accelerator label; texts are safe to print.
struct TpuNode {
  std::string name;
  std::string pool;  // empty: it is in none
  std::string accelerator;
  std::string topology;
  std::int64_t chips = 0;  // allocatable
  bool usable = false;     // Ready, and not cordoned
};
std::optional<TpuNode> ReadTpuNode(k8s::JsonView object);

// Of a pod that asks for chips; texts are safe to print.
struct TpuPod {
  std::string title;  // `Pod "train-0" in ml`
  std::string node;   // empty: it has none
  std::string phase;
  std::string refusal;  // of a pod that a kubelet refused: reason and message
  std::string gang;     // of the pods that start together: `JobSet "train" in ml`; empty: none
  std::string slice;    // a key that the pods of one slice share; empty: not known
  std::string topology;
  std::int64_t chips = 0;
  std::int64_t created = 0;
  std::int64_t scheduled = 0;

  bool done() const { return phase == "Succeeded" || phase == "Failed"; }
};
std::optional<TpuPod> ReadTpuPod(k8s::JsonView object);

enum class Waste {
  kIdle,      // nobody uses chips of a pool
  kHalfUsed,  // only some hosts of a slice have TPU pods
  kStranded,  // a slice has fewer usable hosts than it needs
  kSplit,     // the pods of one slice lie in several pools
  kWaiting,   // some pods of a gang hold chips, others have been Pending for too long
  kRefused,   // a node refused a pod
};
inline constexpr std::size_t kWastes = 6;
inline constexpr std::chrono::seconds kPatience{600};  // with kWaiting, unless told
std::string Word(Waste waste);                         // "idle-chips": stable, for programs

struct WasteFound {
  Waste waste = Waste::kIdle;
  std::string subject;  // a pool, a gang or a pod
  std::string text;     // one sentence
  std::int64_t chips = 0;
  std::int64_t since = 0;  // when it was first seen so

  std::string Key() const { return Word(waste) + " " + subject; }
};

struct Capacity {
  std::int64_t chips = 0;         // of all TPU nodes
  std::vector<WasteFound> found;  // by kind; within a kind the most chips first
  std::int64_t Chips(Waste waste) const;
  std::size_t Count(Waste waste) const;
};

// `before`: WasteFound::since by Key() of the last time that somebody looked.
Capacity FindWaste(const std::vector<TpuNode>& nodes, const std::vector<TpuPod>& pods,
                   const std::map<std::string, std::int64_t>& before, std::int64_t now,
                   std::chrono::seconds patience = kPatience);

// By ReadUtc(); 0 if it is no time.
std::int64_t SecondsOf(std::string_view rfc3339);

}  // namespace tpu_admission::cluster
