// Every pod set of every kind, as the references of the APIs have them, written down a second time:
// where its pods stand, where its counts and its name are.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/case_name.h"
#include "unit/workload/reading.h"

namespace tpu_admission::workload::pod_sets_test {
namespace {

using nlohmann::json;

struct Known {
  std::string name;  // of the case
  std::string group;
  std::string kind;
  std::string pods;  // JSON pointer of what is read; elements are 0, members "Worker"
  Form form = Form::kPod;
  Counting counting = Counting::kNone;
  std::string count = {};   // pointer of the count
  std::string slices = {};  // pointer of the number of slices
  std::string title = {};   // pointer of the pod set's name
};

constexpr Counting kElsewhere = Counting::kElsewhere;
const std::string kJobs0 = "/spec/replicatedJobs/0";
const std::string kRuntime = "/spec/template/spec/replicatedJobs/0";

Known RayHead(const std::string& kind, const std::string& spec) {
  return {kind + "Head", "ray.io", kind, spec + "/headGroupSpec/template"};
}
Known RayWorker(const std::string& kind, const std::string& spec) {
  const std::string worker = spec + "/workerGroupSpecs/0";
  return {kind + "Worker",
          "ray.io",
          kind,
          worker + "/template",
          Form::kPod,
          Counting::kPerSlice,
          worker + "/numOfHosts",
          worker + "/replicas",
          worker + "/groupName"};
}
Known Kubeflow(const std::string& kind, const std::string& specs) {
  const std::string worker = "/spec/" + specs + "/Worker";
  return {kind,
          "kubeflow.org",
          kind,
          worker + "/template",
          Form::kPod,
          Counting::kTogether,
          worker + "/replicas"};
}
Known Runtime(const std::string& kind) {
  return {kind,
          "trainer.kubeflow.org",
          kind,
          kRuntime + "/template/spec/template",
          Form::kPod,
          kElsewhere,
          "",
          "",
          kRuntime + "/name"};
}
Known Argo(const std::string& kind, const std::string& spec) {
  return {kind,
          "argoproj.io",
          kind,
          spec + "/templates/0",
          Form::kArgoTemplate,
          Counting::kNone,
          "",
          "",
          spec + "/templates/0/name"};
}
Known Llm(const std::string& name, const std::string& pods) {
  return {"Llm" + name, "serving.kserve.io", "LLMInferenceService",
          pods,         Form::kPodSpec,      kElsewhere};
}
Known Inference(const std::string& name, const std::string& pods, Form form) {
  return {"Inference" + name, "serving.kserve.io", "InferenceService", pods, form, kElsewhere};
}
Known Flink(const std::string& name, const std::string& pods) {
  return {"Flink" + name, "flink.apache.org",   "FlinkDeployment",
          pods,           Form::kFlinkTemplate, kElsewhere};
}
Known Leader(const std::string& name, const std::string& pods) {
  return {name,
          "leaderworkerset.x-k8s.io",
          "LeaderWorkerSet",
          pods,
          Form::kPod,
          Counting::kGroup,
          "/spec/leaderWorkerTemplate/size",
          "/spec/replicas"};
}

const Known kKnown[] = {
    {"Pod", "", "Pod", ""},
    {"Job", "batch", "Job", "/spec/template", Form::kPod, Counting::kJob, "/spec/parallelism"},
    {"CronJob", "batch", "CronJob", "/spec/jobTemplate/spec/template", Form::kPod, Counting::kJob,
     "/spec/jobTemplate/spec/parallelism"},
    {"Deployment", "apps", "Deployment", "/spec/template"},
    {"ReplicaSet", "apps", "ReplicaSet", "/spec/template"},
    {"DaemonSet", "apps", "DaemonSet", "/spec/template"},
    {"ReplicationController", "", "ReplicationController", "/spec/template"},
    {"StatefulSet", "apps", "StatefulSet", "/spec/template", Form::kPod, Counting::kReplicas,
     "/spec/replicas"},
    {"PodTemplate", "", "PodTemplate", "/template", Form::kPod, kElsewhere},
    {"JobSet", "jobset.x-k8s.io", "JobSet", kJobs0 + "/template/spec/template", Form::kPod,
     Counting::kJob, kJobs0 + "/template/spec/parallelism", kJobs0 + "/replicas", kJobs0 + "/name"},
    Leader("LwsLeader", "/spec/leaderWorkerTemplate/leaderTemplate"),
    Leader("LwsWorker", "/spec/leaderWorkerTemplate/workerTemplate"),
    RayHead("RayCluster", "/spec"),
    RayWorker("RayCluster", "/spec"),
    RayHead("RayJob", "/spec/rayClusterSpec"),
    RayWorker("RayJob", "/spec/rayClusterSpec"),
    {"RayJobSubmitter", "ray.io", "RayJob", "/spec/submitterPodTemplate"},
    RayHead("RayService", "/spec/rayClusterConfig"),
    RayWorker("RayService", "/spec/rayClusterConfig"),
    {"PathwaysWorker", "pathways-job.pathways.domain", "PathwaysJob", "/spec/workers/0",
     Form::kPathwaysWorker, kElsewhere},
    {"PathwaysController", "pathways-job.pathways.domain", "PathwaysJob",
     "/spec/controller/template"},
    Kubeflow("TFJob", "tfReplicaSpecs"),
    Kubeflow("PyTorchJob", "pytorchReplicaSpecs"),
    Kubeflow("JAXJob", "jaxReplicaSpecs"),
    Kubeflow("MPIJob", "mpiReplicaSpecs"),
    {"TrainJob", "trainer.kubeflow.org", "TrainJob", "/spec/podTemplateOverrides/0/spec",
     Form::kPodSpec, kElsewhere},
    Runtime("TrainingRuntime"),
    Runtime("ClusterTrainingRuntime"),
    Llm("Template", "/spec/template"),
    Llm("Worker", "/spec/worker"),
    Llm("PrefillTemplate", "/spec/prefill/template"),
    Llm("PrefillWorker", "/spec/prefill/worker"),
    Argo("Workflow", "/spec"),
    Argo("WorkflowTemplate", "/spec"),
    Argo("ClusterWorkflowTemplate", "/spec"),
    Argo("CronWorkflow", "/spec/workflowSpec"),
    RayHead("RayCronJob", "/spec/jobTemplate/rayClusterSpec"),
    RayWorker("RayCronJob", "/spec/jobTemplate/rayClusterSpec"),
    {"RayCronJobSubmitter", "ray.io", "RayCronJob", "/spec/jobTemplate/submitterPodTemplate"},
    Inference("Predictor", "/spec/predictor", Form::kKserve),
    Inference("Worker", "/spec/predictor/workerSpec", Form::kPodSpec),
    Inference("Transformer", "/spec/transformer", Form::kPodSpec),
    Inference("Explainer", "/spec/explainer", Form::kPodSpec),
    {"KnativeService", "serving.knative.dev", "Service", "/spec/template"},
    {"KubeAiModel", "kubeai.org", "Model", "/spec", Form::kKubeAiModel, kElsewhere},
    {"VolcanoJob", "batch.volcano.sh", "Job", "/spec/tasks/0/template", Form::kPod,
     Counting::kTogether, "/spec/tasks/0/replicas", "", "/spec/tasks/0/name"},
    {"AutoscalingRunnerSet", "actions.github.com", "AutoscalingRunnerSet", "/spec/template"},
    {"EphemeralRunnerSet", "actions.github.com", "EphemeralRunnerSet", "/spec/ephemeralRunnerSpec"},
    Flink("Common", "/spec/podTemplate"),
    Flink("JobManager", "/spec/jobManager/podTemplate"),
    Flink("TaskManager", "/spec/taskManager/podTemplate"),
    {"Rollout", "argoproj.io", "Rollout", "/spec/template"},
    {"ComputeClass", "cloud.google.com", "ComputeClass", "/spec/priorities/0", Form::kTpuPriority,
     kElsewhere},
    {"ResourceFlavor", "kueue.x-k8s.io", "ResourceFlavor", "/spec/nodeLabels", Form::kNodeLabels,
     kElsewhere},
    {"ResourceClaim", "resource.k8s.io", "ResourceClaim", "/spec", Form::kDeviceClaim, kElsewhere},
    {"ResourceClaimTemplate", "resource.k8s.io", "ResourceClaimTemplate", "/spec/spec",
     Form::kDeviceClaim, kElsewhere},
};

// The least that makes what stands at a pod set's path one of TPUs.
json Content(Form form) {
  switch (form) {
    case Form::kPod:
    case Form::kFlinkTemplate:
      return {{"metadata", {{"name", "p"}}}, {"spec", PodSpecOf()}};
    case Form::kPodSpec:
      return PodSpecOf();
    case Form::kKserve:
      return {{"model", PodSpecOf()["containers"][0]}};
    case Form::kKubeAiModel:
      return {{"resourceProfile", "google-tpu-v5e-2x2:4"}};
    case Form::kArgoTemplate:
      return {{"container", PodSpecOf()["containers"][0]}};
    case Form::kNodeLabels:
      return {{"cloud.google.com/gke-tpu-accelerator", "tpu-v6e-slice"}};
    case Form::kTpuPriority:
      return {{"tpu", {{"type", "tpu-v6e-slice"}, {"topology", "4x4"}, {"count", 4}}}};
    case Form::kPathwaysWorker:
      return {{"type", "ct6e-standard-4t"}, {"topology", "4x4"}};
    case Form::kDeviceClaim:
      return {
          {"devices",
           {{"requests", json::array({{{"name", "tpu"},
                                       {"exactly", {{"deviceClassName", "tpu.google.com"}}}}})}}}};
  }
  return {};
}

// Lists where the pointer has a 0, or JSON pointers would make maps of them.
json Lists(json object, const std::string& pointer) {
  for (std::size_t at = pointer.find("/0"); at != pointer.npos; at = pointer.find("/0", at + 1)) {
    json& list = object[json::json_pointer(pointer.substr(0, at))];
    if (list.is_null()) list = json::array({json::object()});
  }
  return object;
}

class PodSets : public testing::TestWithParam<Known> {
 protected:
  json Object() const {
    const Known& known = GetParam();
    json object = Lists({{"metadata", {{"name", "o"}}}}, known.pods);
    object[json::json_pointer(known.pods)].update(Content(known.form));
    if (!known.count.empty()) object = Put(object, known.count, 7);
    if (!known.slices.empty()) object = Put(object, known.slices, 3);
    if (!known.title.empty()) object = Put(object, known.title, "title");
    return object;
  }
  Reading reading_;
};

TEST_P(PodSets, AreFoundWhereTheApiHasThem) {
  const Known& known = GetParam();
  for (const std::string_view version : {"v1", "v1alpha1", "v1beta1", "v99"}) {
    const Result<Workload> workload = reading_.Try(known.group, known.kind, Object(), version);
    ASSERT_TRUE(workload.ok()) << workload.error().message;
    ASSERT_EQ(workload->pod_sets.size(), 1U) << version;
    const PodSet& set = workload->pod_sets[0];
    EXPECT_EQ(set.pointer, known.pods);
    EXPECT_EQ(set.row->form, known.form);
    EXPECT_EQ(set.row->counting, known.counting);
    EXPECT_EQ(set.name, known.title.empty() ? "" : "title");
  }
}

TEST_P(PodSets, HaveTheirCountsWhereTheApiHasThem) {
  const Known& known = GetParam();
  const Workload workload = reading_.Of(known.group, known.kind, Object());
  const Scale& scale = workload.pod_sets[0].scale;
  if (!known.count.empty()) {
    EXPECT_EQ(scale.pods.pointer(), known.count);
    EXPECT_EQ(scale.pods.value, 7);
  } else {
    EXPECT_EQ(scale.pods.value, std::nullopt);
  }
  if (!known.slices.empty()) {
    EXPECT_EQ(scale.slices.pointer(), known.slices);
    EXPECT_EQ(scale.slices.value, 3);
  }
}

TEST_P(PodSets, OfOtherGroupsAreNone) {
  EXPECT_EQ(reading_.Of("example.com", GetParam().kind, Object()).kind, nullptr);
}

// Whatever stands in the place of a map or a list: an error or nothing, never a crash.
TEST_P(PodSets, OfWrongTypesAreAnErrorOrNothing) {
  const json sound = Object().flatten();
  for (const auto& [pointer, value] : sound.items()) {
    for (const json& wrong : {json("x"), json(-1), json(1.5), json(true), json(nullptr),
                              json::array(), json::array({nullptr}), json::array({"x"}),
                              json::object(), json::object({{"", nullptr}})}) {
      for (json::json_pointer at(pointer); !at.empty(); at = at.parent_pointer()) {
        json object = Object();
        object[at] = wrong;
        const Result<Workload> read = reading_.Try(GetParam().group, GetParam().kind, object);
        if (!read) {
          EXPECT_FALSE(read.error().message.empty());
        } else {
          EXPECT_LE(read->pod_sets.size(), 1U);
        }
      }
    }
  }
}

TEST_P(PodSets, WithoutTpusAreNone) {
  json object = Object();
  const Form form = GetParam().form;
  if (form == Form::kTpuPriority || form == Form::kPathwaysWorker || form == Form::kKubeAiModel) {
    GTEST_SKIP() << "always chooses TPUs";
  }
  json& content = object[json::json_pointer(GetParam().pods)];
  std::string text = content.dump();
  for (const std::string name : {"google.com/tpu", "tpu.google.com", "google.com/gke-tpu"}) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name)) {
      text.replace(at, name.size(), "example.com/x");
    }
  }
  content = json::parse(text);
  const Result<Workload> read = reading_.Try(GetParam().group, GetParam().kind, object);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->pod_sets.empty());
}

INSTANTIATE_TEST_SUITE_P(Rows, PodSets, testing::ValuesIn(kKnown), CaseName());

TEST(PodSetTable, EveryRowIsInThisTest) {
  std::map<std::string, std::size_t> here;
  for (const Known& known : kKnown) ++here[known.group + "/" + known.kind];
  for (const Kind& kind : Kinds()) {
    const std::string title = std::string(kind.group) + "/" + std::string(kind.name);
    EXPECT_EQ(here[title], kind.pod_sets.size()) << title;
  }
}

TEST(PodSetTable, SomeKindsOnlyServeOthers) {
  std::set<std::string_view> serving;
  for (const Kind& kind : Kinds()) {
    if (kind.serves_others) serving.insert(kind.name);
  }
  EXPECT_EQ(serving, (std::set<std::string_view>{"ClusterTrainingRuntime", "ComputeClass", "Model",
                                                 "ResourceClaim", "ResourceClaimTemplate",
                                                 "ResourceFlavor", "TrainJob", "TrainingRuntime"}));
}

TEST(PodSetTable, OfATrainJobOnlyTheOverridesAreReadBecauseItsPodsStandInARuntime) {
  Reading reading;
  json job = {{"metadata", {{"name", "t"}}},
              {"spec",
               {{"trainer", {{"numNodes", 3}, {"resourcesPerNode", PodSpecOf()}}},
                {"podTemplateOverrides", json::array({{{"spec", PodSpecOf()}}})},
                {"template", {{"spec", PodSpecOf()}}}}}};
  const Workload workload = reading.Of("trainer.kubeflow.org", "TrainJob", job);
  ASSERT_EQ(workload.pod_sets.size(), 1U);
  EXPECT_EQ(workload.pod_sets[0].pointer, "/spec/podTemplateOverrides/0/spec");
}

}  // namespace
}  // namespace tpu_admission::workload::pod_sets_test
