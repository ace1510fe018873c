// The names of workers, as a container's environment lists them, and what an object's name leaves
// room for.
#pragma once

#include <optional>
#include <string_view>

#include "rules/engine/subject.h"

namespace tpu_admission::rules {

// The list that JAX would take: that of TPU_PROCESS_ADDRESSES, else of TPU_WORKER_HOSTNAMES.
struct HostNameList {
  std::string_view variable;
  std::string_view text;  // "a.train:8476,b.train:8476"
};
// Nothing where there is none, or where it is not written out (valueFrom, "$(NAMES)").
std::optional<HostNameList> HostNamesOf(const k8s::Container& container);

// Lists are looked at in no more containers of a pod than a host has chips.
inline constexpr int kMostProcesses = 8;
// The number that is written out. The same.
std::optional<std::string_view> WorkerIdOf(const k8s::Container& container);

// Takes the first name from `rest`, without its port; what follows the comma is left.
std::string_view TakeHostName(std::string_view& rest);
std::int64_t CountHostNames(std::string_view list);
// Whether a list has more names than the slice has workers; of `processes` in a pod each may have
// its own.
bool HasTooManyNames(std::int64_t names, const Slice& slice, std::int64_t processes);
// What comes of names that are missing, and of those that are too many.
inline constexpr std::string_view kNotFoundByOthers =
    "those that are not named are not found by the others";
// jax/_src/clusters/cloud_tpu_cluster.py takes as many processes as there are names.
inline constexpr std::string_view kAllAreWaitedFor =
    "JAX waits for a process of each worker that is named";
// "serve-4.serve.ml": "serve-4" is label 0; empty beyond the last.
std::string_view DnsLabelOf(std::string_view name, std::size_t number);

inline constexpr std::size_t kLongestLabel = 63;  // a label's value (Kubernetes)
// Pods of a StatefulSet and of a LeaderWorkerSet have a label that is made of the object's name and
// the hash of a revision: the longest name that it has room for; nothing of other kinds.
std::optional<std::size_t> LongestNameBeforeRevision(const Subject& subject);

}  // namespace tpu_admission::rules
