// The workload kinds whose pods may use TPUs: where their pod templates stand and what their counts
// mean. A new kind is a row of the table in src/workload/kinds.cpp, or of `kinds` in the policy.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"

namespace tpu_admission::workload {

// What a kind's counts say about the pods of one template.
enum class Counting {
  kNone,       // each pod stands alone: Pod, Deployment, ReplicaSet, DaemonSet
  kJob,        // parallelism pods at a time, completions in all, Indexed or not
  kReplicas,   // replicas pods with stable names: StatefulSet
  kPerSlice,   // the number of hosts of one slice, as such: Ray's numOfHosts
  kGroup,      // the pods of a group, its leader among them: LeaderWorkerSet's size
  kTogether,   // replicas pods, which fill slices together with the other templates: Kubeflow
  kElsewhere,  // this object does not say
};

// What stands at the path of a pod set.
enum class Form {
  kPod,            // metadata and spec: a Pod, or a template of one
  kPodSpec,        // a pod's spec alone
  kArgoTemplate,   // a template of an Argo workflow: containers beside a node selector
  kNodeLabels,     // labels of the nodes that pods will be sent to: Kueue's ResourceFlavor
  kFlinkTemplate,  // a template of one role of a FlinkDeployment, over the common one
  kKserve,  // a component of an InferenceService: a pod's spec, its server beside the containers
  kTpuPriority,  // a priority of a ComputeClass: type, topology and count of TPUs, and the machine
  kPathwaysWorker,  // machine type, topology and node selector of a PathwaysJob
  kKubeAiModel,     // the name of a resource profile: google-tpu-v5e-2x2:4
  kDeviceClaim,     // the spec of a ResourceClaim (DRA)
};

// Paths are member names joined by "/", without a leading one; "" is the object itself. A name that
// ends with "[]" stands for each element of a list, one that ends with "{}" for each member of a
// map. All paths of a row go through the same elements.
struct PodSetRow {
  std::string_view path;
  Form form = Form::kPod;
  Counting counting = Counting::kNone;
  std::string_view counts = {};  // path of the object that holds the counts
  std::string_view count = {};   // name of the count in it: "parallelism"
  std::string_view slices = {};  // path of the number of slices; "" if there is but one
  std::string_view name = {};    // path of the pod set's name: "worker"
  std::string_view copies = {};  // kNone: path of the number of pods, each by itself
  bool always_indexed = false;   // the kind's controller makes Jobs Indexed that do not say
  bool leads = false;            // pods that lead a group: they need no TPUs of their own
  bool on_each_node = false;     // one pod for each node that the template may go to
  bool of_policy = false;  // of a kind of the user's: what the row does not name is not known of it
};

struct Kind {
  std::string_view group;               // "" is the core group
  std::string_view versions;            // that are served: "v1 v1alpha1"
  std::string_view name;                // "Job"
  std::string_view resource;            // "jobs"
  std::span<const PodSetRow> pod_sets;  // none: its pods come from objects of other kinds
  // Not a workload: it only chooses nodes or gives templates for others, so its faults warn.
  bool serves_others = false;
  bool is_cluster_scoped = false;

  // Kubernetes has it by itself: its API server checks what is in it.
  bool is_built_in() const { return group.empty() || group == "apps" || group == "batch"; }
};

// The rows that are built in.
std::span<const Kind> Kinds();
// The built-in row of a group and kind in any version; nullptr if there is none.
const Kind* FindKind(std::string_view group, std::string_view name);

// A row as somebody writes it into the policy. Counting by its name in the file: "none", "job",
// "replicas", "per-slice", "together" or "elsewhere".
struct KindDefinition {
  struct PodSet {
    std::string path;
    Counting counting = Counting::kNone;
    std::string counts;
    std::string count;
    std::string slices;
  };
  std::string group;
  std::string versions;
  std::string name;
  std::string resource;
  std::vector<PodSet> pod_sets;
};

// The built-in rows and those of the user. Immutable, cheap to copy, safe from any thread.
class KindTable {
 public:
  KindTable() = default;  // the built-in rows alone
  // An error names the definition that stands twice, or is built in, or has an impossible path.
  static Result<KindTable> With(std::vector<KindDefinition> definitions);

  const Kind* Find(std::string_view group, std::string_view name) const;
  std::span<const Kind> own() const;  // the user's

 private:
  struct Own;
  std::shared_ptr<const Own> own_;
};

}  // namespace tpu_admission::workload
