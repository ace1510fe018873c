// Each cause of the table from a scene that has it: objects as the API server shows them.
#include "tpu_admission/cluster/why.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "support/fake_cluster.h"
#include "support/settings.h"
#include "tpu_admission/cluster/collector.h"

namespace tpu_admission::cluster::why_test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Day kToday = {2026, 11, 21};
constexpr const char* kTaint = "google.com/tpu";

// A Job of four pods for a slice of v6e 4x4, its pods as somebody has made them, and its nodes.
struct Scene {
  json job = json::parse(R"({
    "apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"name": "train", "namespace": "ml", "uid": "job"},
    "spec": {"parallelism": 4, "completions": 4, "completionMode": "Indexed", "template": {"spec": {
      "restartPolicy": "Never", "subdomain": "train",
      "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                       "cloud.google.com/gke-tpu-topology": "4x4"},
      "tolerations": [{"key": "google.com/tpu", "operator": "Exists"}],
      "containers": [{"name": "jax", "image": "i", "resources": {
        "requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"google.com/tpu": 4}}}]}}},
    "status": {"active": 4}})");
  std::vector<json> pods;
  std::vector<json> others;

  json& spec() { return job["spec"]["template"]["spec"]; }

  void AddPods(int count, const std::string& phase = "Pending") {
    for (int i = 0; i < count; ++i) {
      const std::string name = "train-" + std::to_string(pods.size());
      json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", spec()}};
      pod["metadata"] = {{"name", name}, {"namespace", "ml"}, {"uid", name}};
      pod["metadata"]["ownerReferences"] =
          json::array({{{"kind", "Job"}, {"name", "train"}, {"uid", "job"}, {"controller", true}}});
      pod["status"]["phase"] = phase;
      pods.push_back(std::move(pod));
    }
  }
  void Unschedulable(const std::string& message) {
    AddPods(4);
    for (json& pod : pods) {
      pod["status"]["conditions"] =
          json::array({{{"type", "PodScheduled"},
                        {"status", "False"},
                        {"reason", "Unschedulable"},
                        {"message", "0/4 nodes are available: " + message}}});
    }
  }
  void Bind() {
    for (std::size_t i = 0; i < pods.size(); ++i) {
      pods[i]["spec"]["nodeName"] = "a-" + std::to_string(i);
      pods[i]["status"]["conditions"] =
          json::array({{{"type", "PodScheduled"}, {"status", "True"}}});
    }
  }
  // The first of the pods, each on a node of its own.
  void Run(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      pods[i]["spec"]["nodeName"] = "a-" + std::to_string(i);
      pods[i]["status"] = {{"phase", "Running"}};
    }
  }
  // Bound pods whose first container is in this state.
  void Container(const json& state, const std::string& phase = "Pending") {
    AddNodes(4);
    AddPods(4, phase);
    Bind();
    pods[0]["status"]["containerStatuses"] =
        json::array({{{"name", "jax"}, {"ready", false}, {"restartCount", 2}, {"state", state}}});
  }
  json& AddNode(const std::string& name, const std::string& pool, const std::string& topology) {
    json node = {{"apiVersion", "v1"}, {"kind", "Node"}};
    node["metadata"] = {{"name", name},
                        {"labels",
                         {{"cloud.google.com/gke-tpu-accelerator", "tpu-v6e-slice"},
                          {"cloud.google.com/gke-tpu-topology", topology},
                          {"cloud.google.com/gke-nodepool", pool}}}};
    node["spec"]["taints"] =
        json::array({{{"key", kTaint}, {"value", "present"}, {"effect", "NoSchedule"}}});
    node["status"] = {{"allocatable", {{kTaint, "4"}}},
                      {"conditions", json::array({{{"type", "Ready"}, {"status", "True"}}})}};
    others.push_back(std::move(node));
    return others.back();
  }
  void AddNodes(int count) {
    for (int i = 0; i < count; ++i) AddNode("a-" + std::to_string(i), "a", "4x4");
  }
  void AddNotReady(const std::string& name, const std::string& topology = "4x4") {
    AddNode(name, "a", topology)["status"]["conditions"][0]["status"] = "False";
  }
  void TaintNodes(std::size_t count, const std::string& key) {
    for (json& node : others) {
      if (node["kind"] != "Node" || count-- == 0) return;
      node["spec"]["taints"].push_back({{"key", key}, {"effect", "NoSchedule"}});
    }
  }
  void AddNodeOfNoTpus() {
    json& labels = AddNode("cpu-0", "default-pool", "")["metadata"]["labels"];
    labels = {{"cloud.google.com/gke-nodepool", "default-pool"}};
  }
  // Pods on all nodes that are on their way out.
  void AddEndingPods() {
    AddNodes(4);
    AddPods(4, "Running");
    Bind();
    for (json& pod : pods) pod["metadata"]["deletionTimestamp"] = "2026-11-21T10:00:00Z";
  }
  // As GKE's autoscaler does, which then says for as long as it is in backoff only this.
  void FailToScale(const std::string& why) {
    Unschedulable("1 node(s) didn't match Pod's node affinity/selector.");
    AddNode("b", "b", "2x4");
    AddEvent("train-1", "FailedScaleUp",
             "Node scale up in zones z associated with this pod failed: " + why +
                 ". Pod is at risk of not being scheduled.");
  }
  void BackOff() {
    AddEvent("train-0", "NotTriggerScaleUp",
             "pod didn't trigger scale-up: 1 in backoff after failed scale-up",
             "2026-11-21T10:05:00Z");
  }
  void AddEvent(const std::string& about, const std::string& reason, const std::string& message,
                const std::string& time = "2026-11-21T10:00:00Z") {
    others.push_back({{"apiVersion", "v1"},
                      {"kind", "Event"},
                      {"metadata", {{"name", "e"}, {"namespace", "ml"}}},
                      {"involvedObject",
                       {{"kind", about == "job" ? "Job" : "Pod"}, {"name", about}, {"uid", about}}},
                      {"reason", reason},
                      {"message", message},
                      {"lastTimestamp", time}});
  }
  // Suspended for Kueue, which says so of it.
  json& Queue(const std::string& message, const std::string& reason = "Pending") {
    job["spec"]["suspend"] = true;
    job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "team";
    others.push_back(json::parse(R"({
      "apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload",
      "metadata": {"name": "job-train-1", "namespace": "ml", "ownerReferences": [
        {"kind": "Job", "name": "train", "uid": "job", "controller": true}]},
      "spec": {"queueName": "team", "active": true}, "status": {}})"));
    others.back()["status"]["conditions"] = json::array({{{"type", "QuotaReserved"},
                                                          {"status", "False"},
                                                          {"reason", reason},
                                                          {"message", message}}});
    return others.back();
  }
  // Somebody else's pod, event and Workload: such were read.
  void AddStrangers() {
    others.push_back(json::parse(R"({"apiVersion": "v1", "kind": "Pod",
      "metadata": {"name": "x", "namespace": "ml", "uid": "x"}})"));
    AddEvent("x", "Scheduled", "");
    others.push_back(json::parse(R"({"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload",
      "metadata": {"name": "x", "namespace": "ml", "ownerReferences": [
        {"kind": "Job", "name": "x", "uid": "x", "controller": true}]}})"));
  }
  // One flavor of TPUs of the queue "team", all in use.
  void AddQuota(const std::string& flavor, const std::string& space = "ml",
                const std::string& cluster_queue = "all") {
    others.push_back({{"apiVersion", "kueue.x-k8s.io/v1beta1"},
                      {"kind", "LocalQueue"},
                      {"metadata", {{"name", "team"}, {"namespace", space}}},
                      {"spec", {{"clusterQueue", cluster_queue}}}});
    json queue = json::parse(R"({
      "apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue",
      "spec": {"resourceGroups": [{"flavors": [{"resources": [
        {"name": "google.com/tpu", "nominalQuota": "16"}]}]}]},
      "status": {"flavorsReservation": [{"resources": [
        {"name": "google.com/tpu", "total": "16"}]}]}})");
    queue["metadata"]["name"] = cluster_queue;
    queue["spec"]["resourceGroups"][0]["flavors"][0]["name"] = flavor;
    queue["status"]["flavorsReservation"][0]["name"] = flavor;
    others.push_back(std::move(queue));
  }
  // Another object in the place of the Job, with the Job's template at the path.
  void Become(json object, const std::string& path) {
    const json template_spec = job["spec"]["template"];
    object["metadata"] = job["metadata"];
    object[json::json_pointer(path)] = template_spec;
    job = std::move(object);
  }
  void BecomeDeployment(int replicas) {
    spec()["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "2x2";
    spec()["restartPolicy"] = "Always";
    Become({{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"spec", {{"replicas", replicas}}}},
           "/spec/template");
  }
  void BecomeCronJob() {
    Become(json::parse(R"({"apiVersion": "batch/v1", "kind": "CronJob", "spec": {
      "schedule": "0 3 * * *", "jobTemplate": {"spec": {
        "parallelism": 4, "completions": 4, "completionMode": "Indexed"}}}})"),
           "/spec/jobTemplate/spec/template");
  }
  void BecomeRayJob() {
    Become(json::parse(R"({"apiVersion": "ray.io/v1", "kind": "RayJob", "spec": {
      "rayClusterSpec": {"workerGroupSpecs": [{"groupName": "w", "replicas": 1, "numOfHosts": 4,
        "rayStartParams": {}}]}}})"),
           "/spec/rayClusterSpec/workerGroupSpecs/0/template");
  }
  // What belongs to the object, or to another, and may own pods.
  json& AddOwned(const std::string& version, const std::string& kind, const std::string& name,
                 const std::string& owner = "job") {
    others.push_back({{"apiVersion", version}, {"kind", kind}});
    others.back()["metadata"] = {
        {"name", name},
        {"namespace", "ml"},
        {"uid", name},
        {"ownerReferences", json::array({{{"uid", owner}, {"controller", true}}})}};
    return others.back();
  }
  void Own(json& pod, const std::string& owner) {
    pod["metadata"]["ownerReferences"][0]["uid"] = owner;
  }
  json Objects() const {
    json all = json::array({job});
    for (const json& pod : pods) all.push_back(pod);
    for (const json& other : others) all.push_back(other);
    for (json& object : all) {
      if (object["kind"] == "Event") object["metadata"]["name"] = object["reason"];
    }
    return all;
  }
  void AddStatus(const std::string& text) {
    others.push_back(
        {{"apiVersion", "v1"},
         {"kind", "ConfigMap"},
         {"metadata", {{"name", "cluster-autoscaler-status"}, {"namespace", "kube-system"}}},
         {"data", {{"status", text}}}});
  }

  std::string Stream() const {
    std::string text = job.dump();
    for (const json& pod : pods) text += pod.dump();
    for (const json& other : others) text += other.dump();
    return text;
  }
};

Diagnosis DiagnoseStream(const std::string& stream, const std::string& what = "job/train") {
  Collector collector(support::StandardSettings(), kToday);
  collector.LookFor(ParseTarget(what, "ml").value());
  EXPECT_TRUE(collector.Read(stream) && collector.FinishReading());
  const Result<Snapshot> snapshot = collector.Finish();
  if (!snapshot) return {};
  return Diagnose(*snapshot);
}

// What a cluster says that has the scene.
Diagnosis DiagnoseCluster(const Scene& scene, const std::string& forbidden = "",
                          std::size_t most = Collector::kMost) {
  support::FakeCluster cluster(scene.Objects());
  if (!forbidden.empty()) cluster.Forbid(forbidden);
  Collector collector(support::StandardSettings(), kToday, most);
  EXPECT_TRUE(collector.ReadCluster(cluster, ParseTarget("job/train", "ml").value()));
  const Result<Snapshot> snapshot = collector.Finish();
  if (!snapshot) return {};
  return Diagnose(*snapshot);
}

std::vector<std::string> Words(const Diagnosis& diagnosis) {
  std::vector<std::string> words;
  for (const Cause& cause : diagnosis.causes) words.emplace_back(cause.word);
  return words;
}

struct Case {
  std::string cause;  // expected as the first
  std::string says;   // in its text
  std::function<void(Scene&)> make;
  std::string what = "job/train";
};

// What the autoscaler of GKE writes from Kubernetes 1.30 on.
std::string Backoff(const std::string& group, const std::string& error) {
  return R"(
time: 2026-11-21 10:00:00
autoscalerStatus: Running
nodeGroups:
- name: https://www.googleapis.com/compute/v1/projects/p/zones/z/instanceGroups/)" +
         group + R"(
  scaleUp:
    status: Backoff
    backoffInfo:
      errorCode: )" +
         error + R"(
      errorMessage: "Quota 'TPUS' exceeded"
)";
}

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"deleting", "is being deleted",
       [](Scene& s) {
         s.job["metadata"]["deletionTimestamp"] = "2026-11-21T10:00:00Z";
         s.job["metadata"]["finalizers"] = json::array({"foregroundDeletion"});
       }},
      {"finished", "has finished",
       [](Scene& s) {
         s.AddPods(4, "Succeeded");
         s.job["status"]["conditions"] = json::array({{{"type", "Complete"}, {"status", "True"}}});
       }},
      {"idle", "nothing to run now", [](Scene& s) { s.BecomeCronJob(); }, "cronjob/train"},
      {"managed-elsewhere", "kueue.x-k8s.io/multikueue",
       [](Scene& s) { s.job["spec"]["managedBy"] = "kueue.x-k8s.io/multikueue"; }},
      {"own-fault", "TPU301",
       [](Scene& s) {
         s.spec()["containers"][0]["resources"]["limits"][kTaint] = 8;
         s.Unschedulable("4 Insufficient google.com/tpu.");
         s.AddNodes(4);
       }},
      {"paused", "is 0", [](Scene& s) { s.job["spec"]["parallelism"] = 0; }},
      {"kueue-deactivated", "deactivated",
       [](Scene& s) { s.Queue("The workload is deactivated")["spec"]["active"] = false; }},
      {"kueue-queue-missing", "\"team\"",
       [](Scene& s) { s.Queue("LocalQueue team doesn't exist", "Inadmissible"); }},
      {"kueue-queue-inactive", "inactive",
       [](Scene& s) { s.Queue("ClusterQueue all is inactive", "Inadmissible"); }},
      {"kueue-never-fits", "can never",
       [](Scene& s) {
         s.Queue(
             "couldn't assign flavors to pod set main: insufficient quota for google.com/tpu "
             "in flavor v6e, previously considered podsets requests (0) + current podset "
             "request (16) > maximum capacity (8)");
       }},
      {"kueue-never-fits", "has no such level",
       [](Scene& s) {
         s.Queue(
             "couldn't assign flavors to pod set main: Flavor \"v6e\" does not contain the "
             "requested level");
       }},
      {"kueue-topology", "no part of the cluster's topology",
       [](Scene& s) {
         s.Queue(
             "couldn't assign flavors to pod set main: topology \"gke\" allows to fit only 2 "
             "out of 4 pod(s)");
       }},
      {"kueue-taint", "the taint google.com/tpu=present:NoSchedule,",
       [](Scene& s) {
         s.Queue(
             "couldn't assign flavors to pod set main: topology \"gke\" doesn't allow to fit any "
             "of 4 pod(s). Total nodes: 14; excluded: taint "
             "\"google.com/tpu=present:NoSchedule\": 14");
       }},
      {"kueue-topology", "no part of the cluster's topology",
       [](Scene& s) {
         s.Queue(
             "couldn't assign flavors to pod set main: topology \"gke\" doesn't allow to fit any "
             "of 4 pod(s). Total nodes: 14; excluded: taint \"team=other:NoSchedule\": 1");
       }},
      {"kueue-topology", "no part of the cluster's topology",
       [](Scene& s) {
         s.Queue(
             "couldn't assign flavors to pod set main: topology \"gke\" doesn't allow to fit any "
             "of 4 pod(s). Total nodes: 14; excluded: taint "
             "\"node.kubernetes.io/not-ready:NoExecute\": 14");
       }},
      {"kueue-topology", "no part of the cluster's topology",
       [](Scene& s) {
         s.Queue(
             "couldn't assign flavors to pod set main: topology \"gke\" doesn't allow to fit any "
             "of 4 pod(s)");
       }},
      {"kueue-quota", "flavor v6e has 16 of 16 chips in use",
       [](Scene& s) {
         s.Queue(
             "couldn't assign flavors to pod set main: insufficient unused quota for "
             "google.com/tpu in flavor v6e, 16 more needed");
         s.others.push_back(json::parse(R"({
           "apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "LocalQueue",
           "metadata": {"name": "team", "namespace": "ml"}, "spec": {"clusterQueue": "all"}})"));
         s.others.push_back(json::parse(R"({
           "apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue",
           "metadata": {"name": "all"},
           "spec": {"resourceGroups": [{"flavors": [{"name": "v6e", "resources": [
             {"name": "google.com/tpu", "nominalQuota": "16"}]}]}]},
           "status": {"flavorsReservation": [{"name": "v6e", "resources": [
             {"name": "google.com/tpu", "total": "16"}]}]}})"));
       }},
      {"kueue-check", "\"capacity\" is Pending",
       [](Scene& s) {
         json& workload = s.Queue("");
         workload["status"]["conditions"][0]["status"] = "True";
         workload["status"]["admissionChecks"] =
             json::array({{{"name", "capacity"}, {"state", "Pending"}, {"message", "waits"}}});
       }},
      {"kueue-evicted", "Preempted",
       [](Scene& s) {
         json& workload = s.Queue("couldn't assign flavors: insufficient unused quota");
         workload["status"]["conditions"].push_back(
             {{"type", "Evicted"}, {"status", "True"}, {"reason", "Preempted"}});
       }},
      {"kueue-waiting", "waits in the queue",
       [](Scene& s) { s.Queue("The workload waits for others"); }},
      {"kueue-not-managed", "does not know it",
       [](Scene& s) {
         s.Queue("");
         s.others.clear();
         s.AddStrangers();
       }},
      {"suspended", "suspended", [](Scene& s) { s.job["spec"]["suspend"] = true; }},
      {"chips-refused", "4 chips",
       [](Scene& s) {
         s.AddNodes(4);
         s.AddPods(1, "Failed");
         s.Bind();
         s.pods[0]["status"]["reason"] = "UnexpectedAdmissionError";
         s.pods[0]["status"]["message"] = "Allocate failed due to invalid TPU chip count request";
       }},
      {"node-refused", "OutOfcpu",
       [](Scene& s) {
         s.AddPods(1, "Failed");
         s.Bind();
         s.pods[0]["status"]["reason"] = "OutOfcpu";
       }},
      {"node-refused", "\"a-0\": UnexpectedAdmissionError",
       [](Scene& s) {
         s.AddPods(1, "Failed");
         s.Bind();
         s.pods[0]["status"]["reason"] = "UnexpectedAdmissionError";
         s.pods[0]["status"]["message"] = "Allocate failed due to no healthy devices present";
       }},
      {"webhook-refused", "\"check.example.com\"",
       [](Scene& s) {
         s.AddEvent(
             "job", "FailedCreate",
             "Error creating: admission webhook \"check.example.com\" denied the request: no");
       }},
      {"resource-quota", "ResourceQuota",
       [](Scene& s) {
         s.AddEvent("job", "FailedCreate",
                    "Error creating: pods \"train-0\" is forbidden: exceeded quota: chips");
       }},
      {"pod-security", "Pod Security",
       [](Scene& s) {
         s.AddEvent("job", "FailedCreate", "is forbidden: violates PodSecurity \"restricted\"");
       }},
      {"service-account", "service account",
       [](Scene& s) {
         s.AddEvent("job", "FailedCreate",
                    "is forbidden: error looking up service account ml/x: serviceaccount \"x\" not "
                    "found");
       }},
      {"pods-refused", "API server refuses",
       [](Scene& s) { s.AddEvent("job", "FailedCreate", "Pod \"train-0\" is invalid: spec"); }},
      {"gated", "\"example.com/wait\" holds 4 pods",
       [](Scene& s) {
         s.spec()["schedulingGates"] = json::array({{{"name", "example.com/wait"}}});
         s.AddPods(4);
       }},
      {"scaling-up", "making nodes",
       [](Scene& s) {
         s.Unschedulable("1 node(s) didn't match Pod's node affinity/selector.");
         s.AddEvent("train-0", "NotTriggerScaleUp", "pod didn't trigger", "2026-11-21T09:00:00Z");
         s.AddEvent("train-0", "TriggeredScaleUp", "pod triggered scale-up: 0->4");
         s.AddNode("b", "b", "2x4");
       }},
      {"autoscaler-stockout", "no such TPUs left",
       [](Scene& s) { s.FailToScale("GCE out of resources"); }},
      {"autoscaler-stockout", "no such TPUs left",
       [](Scene& s) {
         s.FailToScale("GCE out of resources");
         s.BackOff();
       }},
      {"autoscaler-stockout", "no such TPUs left",
       [](Scene& s) {  // a group that was to grow for it
         s.Unschedulable("1 node(s) didn't match Pod's node affinity/selector.");
         s.AddEvent("train-0", "TriggeredScaleUp",
                    "pod triggered scale-up: [{https://www.googleapis.com/compute/v1/projects/p/"
                    "zones/z/instanceGroups/gke-c-v6e-1234-grp 0->4 (max: 4)}]");
         s.BackOff();
         s.AddStatus(Backoff("gke-c-v6e-1234-grp", "GCE_STOCKOUT"));
       }},
      {"autoscaler-quota", "quota does not allow",
       [](Scene& s) { s.FailToScale("GCE quota exceeded"); }},
      {"autoscaler-quota", "quota does not allow",
       [](Scene& s) {
         s.Unschedulable("4 Insufficient google.com/tpu.");
         s.AddNodes(4);
         s.AddStatus(Backoff("gke-c-a-1234-grp", "QUOTA_EXCEEDED"));
       }},
      {"autoscaler-failed", "could not make them: IP space exhausted",
       [](Scene& s) {
         s.FailToScale("IP space exhausted");
         s.BackOff();
       }},
      {"no-node-pool",
       "no node of this cluster has tpu-v6e-slice 4x4 now; it has tpu-v6e-slice 2x4 (1 node of 4 "
       "chips)",
       [](Scene& s) {
         s.Unschedulable("1 node(s) didn't match Pod's node affinity/selector.");
         s.AddNode("b", "b", "2x4");
       }},
      {"no-node-pool", "it has no TPU nodes at all",
       [](Scene& s) {
         s.Unschedulable("1 node(s) didn't match Pod's node affinity/selector.");
         s.AddNodeOfNoTpus();
       }},
      {"no-node-pool", "it has tpu-v6e-slice 2x4",  // somebody else's pool is in backoff
       [](Scene& s) {
         s.Unschedulable("1 node(s) didn't match Pod's node affinity/selector.");
         s.AddNode("b", "b", "2x4");
         s.BackOff();
         s.AddStatus(Backoff("gke-c-h100-1234-grp", "GCE_STOCKOUT"));
       }},
      {"selector-unmet", "cloud.google.com/gke-spot: \"true\"",
       [](Scene& s) {
         s.spec()["nodeSelector"]["cloud.google.com/gke-spot"] = "true";
         s.Unschedulable("4 node(s) didn't match Pod's node affinity/selector.");
         s.AddNodes(4);
       }},
      {"toleration-missing", "google.com/tpu=present:NoSchedule",
       [](Scene& s) {
         s.spec().erase("tolerations");
         s.Unschedulable("4 node(s) had untolerated taint(s).");
         s.AddNodes(4);
       }},
      {"taint", "team=other:NoSchedule",
       [](Scene& s) {
         s.Unschedulable("4 node(s) had untolerated taint(s).");
         for (int i = 0; i < 4; ++i) {
           s.AddNode("a-" + std::to_string(i), "a", "4x4")["spec"]["taints"].push_back(
               {{"key", "team"}, {"value", "other"}, {"effect", "NoSchedule"}});
         }
       }},
      {"slice-incomplete",
       "3 of 4 hosts of pool a are Ready: a slice of 4x4 starts with all of them",
       [](Scene& s) {
         s.Unschedulable("3 Insufficient google.com/tpu.");
         s.AddNodes(3);
       }},
      {"slice-incomplete", "3 of 4 hosts of pool a are Ready",  // another pool is whole, and taken
       [](Scene& s) {
         s.Unschedulable("7 Insufficient google.com/tpu.");
         s.AddNodes(3);
         s.AddNotReady("a-3");
         for (int i = 0; i < 4; ++i) s.AddNode("b-" + std::to_string(i), "b", "4x4");
         s.Run(3);
       }},
      {"slice-incomplete", "3 of 4 hosts of pool a are Ready",  // what made its nodes is long over
       [](Scene& s) {
         s.Unschedulable("3 Insufficient google.com/tpu.");
         s.AddNodes(3);
         s.AddNotReady("a-3");
         s.Run(3);
         s.AddEvent("train-0", "TriggeredScaleUp", "pod triggered scale-up: 0->4");
       }},
      {"node-state", "4 of 4 nodes",
       [](Scene& s) {
         s.Unschedulable(
             "4 node(s) had untolerated taint {cloud.google.com/impending-node-termination: }.");
         s.AddNodes(4);
         s.TaintNodes(4, "cloud.google.com/impending-node-termination");
       }},
      {"node-state", "1 of 1 node",
       [](Scene& s) {
         s.spec()["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "2x2";
         s.job["spec"]["parallelism"] = s.job["spec"]["completions"] = 1;
         s.Unschedulable("1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.");
         s.AddNotReady("a-0", "2x2");
       }},
      {"node-state", "4 of 4 nodes",
       [](Scene& s) {
         s.Unschedulable("4 Insufficient google.com/tpu.");
         s.AddNodes(4);
         for (json& node : s.others) node["status"]["allocatable"][kTaint] = "0";
       }},
      {"node-state", "1 of 4 nodes",  // its own pods use the others
       [](Scene& s) {
         s.Unschedulable("1 node(s) had untolerated taint(s), 3 Insufficient google.com/tpu.");
         s.AddNode("a-3", "a", "4x4");
         s.TaintNodes(1, "ToBeDeletedByClusterAutoscaler");
         s.AddNodes(3);
         s.Run(3);
       }},
      {"cordoned", "1 of 4 nodes",
       [](Scene& s) {
         s.Unschedulable("1 node(s) were unschedulable, 3 Insufficient google.com/tpu.");
         s.AddNodes(3);
         s.AddNode("a-3", "a", "4x4")["spec"]["unschedulable"] = true;
       }},
      {"volume", "volume",
       [](Scene& s) {
         s.Unschedulable("persistentvolumeclaim \"data\" not found.");
         s.AddNodes(4);
       }},
      {"volume", "volume",
       [](Scene& s) {
         s.Unschedulable("4 node(s) had volume node affinity conflict.");
         s.AddNodes(4);
       }},
      {"volume", "volume",
       [](Scene& s) {
         s.Unschedulable(
             "4 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).");
         s.AddNodes(4);
       }},
      {"volume", "volume",
       [](Scene& s) {
         s.Unschedulable("4 node(s) did not have enough free storage.");
         s.AddNodes(4);
       }},
      {"volume", "volume",  // nobody looks for nodes before it is there
       [](Scene& s) {
         s.Unschedulable("persistentvolumeclaim \"data\" not found.");
         s.AddNode("b", "b", "2x4");
       }},
      {"device-claim", "resource claims",
       [](Scene& s) {
         s.spec()["resourceClaims"] = json::array({{{"name", "tpu"}}});
         s.Unschedulable("4 cannot allocate all claims.");
         s.AddNodes(4);
       }},
      {"pod-affinity", "other pods keep it off",
       [](Scene& s) {
         s.Unschedulable("4 node(s) didn't match pod anti-affinity rules.");
         s.AddNodes(4);
       }},
      {"autoscaler-maximum", "as large as",
       [](Scene& s) {
         s.Unschedulable("4 node(s) didn't match Pod's node affinity/selector.");
         s.AddEvent("train-0", "NotTriggerScaleUp",
                    "pod didn't trigger scale-up: 1 max node group "
                    "size reached");
         s.AddNodes(4);
       }},
      {"old-pods", "4 pods still being deleted",
       [](Scene& s) {
         s.AddEndingPods();
         s.Unschedulable("4 Insufficient google.com/tpu.");
       }},
      {"old-pods", "4 pods still being deleted", [](Scene& s) { s.AddEndingPods(); }},
      {"chips-in-use", "in use",
       [](Scene& s) {
         s.Unschedulable("4 Insufficient google.com/tpu.");
         s.AddNodes(4);
       }},
      {"chips-in-use", "in use",  // whatever pool is at its maximum
       [](Scene& s) {
         s.Unschedulable("4 Insufficient google.com/tpu.");
         s.AddNodes(4);
         s.AddEvent("train-0", "NotTriggerScaleUp",
                    "pod didn't trigger scale-up: 1 max node group size reached");
       }},
      {"chips-in-use", "in use",  // a pool whose name begins alike is in backoff
       [](Scene& s) {
         s.Unschedulable("4 Insufficient google.com/tpu.");
         s.AddNodes(4);
         s.AddStatus(Backoff("gke-c-a-gpu-1234-grp", "GCE_STOCKOUT"));
       }},
      {"chips-in-use", "in use",  // a node is about to go
       [](Scene& s) {
         s.Unschedulable("1 node(s) had untolerated taint(s), 3 Insufficient google.com/tpu.");
         s.AddNodes(4);
         s.TaintNodes(1, "ToBeDeletedByClusterAutoscaler");
       }},
      {"chips-in-use", "in use",  // a taint of one node is not what the scheduler speaks of
       [](Scene& s) {
         s.Unschedulable("4 Insufficient google.com/tpu.");
         s.AddNodes(4);
         s.TaintNodes(1, "team");
       }},
      {"chips-in-use", "in use",  // what refused an older pod is over
       [](Scene& s) {
         s.AddPods(1, "Failed");
         s.pods[0]["status"]["reason"] = "UnexpectedAdmissionError";
         s.pods[0]["status"]["message"] = "Requested: 4, Available: 0, which is unexpected";
         s.Unschedulable("4 Insufficient google.com/tpu.");
         s.AddNodes(4);
       }},
      {"chips-in-use", "are in use",  // a broken slice is no part of it
       [](Scene& s) {
         s.Unschedulable("7 Insufficient google.com/tpu.");
         s.AddNodes(3);
         s.AddNotReady("a-3");
         for (int i = 0; i < 4; ++i) s.AddNode("b-" + std::to_string(i), "b", "4x4");
       }},
      {"chips-in-use", "are in use",  // by others too
       [](Scene& s) {
         s.Unschedulable("4 Insufficient google.com/tpu.");
         s.AddNodes(4);
         s.Run(3);
       }},
      {"chips-in-use", "its own pods use the chips of the nodes with tpu-v6e-slice 4x4",
       [](Scene& s) {
         s.Unschedulable("3 Insufficient google.com/tpu.");
         s.AddNodes(4);
         s.Run(3);
       }},
      {"machine-full", "not enough cpu left",  // of the node that its own pods leave free
       [](Scene& s) {
         s.Unschedulable("1 Insufficient cpu, 3 Insufficient google.com/tpu.");
         s.AddNodes(4);
         s.Run(3);
       }},
      {"machine-full", "cpu and memory",
       [](Scene& s) {
         s.Unschedulable("4 Insufficient cpu, 4 Insufficient memory.");
         s.AddNodes(4);
       }},
      {"unschedulable", "finds no node",
       [](Scene& s) {
         s.Unschedulable("4 node(s) had something new.");
         s.AddNodes(4);
       }},
      {"unschedulable", "finds no node",  // it is not its old pods' chips that are missing
       [](Scene& s) {
         s.AddEndingPods();
         s.Unschedulable("4 node(s) had something new.");
       }},
      {"unschedulable", "finds no node",
       [](Scene& s) {
         s.Unschedulable("running \"VolumeBinding\" filter plugin: no");
         for (json& pod : s.pods) pod["status"]["conditions"][0]["reason"] = "SchedulerError";
         s.AddNodes(4);
       }},
      {"no-scheduler", "\"mine\"",
       [](Scene& s) {
         s.spec()["schedulerName"] = "mine";
         s.AddPods(4);
       }},
      {"node-lost", "\"a-3\"",
       [](Scene& s) {
         s.AddNodes(4);
         s.others.back()["status"]["conditions"][0]["status"] = "False";
         s.AddPods(4, "Running");
         s.Bind();
       }},
      {"image", "\"jax\"",
       [](Scene& s) {
         s.Container({{"waiting", {{"reason", "ImagePullBackOff"}, {"message", "Back-off"}}}});
       }},
      {"container-config", "\"jax\"",
       [](Scene& s) {
         s.Container({{"waiting", {{"reason", "CreateContainerConfigError"}}}});
       }},
      {"mount", "mounted",
       [](Scene& s) {
         s.Container({{"waiting", {{"reason", "ContainerCreating"}}}});
         s.AddEvent("train-0", "FailedMount", "secret \"key\" not found");
       }},
      {"sandbox", "cannot start",
       [](Scene& s) {
         s.Container({{"waiting", {{"reason", "ContainerCreating"}}}});
         s.AddEvent("train-0", "FailedCreatePodSandBox", "no network");
       }},
      {"out-of-memory", "than its limit",
       [](Scene& s) {
         s.spec()["containers"][0]["resources"]["limits"]["memory"] = "1Gi";
         s.Container({{"terminated", {{"reason", "OOMKilled"}, {"exitCode", 137}}}}, "Running");
       }},
      {"out-of-memory", "its node ran out of memory; it has no memory limit",
       [](Scene& s) {
         s.Container({{"terminated", {{"reason", "OOMKilled"}, {"exitCode", 137}}}}, "Running");
       }},
      {"crash", "exit code 3",
       [](Scene& s) {
         s.Container({{"terminated", {{"reason", "Error"}, {"exitCode", 3}}}}, "Failed");
       }},
      {"init-waits", "\"wait\"",
       [](Scene& s) {
         s.Container({{"waiting", {{"reason", "PodInitializing"}}}});
         s.pods[0]["status"]["initContainerStatuses"] = json::array(
             {{{"name", "wait"}, {"ready", false}, {"state", {{"running", json::object()}}}}});
       }},
      {"init-waits", "\"wait\"",  // behind a sidecar
       [](Scene& s) {
         s.Container({{"waiting", {{"reason", "PodInitializing"}}}});
         const json runs = {{"running", json::object()}};
         s.pods[0]["status"]["initContainerStatuses"] =
             json::array({{{"name", "gcsfuse"}, {"ready", true}, {"state", runs}},
                          {{"name", "wait"}, {"ready", false}, {"state", runs}}});
       }},
      {"starting", "being started",
       [](Scene& s) {
         s.Container({{"waiting", {{"reason", "ContainerCreating"}}}});
       }},
      {"evicted", "PreemptionByScheduler",
       [](Scene& s) {
         s.AddNodes(4);
         s.AddPods(4, "Pending");
         s.Bind();
         s.pods[0]["status"]["phase"] = "Failed";
         s.pods[0]["status"]["conditions"] = json::array({{{"type", "DisruptionTarget"},
                                                           {"status", "True"},
                                                           {"reason", "PreemptionByScheduler"}}});
       }},
      {"evicted", "TerminationByKubelet",  // not crash: it was ended
       [](Scene& s) {
         s.Container({{"terminated", {{"reason", "Error"}, {"exitCode", 137}}}}, "Failed");
         s.pods[0]["status"]["conditions"] = json::array({{{"type", "DisruptionTarget"},
                                                           {"status", "True"},
                                                           {"reason", "TerminationByKubelet"}}});
       }},
      {"failed", "BackoffLimitExceeded",  // not old-pods: that is why they are deleted
       [](Scene& s) {
         s.AddEndingPods();
         s.job["status"]["conditions"] = json::array(
             {{{"type", "FailureTarget"}, {"status", "True"}, {"reason", "BackoffLimitExceeded"}}});
       }},
      {"node-refused", "OutOfcpu",
       [](Scene& s) {
         s.AddEndingPods();
         s.AddPods(1, "Failed");
         s.pods.back()["status"]["reason"] = "OutOfcpu";
       }},
      {"failed", "DeadlineExceeded",
       [](Scene& s) {
         s.job["status"]["conditions"] = json::array(
             {{{"type", "Failed"}, {"status", "True"}, {"reason", "DeadlineExceeded"}}});
       }},
      {"worker-names", "TPU_WORKER_HOSTNAMES names 3 hosts, and the slice has 4",
       [](Scene& s) {
         s.spec()["containers"][0]["env"] =
             json::array({{{"name", "TPU_WORKER_HOSTNAMES"}, {"value", "a,b,c"}}});
         s.AddNodes(4);
         s.AddPods(4, "Running");
         s.Bind();
       }},
      {"slice-split", "2 node pools",
       [](Scene& s) {
         s.AddNodes(3);
         s.AddNode("a-3", "b", "4x4");
         s.AddPods(4, "Running");
         s.Bind();
       }},
      {"gang-incomplete", "3 of 4 pods run",
       [](Scene& s) {
         s.AddNodes(4);
         s.AddPods(3, "Running");
         s.Bind();
       }},
      {"not-ready", "is not ready",
       [](Scene& s) {
         s.AddNodes(4);
         s.AddPods(4, "Running");
         s.Bind();
         s.pods[1]["status"]["conditions"].push_back({{"type", "Ready"}, {"status", "False"}});
       }},
      {"no-controller", "does not run",
       [](Scene& s) {
         s.job.erase("status");
         s.AddStrangers();
       }},
      {"own-doubt", "TPU",
       [](Scene& s) {
         s.job["spec"]["completionMode"] = "NonIndexed";
         s.AddNodes(4);
         s.AddPods(4, "Running");
         s.Bind();
       }},
      {"unknown", "nothing",
       [](Scene& s) {
         s.AddPods(4, "Unknown");
         s.Bind();
         s.job["status"]["conditions"] = json::array({{{"type", "New"}, {"status", "True"}}});
       }},
  };
  return cases;
}

class Causes : public ::testing::TestWithParam<Case> {};

TEST_P(Causes, IsNamedFirst) {
  Scene scene;
  GetParam().make(scene);
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream(), GetParam().what);
  std::string all;
  for (const Cause& cause : diagnosis.causes) {
    all += std::string(cause.word) + ": " + cause.text + "\n";
    EXPECT_FALSE(cause.change.empty());
  }
  ASSERT_FALSE(diagnosis.causes.empty());
  EXPECT_EQ(diagnosis.causes.front().word, GetParam().cause) << all;
  EXPECT_THAT(diagnosis.causes.front().text, HasSubstr(GetParam().says));
  EXPECT_EQ(diagnosis.causes.front().evidence.empty(), diagnosis.causes.front().word == "unknown");
}

INSTANTIATE_TEST_SUITE_P(Why, Causes, ::testing::ValuesIn(Cases()), [](const auto& test) {
  std::string name = test.param.cause + std::string("_") + std::to_string(test.index);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Why, HasASceneForEveryCause) {
  std::set<std::string> words;
  for (const Case& row : Cases()) words.insert(row.cause);
  for (const CauseRow& row : CauseTable()) {
    EXPECT_TRUE(words.erase(std::string(row.word))) << row.word;
    EXPECT_FALSE(row.meaning.empty());
    EXPECT_FALSE(row.change.empty());
  }
  EXPECT_THAT(words, IsEmpty());
}

TEST(Why, SaysOfASoundJobThatItRuns) {
  Scene scene;
  scene.AddNodes(4);
  scene.AddPods(4, "Running");
  scene.Bind();
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream());
  EXPECT_TRUE(diagnosis.running);
  EXPECT_EQ(diagnosis.summary, "4 of 4 pods run");
  EXPECT_THAT(diagnosis.causes, IsEmpty());
}

// What was there before the pods ran is no cause any more.
TEST(Why, LeavesOldEventsAndPodsAlone) {
  Scene scene;
  scene.AddPods(1, "Failed");
  scene.pods[0]["status"]["reason"] = "UnexpectedAdmissionError";
  scene.AddPods(4, "Running");
  for (std::size_t i = 1; i < 5; ++i)
    scene.pods[i]["spec"]["nodeName"] = "a-" + std::to_string(i - 1);
  scene.AddNodes(4);
  scene.AddEvent("job", "FailedCreate", "exceeded quota");
  EXPECT_THAT(DiagnoseStream(scene.Stream()).causes, IsEmpty());
}

TEST(Why, TakesPodsThatBelongToItByOthersAndNobodyElses) {
  Scene scene;
  scene.AddPods(1);
  scene.pods[0]["spec"]["schedulingGates"] = json::array({{{"name", "g"}}});
  const json set = {{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
                    {"kind", "JobSet"},
                    {"metadata", {{"name", "set"}, {"namespace", "ml"}, {"uid", "set"}}}};
  scene.job["metadata"]["ownerReferences"] = json::array({{{"kind", "JobSet"}, {"uid", "set"}}});
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream() + set.dump(), "jobset/set");
  ASSERT_FALSE(diagnosis.causes.empty());
  EXPECT_EQ(diagnosis.causes.front().word, "gated");

  const json other = {{"apiVersion", "batch/v1"},
                      {"kind", "Job"},
                      {"metadata", {{"name", "other"}, {"namespace", "ml"}, {"uid", "o"}}}};
  const Diagnosis none = DiagnoseStream(scene.Stream() + other.dump(), "job/other");
  EXPECT_NE(none.causes.front().word, "gated");
}

// What people write by hand has no uids.
TEST(Why, KnowsByNameWhoHasNoUid) {
  Scene scene;
  scene.AddNodes(4);
  scene.AddPods(4, "Running");
  scene.Bind();
  json stray = scene.pods[0];
  stray["metadata"] = {{"name", "stray"}, {"namespace", "ml"}, {"uid", ""}};
  stray["status"]["phase"] = "Pending";
  stray["spec"].erase("nodeName");
  scene.job["metadata"].erase("uid");
  for (json& pod : scene.pods) {
    pod["metadata"].erase("uid");
    pod["metadata"]["ownerReferences"][0].erase("uid");
  }
  scene.others.push_back(stray);
  EXPECT_EQ(DiagnoseStream(scene.Stream()).summary, "4 of 4 pods run");
  EXPECT_EQ(DiagnoseStream(scene.Stream(), "pod/stray").summary, "0 of 1 pods run");
}

TEST(Why, NamesWhoHoldsTheChips) {
  Scene scene;
  scene.Unschedulable("4 Insufficient google.com/tpu.");
  scene.AddNodes(4);
  json holder = scene.pods[0];
  holder["metadata"] = {{"name", "b-0"}, {"namespace", "other"}, {"uid", "b"}};
  holder["metadata"]["ownerReferences"] =
      json::array({{{"kind", "Job"}, {"name", "big"}, {"uid", "bu"}, {"controller", true}}});
  holder["spec"]["nodeName"] = "a-0";
  holder["status"] = {{"phase", "Running"}};
  scene.others.push_back(holder);
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream());
  EXPECT_THAT(diagnosis.causes.front().evidence,
              Contains("in use by Job \"big\" in other: 4 chips"));
}

// It would fit on no node, whoever uses the chips.
TEST(Why, BlamesNobodyForChipsThatNoNodeHas) {
  Scene scene;
  scene.spec()["containers"][0]["resources"]["limits"]["google.com/tpu"] = 8;
  scene.Unschedulable("4 Insufficient google.com/tpu.");
  scene.AddNodes(4);
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream());
  EXPECT_EQ(diagnosis.causes.front().word, "own-fault");
  for (const auto& cause : diagnosis.causes) EXPECT_NE(cause.word, "chips-in-use");
}

// Who may grow is the compute class's business.
TEST(Why, SendsWhoChoosesAComputeClassThere) {
  Scene scene;
  scene.spec()["nodeSelector"]["cloud.google.com/compute-class"] = "tpus";
  scene.Unschedulable("1 node(s) didn't match Pod's node affinity/selector.");
  scene.AddNode("b", "b", "2x4");
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream());
  EXPECT_EQ(diagnosis.causes.front().word, "no-node-pool");
  EXPECT_THAT(diagnosis.causes.front().change, HasSubstr("compute class \"tpus\""));
}

TEST(Why, SaysOfOnePodMoreThanThatItRestarts) {
  Scene scene;
  scene.Container({{"waiting", {{"reason", "CrashLoopBackOff"}, {"message", "back-off 5m0s"}}}},
                  "Running");
  scene.pods[0]["status"]["containerStatuses"][0]["lastState"]["terminated"] = {
      {"exitCode", 1}, {"reason", "Error"}, {"message", "no TPU backend"}};
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream());
  EXPECT_EQ(diagnosis.causes.front().word, "crash");
  EXPECT_THAT(diagnosis.causes.front().evidence.front(), HasSubstr("no TPU backend"));
}

// Of pods that each have a slice of their own, none waits for another.
TEST(Why, SeesNoGangWherePodsStandAlone) {
  Scene scene;
  scene.spec()["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "2x2";
  scene.AddPods(3, "Running");
  scene.Bind();
  for (int i = 0; i < 3; ++i) scene.AddNode("a-" + std::to_string(i), std::to_string(i), "2x2");
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream());
  EXPECT_FALSE(diagnosis.running);
  for (const Cause& cause : diagnosis.causes) EXPECT_NE(cause.word, "gang-incomplete");
}

// It names no reason of the autoscaler's twice.
TEST(Why, TellsAFailureThatItKnowsOnce) {
  Scene scene;
  scene.FailToScale("GCE out of resources");
  for (const Cause& cause : DiagnoseStream(scene.Stream()).causes) {
    EXPECT_NE(cause.word, "autoscaler-failed");
  }
}

// Whoever has the chips of a node has its CPU too; nodes with chips left are another matter.
TEST(Why, TellsOfAFullMachineOnlyWhereItIsInTheWay) {
  for (const int taken : {3, 4}) {
    Scene scene;
    scene.Unschedulable("4 Insufficient cpu, " + std::to_string(taken) +
                        " Insufficient google.com/tpu.");
    scene.AddNodes(4);
    std::vector<std::string> words;
    for (const Cause& cause : DiagnoseStream(scene.Stream()).causes) words.emplace_back(cause.word);
    EXPECT_THAT(words, testing::Contains("chips-in-use"));
    EXPECT_THAT(words, testing::Contains("machine-full").Times(taken == 4 ? 0 : 1));
  }
}

// Text of strangers neither forges a line nor grows the answer.
TEST(Why, EscapesAndCutsWhatStrangersWrite) {
  Scene scene;
  scene.AddEvent("job", "FailedCreate",
                 "exceeded quota\n\x1b[31mforged" + std::string(1 << 20, 'x'));
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream());
  const std::string& evidence = diagnosis.causes.front().evidence.front();
  EXPECT_LT(evidence.size(), 2000U);
  EXPECT_THAT(evidence, Not(HasSubstr("\n")));
  EXPECT_THAT(evidence, Not(HasSubstr("\x1b")));
}

// A driver without chips is no worker.
TEST(Why, CountsPodsWithChipsAlone) {
  Scene scene;
  scene.AddPods(5, "Running");
  scene.pods[0]["spec"]["containers"][0].erase("resources");
  scene.pods[4]["status"]["phase"] = "Pending";
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream());
  EXPECT_FALSE(diagnosis.running);
  EXPECT_EQ(diagnosis.summary, "3 of 4 pods run");
  EXPECT_THAT(Words(diagnosis), Contains("gang-incomplete"));
}

// Four of eight completions are done, and four pods are to run again.
TEST(Why, CountsNoEndThatIsMadeGood) {
  Scene scene;
  scene.job["spec"]["completions"] = 8;
  scene.AddPods(4, "Succeeded");
  scene.AddPods(1, "Running");
  scene.AddPods(3);
  EXPECT_EQ(DiagnoseStream(scene.Stream()).summary, "1 of 4 pods run");
  EXPECT_FALSE(DiagnoseStream(scene.Stream()).running);
  scene.job["spec"]["completions"] = 5;
  scene.pods.resize(5);
  EXPECT_TRUE(DiagnoseStream(scene.Stream()).running);
}

TEST(Why, LooksAtTheNewestRunOfASchedule) {
  Scene scene;
  scene.AddPods(4, "Succeeded");
  scene.AddPods(1, "Running");
  scene.AddPods(3);
  scene.BecomeCronJob();
  for (const char* run : {"train-2", "train-1"}) {
    scene.AddOwned("batch/v1", "Job", run)["metadata"]["creationTimestamp"] =
        "2026-11-2" + std::string(run).substr(6) + "T03:00:00Z";
  }
  for (std::size_t i = 0; i < 8; ++i) scene.Own(scene.pods[i], i < 4 ? "train-1" : "train-2");
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream(), "cronjob/train");
  EXPECT_FALSE(diagnosis.running);
  EXPECT_EQ(diagnosis.summary, "1 of 4 pods run");
  EXPECT_THAT(Words(diagnosis), Contains("gang-incomplete"));
}

TEST(Why, CountsTheReplicasOfADeployment) {
  Scene scene;
  scene.AddPods(1, "Running");
  scene.BecomeDeployment(3);
  scene.AddEvent("job", "FailedCreate", "exceeded quota: chips");
  const Diagnosis diagnosis = DiagnoseStream(scene.Stream(), "deploy/train");
  EXPECT_EQ(diagnosis.summary, "1 of 3 pods run");
  EXPECT_THAT(Words(diagnosis), Contains("resource-quota"));
  EXPECT_THAT(Words(diagnosis), Not(Contains("gang-incomplete")));

  Scene none;
  none.BecomeDeployment(0);
  EXPECT_EQ(DiagnoseStream(none.Stream(), "deploy/train").causes.front().word, "paused");
}

// The old pod runs, and the new one finds no place.
TEST(Why, SaysNotOfAStuckRolloutThatItRuns) {
  Scene scene;
  scene.AddPods(1, "Running");
  scene.AddPods(1);
  scene.BecomeDeployment(1);
  EXPECT_FALSE(DiagnoseStream(scene.Stream(), "deploy/train").running);
}

TEST(Why, CallsNodesGoneOnlyWhereAllWereRead) {
  Scene scene;
  scene.AddNodes(3);
  scene.AddPods(4, "Running");
  scene.Bind();
  EXPECT_THAT(Words(DiagnoseCluster(scene)), Contains("node-lost"));
  EXPECT_THAT(Words(DiagnoseCluster(scene, "nodes")), IsEmpty());
  EXPECT_THAT(Words(DiagnoseStream(scene.Stream())), IsEmpty());
  scene.pods[3]["spec"].erase("nodeSelector");  // nor would its node be in the list
  EXPECT_THAT(Words(DiagnoseCluster(scene)), IsEmpty());
}

TEST(Why, ReadsAllLabelsOfANode) {
  Scene scene;
  scene.spec()["nodeSelector"]["z"] = "1";
  scene.Unschedulable("4 Insufficient google.com/tpu.");
  scene.AddNodes(4);
  for (json& node : scene.others) {
    for (int i = 0; i < 100; ++i) node["metadata"]["labels"]["m" + std::to_string(i)] = "";
    node["metadata"]["labels"]["z"] = "1";
  }
  EXPECT_EQ(DiagnoseStream(scene.Stream()).causes.front().word, "chips-in-use");
}

// What was not read says nothing.
TEST(Why, ConcludesNothingFromWhatWasNotRead) {
  Scene scene;
  scene.job.erase("status");
  EXPECT_THAT(Words(DiagnoseCluster(scene)), ElementsAre("no-controller"));
  for (const char* forbidden : {"pods", "events", "jobs.batch", "rayjobs.ray.io"}) {
    EXPECT_THAT(Words(DiagnoseCluster(scene, forbidden)), ElementsAre("unknown")) << forbidden;
  }
  EXPECT_THAT(Words(DiagnoseStream(scene.Stream())), ElementsAre("unknown"));
  scene.AddOwned("batch/v1", "Job", "x", "y");
  EXPECT_THAT(Words(DiagnoseCluster(scene, "", 1)), ElementsAre("unknown"));  // Job x is left out
  scene.others.clear();
  scene.AddOwned("batch/v1", "Job", "child");
  EXPECT_THAT(Words(DiagnoseCluster(scene)), ElementsAre("unknown"));  // somebody has made it

  Scene queued;
  queued.Queue("");
  queued.others.clear();
  EXPECT_THAT(Words(DiagnoseCluster(queued)), ElementsAre("kueue-not-managed"));
  EXPECT_THAT(Words(DiagnoseCluster(queued, "workloads.kueue.x-k8s.io")), ElementsAre("unknown"));
  EXPECT_THAT(Words(DiagnoseStream(queued.Stream())), ElementsAre("unknown"));
}

// To start a Job alone that a JobSet holds would go round the queue of the JobSet.
TEST(Why, SendsTheChildOfASuspendedObjectToItsOwner) {
  Scene scene;
  scene.job["spec"]["suspend"] = true;
  scene.job["metadata"]["ownerReferences"] =
      json::array({{{"kind", "JobSet"}, {"name", "set"}, {"uid", "set"}, {"controller", true}}});
  const Diagnosis held = DiagnoseStream(scene.Stream());
  EXPECT_EQ(held.causes.front().word, "suspended");
  EXPECT_THAT(held.causes.front().change, HasSubstr("why of JobSet \"set\""));

  scene.Queue("insufficient unused quota")["metadata"]["ownerReferences"][0]["uid"] = "set";
  scene.job["metadata"].erase("labels");
  EXPECT_THAT(Words(DiagnoseStream(scene.Stream())), ElementsAre("kueue-quota"));
  EXPECT_THAT(Words(DiagnoseCluster(scene)), ElementsAre("kueue-quota"));
}

TEST(Why, WaitsForTheFlavorThatWouldDo) {
  Scene scene;
  scene.Queue(
      "couldn't assign flavors to pod set main: flavor v5e doesn't match node affinity, "
      "insufficient unused quota for google.com/tpu in flavor v6e, 16 more needed");
  EXPECT_THAT(Words(DiagnoseStream(scene.Stream())), ElementsAre("kueue-quota"));
}

TEST(Why, TellsTheFiguresOfTheQueueAndFlavorAlone) {
  const auto says = [](const std::string& message) {
    Scene scene;
    scene.Queue(message);
    scene.AddQuota("v6e");
    scene.AddQuota("v6e", "other", "theirs");  // the same name elsewhere
    return DiagnoseStream(scene.Stream()).causes.front();
  };
  const std::string full = "insufficient unused quota for ";
  EXPECT_THAT(says(full + "google.com/tpu in flavor v6e, 16 more needed").text,
              HasSubstr("flavor v6e has 16 of 16"));
  const Cause spot = says(full + "google.com/tpu in flavor v6e-spot, 16 more needed");
  EXPECT_THAT(spot.text, HasSubstr("not enough unused quota"));
  EXPECT_THAT(spot.evidence, Contains(HasSubstr("ClusterQueue all")));
  const Cause cpu = says(full + "cpu in flavor v6e, 40 more needed");
  EXPECT_THAT(cpu.text, HasSubstr("not enough unused quota"));
  EXPECT_EQ(cpu.evidence.size(), 1U);
}

TEST(Why, TakesTheUsualControllerForNoOther) {
  for (const char* usual : {"ray.io/kuberay-operator", "trainer.kubeflow.org/trainjob-controller",
                            "kubernetes.io/job-controller"}) {
    Scene scene;
    scene.job["spec"]["managedBy"] = usual;
    scene.AddEvent("job", "FailedCreate", "exceeded quota: chips");
    EXPECT_THAT(Words(DiagnoseStream(scene.Stream())), ElementsAre("resource-quota")) << usual;
  }
  Scene at_home;
  at_home.job["spec"]["managedBy"] = "kueue.x-k8s.io/multikueue";
  at_home.Queue("insufficient unused quota");
  EXPECT_THAT(Words(DiagnoseStream(at_home.Stream())), ElementsAre("kueue-quota"));
}

// Nothing that went wrong on the way stops what has finished.
TEST(Why, AsksNoFurtherOfWhatHasFinished) {
  const auto finished = [](Scene scene, const std::string& what) {
    scene.AddPods(1, "Failed");
    scene.pods[0]["status"]["reason"] = "UnexpectedAdmissionError";
    EXPECT_THAT(Words(DiagnoseStream(scene.Stream(), what)), ElementsAre("finished")) << what;
  };
  for (const char* type : {"Complete", "Succeeded"}) {
    Scene scene;
    scene.job["status"]["conditions"] = json::array({{{"type", type}, {"status", "True"}}});
    scene.spec()["containers"][0]["resources"]["limits"][kTaint] = 8;
    finished(scene, "job/train");
  }
  Scene ray;
  ray.BecomeRayJob();
  ray.job["status"] = {{"jobStatus", "SUCCEEDED"}, {"jobDeploymentStatus", "Complete"}};
  finished(ray, "rayjob/train");
  ray.job["status"]["jobStatus"] = "FAILED";
  ray.job["status"]["conditions"] = json::array({{{"type", "Completed"}, {"status", "True"}}});
  ray.AddStrangers();
  EXPECT_THAT(Words(DiagnoseStream(ray.Stream(), "rayjob/train")), ElementsAre("failed"));
}

TEST(Why, RefusesWhatMakesNoPods) {
  for (const auto& [version, kind] :
       {std::pair("v1", "Service"), std::pair("kueue.x-k8s.io/v1beta1", "ResourceFlavor")}) {
    Collector collector(support::StandardSettings(), kToday);
    collector.LookFor({kind, "x", ""});
    collector.Take(
        json({{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", "x"}}}}).dump());
    EXPECT_FALSE(collector.Finish()) << kind;
  }
}

TEST(Why, FollowsTheChainToThePods) {
  Scene scene;
  scene.AddPods(4, "Running");
  for (json& pod : scene.pods) scene.Own(pod, "c");
  for (const auto& [version, kind] :
       {std::pair("apps/v1", "Deployment"), std::pair("ray.io/v1", "RayJob"),
        std::pair("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
        std::pair("argoproj.io/v1alpha1", "Workflow"),
        std::pair("actions.github.com/v1alpha1", "EphemeralRunnerSet"),
        std::pair("actions.github.com/v1alpha1", "EphemeralRunner")}) {
    scene.others.clear();
    scene.AddOwned(version, kind, "b");
    scene.AddOwned("apps/v1", "ReplicaSet", "c", "b");
    EXPECT_TRUE(DiagnoseCluster(scene).running) << kind;
  }
}

TEST(Why, CallsPausedOnlyWhatHasNoCountAtAll) {
  Scene scene;
  scene.BecomeRayJob();
  json& groups = scene.job["spec"]["rayClusterSpec"]["workerGroupSpecs"];
  groups.push_back(groups[0]);
  groups[1]["groupName"] = "none";
  groups[1]["replicas"] = 0;
  scene.AddEvent("job", "FailedCreate", "exceeded quota: chips");
  EXPECT_THAT(Words(DiagnoseStream(scene.Stream(), "rayjob/train")), ElementsAre("resource-quota"));
}

// Whoever asks about a pod wants to know of the pod.
TEST(Why, JudgesAPodForItself) {
  Scene scene;
  scene.spec()["containers"][0]["resources"]["limits"][kTaint] = 8;
  scene.Unschedulable("4 Insufficient google.com/tpu.");
  scene.pods[0]["metadata"]["ownerReferences"][0]["apiVersion"] = "batch/v1";
  EXPECT_EQ(DiagnoseStream(scene.Stream(), "pod/train-0").causes.front().word, "own-fault");
}

TEST(Why, TakesTheLastRefusalAlone) {
  Scene scene;
  scene.AddEvent("job", "FailedCreate", "admission webhook \"w\" denied the request",
                 "2026-11-21T09:00:00Z");
  scene.AddEvent("job", "FailedCreate", "exceeded quota: chips");
  EXPECT_THAT(Words(DiagnoseStream(scene.Stream())), ElementsAre("resource-quota"));
  scene.AddPods(3, "Running");
  scene.Bind();
  scene.AddEvent("job", "SuccessfulCreate", "Created pod: train-2", "2026-11-21T11:00:00Z");
  EXPECT_THAT(Words(DiagnoseStream(scene.Stream())), ElementsAre("gang-incomplete"));
}

// Of plain pods each has a Workload of its own.
TEST(Why, FindsTheWorkloadOfAPodThatKueueHolds) {
  Scene scene;
  scene.spec()["schedulingGates"] = json::array({{{"name", "kueue.x-k8s.io/admission"}}});
  scene.AddPods(1);
  scene.Queue("insufficient unused quota")["metadata"]["ownerReferences"][0]["uid"] = "train-0";
  scene.job["spec"].erase("suspend");
  EXPECT_EQ(DiagnoseStream(scene.Stream()).causes.front().word, "kueue-quota");
}

TEST(Why, AdvisesNoPriorityAgainstATimeout) {
  Scene scene;
  scene.Queue("")["status"]["conditions"].push_back(
      {{"type", "Evicted"}, {"status", "True"}, {"reason", "PodsReadyTimeout"}});
  const Cause cause = DiagnoseStream(scene.Stream()).causes.front();
  EXPECT_EQ(cause.word, "kueue-evicted");
  EXPECT_THAT(cause.change, HasSubstr("waitForPodsReady"));
}

TEST(Why, ReadsTheSuspensionOfKubeflow) {
  Scene scene;
  scene.Become(json::parse(R"({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "spec": {
    "runPolicy": {"suspend": true}, "pytorchReplicaSpecs": {"Worker": {"replicas": 4}}}})"),
               "/spec/pytorchReplicaSpecs/Worker/template");
  const Cause cause = DiagnoseStream(scene.Stream(), "pytorchjob/train").causes.front();
  EXPECT_EQ(cause.word, "suspended");
  EXPECT_EQ(cause.change, "set spec.runPolicy.suspend to false");
}

TEST(Why, CountsAPodOnceThatAFileHoldsTwice) {
  Scene scene;
  scene.AddPods(2, "Running");
  scene.pods.push_back(scene.pods[0]);
  EXPECT_EQ(DiagnoseStream(scene.Stream()).summary, "2 of 4 pods run");
}

TEST(Why, WantsKindAndName) {
  EXPECT_TRUE(ParseTarget("jobs.batch/train", ""));
  for (const char* text : {"", "train", "/train", "job/", "-A/x", "job/-x", "job/a b", "job/a/b"}) {
    EXPECT_FALSE(ParseTarget(text, "")) << text;
  }
}

}  // namespace
}  // namespace tpu_admission::cluster::why_test
