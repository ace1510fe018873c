#include "tpu_admission/workload/kinds.h"

#include <algorithm>
#include <array>

#include "workload/paths.h"

namespace tpu_admission::workload {
namespace {

// Kubernetes: https://kubernetes.io/docs/reference/kubernetes-api/
constexpr PodSetRow kPod[] = {{.path = ""}};
constexpr PodSetRow kTemplate[] = {{.path = "spec/template", .copies = "spec/replicas"}};
constexpr PodSetRow kDaemonSet[] = {{.path = "spec/template", .on_each_node = true}};
constexpr PodSetRow kBareTemplate[] = {{.path = "template", .counting = Counting::kElsewhere}};
constexpr PodSetRow kJob[] = {{.path = "spec/template",
                               .counting = Counting::kJob,
                               .counts = "spec",
                               .count = "parallelism"}};
constexpr PodSetRow kCronJob[] = {{.path = "spec/jobTemplate/spec/template",
                                   .counting = Counting::kJob,
                                   .counts = "spec/jobTemplate/spec",
                                   .count = "parallelism"}};
constexpr PodSetRow kStatefulSet[] = {{.path = "spec/template",
                                       .counting = Counting::kReplicas,
                                       .counts = "spec",
                                       .count = "replicas"}};
constexpr PodSetRow kClaim[] = {
    {.path = "spec", .form = Form::kDeviceClaim, .counting = Counting::kElsewhere}};
constexpr PodSetRow kClaimTemplate[] = {
    {.path = "spec/spec", .form = Form::kDeviceClaim, .counting = Counting::kElsewhere}};

// https://jobset.sigs.k8s.io/docs/reference/
constexpr PodSetRow kJobSet[] = {{.path = "spec/replicatedJobs[]/template/spec/template",
                                  .counting = Counting::kJob,
                                  .counts = "spec/replicatedJobs[]/template/spec",
                                  .count = "parallelism",
                                  .slices = "spec/replicatedJobs[]/replicas",
                                  .name = "spec/replicatedJobs[]/name",
                                  .always_indexed = true}};

// https://lws.sigs.k8s.io/docs/reference/leaderworkerset.v1/
constexpr PodSetRow kLeaderWorkerSet[] = {{.path = "spec/leaderWorkerTemplate/leaderTemplate",
                                           .counting = Counting::kGroup,
                                           .counts = "spec/leaderWorkerTemplate",
                                           .count = "size",
                                           .slices = "spec/replicas",
                                           .leads = true},
                                          {.path = "spec/leaderWorkerTemplate/workerTemplate",
                                           .counting = Counting::kGroup,
                                           .counts = "spec/leaderWorkerTemplate",
                                           .count = "size",
                                           .slices = "spec/replicas"}};

// https://docs.ray.io/en/latest/cluster/kubernetes/references.html
constexpr PodSetRow kRayCluster[] = {{.path = "spec/headGroupSpec/template", .leads = true},
                                     {.path = "spec/workerGroupSpecs[]/template",
                                      .counting = Counting::kPerSlice,
                                      .counts = "spec/workerGroupSpecs[]",
                                      .count = "numOfHosts",
                                      .slices = "spec/workerGroupSpecs[]/replicas",
                                      .name = "spec/workerGroupSpecs[]/groupName"}};
constexpr PodSetRow kRayJob[] = {
    {.path = "spec/rayClusterSpec/headGroupSpec/template", .leads = true},
    {.path = "spec/rayClusterSpec/workerGroupSpecs[]/template",
     .counting = Counting::kPerSlice,
     .counts = "spec/rayClusterSpec/workerGroupSpecs[]",
     .count = "numOfHosts",
     .slices = "spec/rayClusterSpec/workerGroupSpecs[]/replicas",
     .name = "spec/rayClusterSpec/workerGroupSpecs[]/groupName"},
    {.path = "spec/submitterPodTemplate", .leads = true}};
constexpr PodSetRow kRayCronJob[] = {
    {.path = "spec/jobTemplate/rayClusterSpec/headGroupSpec/template", .leads = true},
    {.path = "spec/jobTemplate/rayClusterSpec/workerGroupSpecs[]/template",
     .counting = Counting::kPerSlice,
     .counts = "spec/jobTemplate/rayClusterSpec/workerGroupSpecs[]",
     .count = "numOfHosts",
     .slices = "spec/jobTemplate/rayClusterSpec/workerGroupSpecs[]/replicas",
     .name = "spec/jobTemplate/rayClusterSpec/workerGroupSpecs[]/groupName"},
    {.path = "spec/jobTemplate/submitterPodTemplate", .leads = true}};
constexpr PodSetRow kRayService[] = {
    {.path = "spec/rayClusterConfig/headGroupSpec/template", .leads = true},
    {.path = "spec/rayClusterConfig/workerGroupSpecs[]/template",
     .counting = Counting::kPerSlice,
     .counts = "spec/rayClusterConfig/workerGroupSpecs[]",
     .count = "numOfHosts",
     .slices = "spec/rayClusterConfig/workerGroupSpecs[]/replicas",
     .name = "spec/rayClusterConfig/workerGroupSpecs[]/groupName"}};

// github.com/google/pathways-job
constexpr PodSetRow kPathwaysJob[] = {
    {.path = "spec/workers[]", .form = Form::kPathwaysWorker, .counting = Counting::kElsewhere},
    {.path = "spec/controller/template", .leads = true}};

// https://www.kubeflow.org/docs/components/trainer/legacy-v1/
constexpr PodSetRow kTfJob[] = {{.path = "spec/tfReplicaSpecs{}/template",
                                 .counting = Counting::kTogether,
                                 .counts = "spec/tfReplicaSpecs{}",
                                 .count = "replicas"}};
constexpr PodSetRow kPyTorchJob[] = {{.path = "spec/pytorchReplicaSpecs{}/template",
                                      .counting = Counting::kTogether,
                                      .counts = "spec/pytorchReplicaSpecs{}",
                                      .count = "replicas"}};
constexpr PodSetRow kJaxJob[] = {{.path = "spec/jaxReplicaSpecs{}/template",
                                  .counting = Counting::kTogether,
                                  .counts = "spec/jaxReplicaSpecs{}",
                                  .count = "replicas"}};
constexpr PodSetRow kMpiJob[] = {{.path = "spec/mpiReplicaSpecs{}/template",
                                  .counting = Counting::kTogether,
                                  .counts = "spec/mpiReplicaSpecs{}",
                                  .count = "replicas"}};
// The number of nodes of a TrainJob overrides what its runtime says.
// https://www.kubeflow.org/docs/components/trainer/operator-guides/runtime/
constexpr PodSetRow kTrainingRuntime[] = {
    {.path = "spec/template/spec/replicatedJobs[]/template/spec/template",
     .counting = Counting::kElsewhere,
     .name = "spec/template/spec/replicatedJobs[]/name"}};

// What a TrainJob writes over the pods of its runtime. How many there are only both say together.
// https://www.kubeflow.org/docs/components/trainer/operator-guides/podtemplate-overrides/
constexpr PodSetRow kTrainJob[] = {{.path = "spec/podTemplateOverrides[]/spec",
                                    .form = Form::kPodSpec,
                                    .counting = Counting::kElsewhere}};

// https://kserve.github.io/website/docs/reference/crd-api
constexpr PodSetRow kLlmInferenceService[] = {
    {.path = "spec/template", .form = Form::kPodSpec, .counting = Counting::kElsewhere},
    {.path = "spec/worker", .form = Form::kPodSpec, .counting = Counting::kElsewhere},
    {.path = "spec/prefill/template", .form = Form::kPodSpec, .counting = Counting::kElsewhere},
    {.path = "spec/prefill/worker", .form = Form::kPodSpec, .counting = Counting::kElsewhere}};

constexpr PodSetRow kInferenceService[] = {
    {.path = "spec/predictor", .form = Form::kKserve, .counting = Counting::kElsewhere},
    {.path = "spec/predictor/workerSpec", .form = Form::kPodSpec, .counting = Counting::kElsewhere},
    {.path = "spec/transformer", .form = Form::kPodSpec, .counting = Counting::kElsewhere},
    {.path = "spec/explainer", .form = Form::kPodSpec, .counting = Counting::kElsewhere}};
// https://github.com/kubeai-project/kubeai/blob/main/docs/reference/kubernetes-api.md
constexpr PodSetRow kKubeAiModel[] = {
    {.path = "spec", .form = Form::kKubeAiModel, .counting = Counting::kElsewhere}};

// https://nightlies.apache.org/flink/flink-kubernetes-operator-docs-stable/docs/custom-resource/reference/
constexpr PodSetRow kFlinkDeployment[] = {
    {.path = "spec/podTemplate", .form = Form::kFlinkTemplate, .counting = Counting::kElsewhere},
    {.path = "spec/jobManager/podTemplate",
     .form = Form::kFlinkTemplate,
     .counting = Counting::kElsewhere},
    {.path = "spec/taskManager/podTemplate",
     .form = Form::kFlinkTemplate,
     .counting = Counting::kElsewhere}};

// https://volcano.sh/en/docs/vcjob/: the pods of all tasks are scheduled as one gang.
constexpr PodSetRow kVolcanoJob[] = {{.path = "spec/tasks[]/template",
                                      .counting = Counting::kTogether,
                                      .counts = "spec/tasks[]",
                                      .count = "replicas",
                                      .name = "spec/tasks[]/name"}};

// https://github.com/actions/actions-runner-controller: one pod for each runner.
constexpr PodSetRow kEphemeralRunnerSet[] = {{.path = "spec/ephemeralRunnerSpec"}};

// https://argo-workflows.readthedocs.io/en/latest/fields/
constexpr PodSetRow kWorkflow[] = {
    {.path = "spec/templates[]", .form = Form::kArgoTemplate, .name = "spec/templates[]/name"}};
constexpr PodSetRow kCronWorkflow[] = {{.path = "spec/workflowSpec/templates[]",
                                        .form = Form::kArgoTemplate,
                                        .name = "spec/workflowSpec/templates[]/name"}};

// https://cloud.google.com/kubernetes-engine/docs/reference/crds/computeclass
constexpr PodSetRow kComputeClass[] = {
    {.path = "spec/priorities[]", .form = Form::kTpuPriority, .counting = Counting::kElsewhere}};
// https://kueue.sigs.k8s.io/docs/concepts/resource_flavor/
constexpr PodSetRow kResourceFlavor[] = {
    {.path = "spec/nodeLabels", .form = Form::kNodeLabels, .counting = Counting::kElsewhere}};

constexpr bool kServesOthers = true;
constexpr bool kClusterScoped = true;

constexpr std::array kKinds = {
    Kind{"", "v1", "Pod", "pods", kPod},
    Kind{"batch", "v1", "Job", "jobs", kJob},
    Kind{"batch", "v1", "CronJob", "cronjobs", kCronJob},
    Kind{"apps", "v1", "Deployment", "deployments", kTemplate},
    Kind{"apps", "v1", "ReplicaSet", "replicasets", kTemplate},
    Kind{"apps", "v1", "StatefulSet", "statefulsets", kStatefulSet},
    Kind{"apps", "v1", "DaemonSet", "daemonsets", kDaemonSet},
    Kind{"", "v1", "ReplicationController", "replicationcontrollers", kTemplate},
    Kind{"", "v1", "PodTemplate", "podtemplates", kBareTemplate},
    Kind{"jobset.x-k8s.io", "v1alpha2 v1", "JobSet", "jobsets", kJobSet},
    Kind{"leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets", kLeaderWorkerSet},
    Kind{"ray.io", "v1 v1alpha1", "RayCluster", "rayclusters", kRayCluster},
    Kind{"ray.io", "v1 v1alpha1", "RayJob", "rayjobs", kRayJob},
    Kind{"ray.io", "v1 v1alpha1", "RayService", "rayservices", kRayService},
    Kind{"ray.io", "v1", "RayCronJob", "raycronjobs", kRayCronJob},
    Kind{"pathways-job.pathways.domain", "v1", "PathwaysJob", "pathwaysjobs", kPathwaysJob},
    Kind{"kubeflow.org", "v1", "TFJob", "tfjobs", kTfJob},
    Kind{"kubeflow.org", "v1", "PyTorchJob", "pytorchjobs", kPyTorchJob},
    Kind{"kubeflow.org", "v1", "JAXJob", "jaxjobs", kJaxJob},
    Kind{"kubeflow.org", "v2beta1 v1", "MPIJob", "mpijobs", kMpiJob},
    Kind{"trainer.kubeflow.org", "v1alpha1", "TrainJob", "trainjobs", kTrainJob, kServesOthers},
    Kind{"trainer.kubeflow.org", "v1alpha1", "TrainingRuntime", "trainingruntimes",
         kTrainingRuntime, kServesOthers},
    Kind{"trainer.kubeflow.org", "v1alpha1", "ClusterTrainingRuntime", "clustertrainingruntimes",
         kTrainingRuntime, kServesOthers, kClusterScoped},
    Kind{"serving.kserve.io", "v1alpha1 v1alpha2", "LLMInferenceService", "llminferenceservices",
         kLlmInferenceService},
    Kind{"serving.kserve.io", "v1beta1", "InferenceService", "inferenceservices",
         kInferenceService},
    Kind{"serving.knative.dev", "v1", "Service", "services", kTemplate},
    Kind{"kubeai.org", "v1", "Model", "models", kKubeAiModel, kServesOthers},
    Kind{"batch.volcano.sh", "v1alpha1", "Job", "jobs", kVolcanoJob},
    Kind{"actions.github.com", "v1alpha1", "AutoscalingRunnerSet", "autoscalingrunnersets",
         kTemplate},
    Kind{"actions.github.com", "v1alpha1", "EphemeralRunnerSet", "ephemeralrunnersets",
         kEphemeralRunnerSet},
    Kind{"flink.apache.org", "v1beta1", "FlinkDeployment", "flinkdeployments", kFlinkDeployment},
    Kind{"argoproj.io", "v1alpha1", "Rollout", "rollouts", kTemplate},
    Kind{"argoproj.io", "v1alpha1", "Workflow", "workflows", kWorkflow},
    Kind{"argoproj.io", "v1alpha1", "WorkflowTemplate", "workflowtemplates", kWorkflow},
    Kind{"argoproj.io", "v1alpha1", "ClusterWorkflowTemplate", "clusterworkflowtemplates",
         kWorkflow, !kServesOthers, kClusterScoped},
    Kind{"argoproj.io", "v1alpha1", "CronWorkflow", "cronworkflows", kCronWorkflow},
    Kind{"cloud.google.com", "v1", "ComputeClass", "computeclasses", kComputeClass, kServesOthers,
         kClusterScoped},
    Kind{"kueue.x-k8s.io", "v1beta1 v1beta2", "ResourceFlavor", "resourceflavors", kResourceFlavor,
         kServesOthers, kClusterScoped},
    Kind{"resource.k8s.io", "v1 v1beta1 v1beta2", "ResourceClaim", "resourceclaims", kClaim,
         kServesOthers},
    Kind{"resource.k8s.io", "v1 v1beta1 v1beta2", "ResourceClaimTemplate", "resourceclaimtemplates",
         kClaimTemplate, kServesOthers},
};

const Kind* FindIn(std::span<const Kind> kinds, std::string_view group, std::string_view name) {
  const auto row = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
    return kind.name == name && kind.group == group;
  });
  return row == kinds.end() ? nullptr : &*row;
}

// "spec/groups[]/template": no empty name, and a mark only at the end of one.
bool IsPath(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    std::string_view name = path.substr(0, slash);
    if (name.ends_with("[]") || name.ends_with("{}")) name.remove_suffix(2);
    if (name.empty() || name.find_first_of("[]{}") != name.npos) return false;
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
  return false;
}

std::size_t MarkCount(std::string_view path) {
  return std::size_t(
      std::count_if(path.begin(), path.end(), [](char c) { return c == '[' || c == '{'; }));
}

// "spec/groups[]/replicas" goes through the elements of "spec/groups[]".
std::string_view UpToLastMark(std::string_view path) {
  const std::size_t last = path.find_last_of("]}");
  return last == path.npos ? std::string_view() : path.substr(0, last + 1);
}

std::optional<Error> FaultOfPath(const std::string& title, const KindDefinition::PodSet& pods,
                                 const std::string& path) {
  if (!IsPath(path)) {
    return Error{"kind " + title + ": \"" + path + "\" is no path such as spec/groups[]/template"};
  }
  if (!pods.path.starts_with(UpToLastMark(path)) || MarkCount(path) > Binding::kMost) {
    return Error{"kind " + title + ": \"" + path + "\" goes through other lists than \"" +
                 pods.path + "\", or through more than three"};
  }
  return std::nullopt;
}

std::optional<Error> FaultOfCounts(const std::string& title, const KindDefinition::PodSet& pods) {
  if (pods.counting == Counting::kGroup) {
    return Error{"kind " + title + ": counting by groups is LeaderWorkerSet's own"};
  }
  const bool counted = pods.counting != Counting::kNone && pods.counting != Counting::kElsewhere;
  if (counted == !pods.count.empty()) return std::nullopt;
  return Error{"kind " + title + ": \"" + pods.path + "\" " +
               (counted ? "is counted, but its count has no name"
                        : "names a count, but does not say how to count")};
}

std::optional<Error> Fault(const KindDefinition& kind) {
  const std::string title = kind.group + "/" + kind.name;
  if (kind.name.empty() || kind.group.empty() || kind.resource.empty() || kind.versions.empty()) {
    return Error{"kind " + title + ": group, versions, kind and resource must be given"};
  }
  if (FindKind(kind.group, kind.name) != nullptr) {
    return Error{"kind " + title + " is built in; remove it here"};
  }
  if (kind.pod_sets.empty()) return Error{"kind " + title + " has no podSets"};
  for (const KindDefinition::PodSet& pods : kind.pod_sets) {
    for (const std::string* path : {&pods.path, &pods.counts, &pods.slices}) {
      if (path != &pods.path && path->empty()) continue;
      if (std::optional<Error> fault = FaultOfPath(title, pods, *path)) return fault;
    }
    if (std::optional<Error> fault = FaultOfCounts(title, pods)) return fault;
  }
  return std::nullopt;
}

}  // namespace

std::span<const Kind> Kinds() { return kKinds; }

const Kind* FindKind(std::string_view group, std::string_view name) {
  return FindIn(kKinds, group, name);
}

// The texts that the rows point into, beside the rows.
struct KindTable::Own {
  std::vector<KindDefinition> definitions;
  std::vector<std::vector<PodSetRow>> rows;
  std::vector<Kind> kinds;
};

Result<KindTable> KindTable::With(std::vector<KindDefinition> definitions) {
  auto own = std::make_shared<Own>();
  own->definitions = std::move(definitions);
  for (const KindDefinition& definition : own->definitions) {
    if (std::optional<Error> fault = Fault(definition)) return *std::move(fault);
    if (FindIn(own->kinds, definition.group, definition.name) != nullptr) {
      return Error{"kind " + definition.group + "/" + definition.name + " stands twice"};
    }
    std::vector<PodSetRow>& rows = own->rows.emplace_back();
    for (const KindDefinition::PodSet& pods : definition.pod_sets) {
      rows.push_back({.path = pods.path,
                      .counting = pods.counting,
                      .counts = pods.counts,
                      .count = pods.count,
                      .slices = pods.slices,
                      .on_each_node = definition.name == "DaemonSet",
                      .of_policy = true});
    }
    // A vector that moves keeps its elements where they are, so the span stays good.
    own->kinds.push_back(
        {definition.group, definition.versions, definition.name, definition.resource, rows});
  }
  KindTable table;
  table.own_ = std::move(own);
  return table;
}

const Kind* KindTable::Find(std::string_view group, std::string_view name) const {
  if (const Kind* kind = FindKind(group, name)) return kind;
  return FindIn(own(), group, name);
}

std::span<const Kind> KindTable::own() const {
  return own_ == nullptr ? std::span<const Kind>() : std::span<const Kind>(own_->kinds);
}

}  // namespace tpu_admission::workload
