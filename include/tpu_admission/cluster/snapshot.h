// What is known of one workload and of what it waits for: plain facts, copied out of objects of the
// API server, which are any size and not to be trusted. Every text is safe to print (Printable) and
// cut, every list has a bound; what goes beyond a bound is left out and counted in `left_out`.
// A value: no I/O, clock or thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tpu_admission/rules/rule.h"

namespace tpu_admission::cluster {

using Labels = std::map<std::string, std::string>;
std::string LabelOf(const Labels& labels, std::string_view key);  // empty: there is none

struct ObjectFacts {
  std::string api_version;
  std::string kind;
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string owner_kind;  // of the controller owner, or of the first one; empty: none
  std::string owner_name;
  std::string owner_uid;
  std::string created;  // RFC 3339, as the API server writes it
  bool being_deleted = false;
  std::vector<std::string> finalizers;

  std::string Title() const;  // `Pod "train-0"`
  // `Pod "train-0" in ml`
  std::string InNamespace(const std::string& title) const {
    return title + " in " + namespace_name;
  }
  // A CronJob, CronWorkflow or RayCronJob: between two runs it has no pods.
  bool RunsBySchedule() const { return kind.find("Cron") != kind.npos; }
};

struct ConditionFacts {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;

  bool is_true() const { return status == "True"; }
};

// A taint, or what tolerates one: `op` is then Equal, Exists or empty.
struct TaintFacts {
  std::string key;
  std::string op;
  std::string value;
  std::string effect;
};

// A container that does not run, or did not.
struct ContainerFacts {
  std::string name;
  bool init = false;
  bool ready = false;
  bool running = false;
  std::string waiting;  // reason: "ImagePullBackOff"
  std::string message;  // of what waits, else of what ended
  std::string ended;    // reason of the last end: "OOMKilled", "Error"
  std::optional<std::int64_t> exit_code;
  std::int64_t restarts = 0;
  bool limits_memory = false;  // or its pod does
};

struct PodFacts : ObjectFacts {
  std::string phase;
  std::string reason;
  std::string message;
  std::string node;  // empty: not bound
  std::string scheduler;
  std::vector<std::string> gates;
  std::vector<ConditionFacts> conditions;
  std::vector<ContainerFacts> containers;
  std::vector<TaintFacts> tolerations;
  Labels selector;          // nodeSelector, and what required affinity says of one value
  Labels labels;            // by which the controllers of workloads tell pods apart
  std::int64_t chips = 0;   // of google.com/tpu, all containers together
  std::int64_t hosts = 0;   // that a written TPU_WORKER_HOSTNAMES names; 0: none is written
  bool has_claims = false;  // resource claims (DRA)

  const ConditionFacts* Condition(const std::string& type) const;
  bool done() const { return phase == "Succeeded" || phase == "Failed"; }
  bool runs() const;  // and no container of it waits, or has failed
  bool unschedulable() const;
  bool Tolerates(const TaintFacts& taint) const;
};

struct EventFacts {
  std::string kind;  // of the object that it is about
  std::string name;
  std::string uid;
  std::string reason;
  std::string message;
  std::string last;  // RFC 3339
};

struct NodeFacts {
  std::string name;
  std::string pool;
  std::string accelerator;
  std::string topology;
  Labels labels;
  std::vector<TaintFacts> taints;
  std::int64_t chips = 0;  // allocatable
  bool ready = false;
  bool cordoned = false;

  std::string Shape() const { return accelerator + " " + topology; }
};

// Kueue's Workload of what is asked about.
struct QueueFacts {
  std::string name;
  std::string queue;
  bool active = true;
  std::vector<ConditionFacts> conditions;
  struct Check {
    std::string name;
    std::string state;
    std::string message;
  };
  std::vector<Check> checks;

  const ConditionFacts* Condition(const std::string& type) const;
};

// Chips of a ClusterQueue by flavor.
struct FlavorFacts {
  std::string cluster_queue;
  std::string flavor;
  std::int64_t quota = 0;
  std::int64_t used = 0;
};

// A group of nodes as the autoscaler tells of it.
struct ScaleGroupFacts {
  std::string name;
  std::string state;  // of scale-up: "Backoff", "NoActivity", "InProgress"
  std::string error;  // code: "QUOTA_EXCEEDED"
  std::string message;
};

// What the judge says of the object.
struct FaultFacts {
  std::string rule;
  rules::Mode mode = rules::Mode::kOff;
  std::string summary;
  std::string problem;
  std::string change;
};

// What a pod set of it asks of nodes.
struct WishFacts {
  std::string accelerator;  // empty: not one fixed value
  std::string topology;
  std::int64_t chips = 0;   // of one pod
  std::int64_t hosts = 0;   // of a slice; 0: not known
  std::int64_t slices = 1;  // that it asks for; 0: not known
  std::int64_t pods = 0;    // in all; 0: not known
  bool gang = true;         // its pods wait for each other
  std::int64_t spare = 0;   // completions beyond parallelism: so many ends of a Job are made good

  std::string Shape() const { return accelerator + " " + topology; }
};

struct Snapshot {
  ObjectFacts object;
  bool suspended = false;
  std::string_view suspended_by = "spec.suspend";  // the field that says so
  bool paused = false;                             // its counts are written, and all 0
  bool idle = false;          // it runs by a schedule, and has nothing to run now
  std::string outcome;        // how it stands, where a field says it: "SUCCEEDED", "Running"
  std::string queue;          // of Kueue, by its label
  std::string managed_by;     // another controller (MultiKueue) than its kind has anyway
  std::string compute_class;  // that chooses its nodes
  std::vector<ConditionFacts> conditions;
  std::vector<FaultFacts> faults;  // hardest first
  std::vector<WishFacts> wishes;

  std::vector<ObjectFacts> owners;  // the object itself first, then what lies between it and pods
  std::vector<PodFacts> pods;       // that belong to it; finished ones too
  bool pods_known = false;          // these and what lies between were read: none means none
  std::vector<EventFacts> events;   // about it, its owners and pods; the oldest first
  bool events_known = false;
  std::vector<NodeFacts> nodes;  // of TPUs
  bool nodes_known = false;      // they were read: none means none
  bool nodes_whole = false;      // all that carry the label of GKE's TPUs
  bool other_nodes = false;      // nodes without TPUs were read
  std::optional<QueueFacts> workload;
  bool workloads_known = false;
  std::vector<FlavorFacts> flavors;
  std::vector<ScaleGroupFacts> groups;
  std::vector<std::string>
      holders;  // `Job "other" in ml: 16 chips`, of the nodes that it waits for
  std::vector<std::string> not_read;  // what could not be read, and why
  std::size_t left_out = 0;

  std::int64_t wanted_pods() const;  // 0: not known
  // The pods that wanted_pods() counts, those with chips; all where it is not known.
  std::vector<const PodFacts*> workers() const;
  std::size_t running_workers() const;
  // Workers that have ended well, and that nobody makes again.
  std::int64_t ended_workers() const;
  // Pods that have not ended, or all if every one has.
  std::vector<const PodFacts*> living() const;
};

}  // namespace tpu_admission::cluster
