package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"tpu-admission.io/e2e/harness"
)

type object = harness.Object

// Where each custom kind keeps what makes it ours. The definitions here allow everything: what the
// real ones would refuse must not harm us either.
var customKinds = map[harness.CustomKind]object{
	{Group: "jobset.x-k8s.io", Version: "v1alpha2", Kind: "JobSet", Plural: "jobsets"}: {
		"replicatedJobs": []any{object{"name": "w", "template": object{"spec": object{"template": template}}}}},
	{Group: "leaderworkerset.x-k8s.io", Version: "v1", Kind: "LeaderWorkerSet", Plural: "leaderworkersets"}: {
		"leaderWorkerTemplate": object{"size": 2, "workerTemplate": template}},
	{Group: "ray.io", Version: "v1", Kind: "RayCluster", Plural: "rayclusters"}: rayCluster,
	{Group: "ray.io", Version: "v1", Kind: "RayJob", Plural: "rayjobs"}:         {"rayClusterSpec": rayCluster},
	{Group: "ray.io", Version: "v1", Kind: "RayService", Plural: "rayservices"}: {"rayClusterConfig": rayCluster},
	{Group: "kubeflow.org", Version: "v1", Kind: "TFJob", Plural: "tfjobs"}: {
		"tfReplicaSpecs": object{"Worker": object{"template": template}}},
	{Group: "kubeflow.org", Version: "v1", Kind: "PyTorchJob", Plural: "pytorchjobs"}: {
		"pytorchReplicaSpecs": object{"Worker": object{"template": template}}},
	{Group: "kubeflow.org", Version: "v1", Kind: "JAXJob", Plural: "jaxjobs"}: {
		"jaxReplicaSpecs": object{"Worker": object{"template": template}}},
	{Group: "kubeflow.org", Version: "v2beta1", Kind: "MPIJob", Plural: "mpijobs"}: {
		"mpiReplicaSpecs": object{"Worker": object{"template": template}}},
	{Group: "trainer.kubeflow.org", Version: "v1alpha1", Kind: "TrainJob", Plural: "trainjobs"}: {
		"podTemplateOverrides": []any{object{"spec": object{"nodeSelector": selector}}}},
	{Group: "trainer.kubeflow.org", Version: "v1alpha1", Kind: "TrainingRuntime", Plural: "trainingruntimes"}: runtime,
	{Group: "trainer.kubeflow.org", Version: "v1alpha1", Kind: "ClusterTrainingRuntime",
		Plural: "clustertrainingruntimes", ClusterScoped: true}: runtime,
	{Group: "pathways-job.pathways.domain", Version: "v1", Kind: "PathwaysJob", Plural: "pathwaysjobs"}: {
		"workers": []any{object{"type": "ct6e-standard-4t", "topology": "4x4"}}},
	{Group: "serving.kserve.io", Version: "v1alpha1", Kind: "LLMInferenceService", Plural: "llminferenceservices"}: {
		"template": podSpec},
	{Group: "ray.io", Version: "v1", Kind: "RayCronJob", Plural: "raycronjobs"}: {
		"jobTemplate": object{"rayClusterSpec": rayCluster}},
	{Group: "serving.kserve.io", Version: "v1beta1", Kind: "InferenceService", Plural: "inferenceservices"}: {
		"predictor": object{"model": tpuContainer, "workerSpec": podSpec}},
	{Group: "serving.knative.dev", Version: "v1", Kind: "Service", Plural: "services"}: {"template": template},
	{Group: "kubeai.org", Version: "v1", Kind: "Model", Plural: "models"}:              {"resourceProfile": "google-tpu-v5e-2x2:4"},
	{Group: "batch.volcano.sh", Version: "v1alpha1", Kind: "Job", Plural: "jobs"}: {
		"tasks": []any{object{"replicas": 1, "template": template}}},
	{Group: "actions.github.com", Version: "v1alpha1", Kind: "AutoscalingRunnerSet", Plural: "autoscalingrunnersets"}: {
		"template": template},
	{Group: "actions.github.com", Version: "v1alpha1", Kind: "EphemeralRunnerSet", Plural: "ephemeralrunnersets"}: {
		"ephemeralRunnerSpec": template},
	{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment", Plural: "flinkdeployments"}: {
		"podTemplate": object{"spec": object{"nodeSelector": selector}}, "taskManager": object{"podTemplate": template}},
	{Group: "argoproj.io", Version: "v1alpha1", Kind: "Rollout", Plural: "rollouts"}: {"template": template},
	{Group: "argoproj.io", Version: "v1alpha1", Kind: "Workflow", Plural: "workflows"}: {
		"templates": []any{object{"name": "train", "container": tpuContainer}}},
	{Group: "argoproj.io", Version: "v1alpha1", Kind: "CronWorkflow", Plural: "cronworkflows"}: {
		"workflowSpec": object{"templates": []any{object{"nodeSelector": selector}}}},
	{Group: "cloud.google.com", Version: "v1", Kind: "ComputeClass", Plural: "computeclasses", ClusterScoped: true}: {
		"priorities": []any{object{"tpu": object{"type": "tpu-v6e-slice", "count": 4}}}},
	{Group: "kueue.x-k8s.io", Version: "v1beta1", Kind: "ResourceFlavor", Plural: "resourceflavors", ClusterScoped: true}: {
		"nodeLabels": selector},
}

var (
	selector     = object{"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice"}
	tpuContainer = object{"name": "c", "image": "i", "resources": object{"limits": object{"google.com/tpu": 4}}}
	podSpec      = object{"containers": []any{tpuContainer}}
	template     = object{"metadata": object{"labels": object{"a": "b"}}, "spec": podSpec}
	rayCluster   = object{
		"headGroupSpec":    object{"template": object{"spec": object{"containers": []any{object{"name": "head"}}}}},
		"workerGroupSpecs": []any{object{"numOfHosts": 1, "template": template}},
	}
	runtime = object{"template": object{"spec": object{
		"replicatedJobs": []any{object{"template": object{"spec": object{"template": template}}}}}}}
)

// Kinds of the API server's own beside those in testdata/kinds.
var ownKinds = map[harness.CustomKind]object{
	{Group: "resource.k8s.io", Version: "v1", Kind: "ResourceClaim", Plural: "resourceclaims"}:                 claim,
	{Group: "resource.k8s.io", Version: "v1", Kind: "ResourceClaimTemplate", Plural: "resourceclaimtemplates"}: {"spec": claim},
}

var claim = object{"devices": object{"requests": []any{
	object{"name": "tpus", "exactly": object{"deviceClassName": "tpu.google.com"}}}}}

// Every kind reaches us, and a condition that cannot be evaluated would let an object pass us by
// unseen: none may, whatever field is missing, null or empty. (One of another type can: docs/install.md says what
// failurePolicy makes of it.)
func TestConditionsOfEveryCustomKind(t *testing.T) {
	n := plain.namespace(t, "custom-kinds")
	for kind := range customKinds {
		plain.plane.Define(t, kind)
	}
	w := install(t, n)
	w.MayFail() // null in the place of a container is answered 400
	for kind, spec := range ownKinds {
		before := w.Requests(t)
		dryRun(t, n, kind, "sound", spec)
		if w.Requests(t) == before {
			t.Errorf("the %s did not reach the webhook", kind.Kind)
		}
	}
	for kind, spec := range customKinds {
		before := w.Requests(t)
		dryRun(t, n, kind, "sound", spec)
		if w.Requests(t) == before {
			t.Errorf("the %s did not reach the webhook", kind.Kind)
		}
		errors := conditionErrors(t)
		for _, odd := range damaged(spec) {
			dryRun(t, n, kind, "odd", odd)
		}
		if got := conditionErrors(t) - errors; got != 0 {
			t.Errorf("%s: %v conditions could not be evaluated", kind.Kind, got)
		}
	}
}

func dryRun(t *testing.T, n *harness.Namespace, kind harness.CustomKind, name string, spec any) {
	t.Helper()
	err := plain.plane.Create(kind.Collection(n.Name)+"?dryRun=All", object{
		"apiVersion": kind.Group + "/" + kind.Version, "kind": kind.Kind,
		"metadata": object{"name": name}, "spec": spec})
	if status, ok := err.(*harness.StatusError); err != nil && !(ok && status.Code == 403) {
		t.Errorf("%s %v: %v", kind.Kind, spec, err)
	}
}

func conditionErrors(t *testing.T) float64 {
	t.Helper()
	metrics, err := plain.plane.Text("/metrics")
	if err != nil {
		t.Fatal(err)
	}
	return harness.SumMetric(metrics, "apiserver_admission_match_condition_evaluation_errors_total")
}

// damaged returns copies of the value, each with one part of it, at any depth, taken out or replaced
// by null, or by an empty list or object of its own type.
func damaged(value any) map[string]any {
	copies := map[string]any{"null": nil}
	switch v := value.(type) {
	case object:
		copies["empty"] = object{}
		for key, part := range v {
			copies["without "+key] = with(v, key, nil, true)
			for name, odd := range damaged(part) {
				copies[key+"."+name] = with(v, key, odd, false)
			}
		}
	case []any:
		copies["empty"] = []any{}
		for i, part := range v {
			for name, odd := range damaged(part) {
				list := append([]any{}, v...)
				list[i] = odd
				copies[fmt.Sprintf("[%d]%s", i, strings.TrimPrefix(name, "."))] = list
			}
		}
	}
	return copies
}

func with(original object, key string, value any, without bool) object {
	changed := object{}
	for k, v := range original {
		changed[k] = v
	}
	changed[key] = value
	if without {
		delete(changed, key)
	}
	return changed
}
