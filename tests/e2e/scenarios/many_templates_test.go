package scenarios

import (
	"testing"

	"tpu-admission.io/e2e/harness"
)

var (
	amounts      = object{"cpu": "1", "memory": "1Gi"}
	resources    = object{"requests": amounts, "limits": amounts}
	cpuContainer = object{"name": "c", "image": "i", "resources": resources}
	bareTemplate = object{"name": "t", "container": object{"image": "i"}}
	fullTemplate = object{"name": "t", "container": object{"image": "i", "resources": object{
		"requests": object{"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi", "nvidia.com/gpu": "1"},
		"limits":   object{"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi", "nvidia.com/gpu": "1"}}},
		"sidecars": []any{cpuContainer}, "initContainers": []any{cpuContainer},
		"tolerations": []any{object{"key": "nvidia.com/gpu", "operator": "Exists"}, object{"key": "spot", "operator": "Exists"}},
		"affinity": object{"nodeAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": object{
			"nodeSelectorTerms": []any{object{"matchExpressions": []any{
				object{"key": "cloud.google.com/gke-nodepool", "operator": "In", "values": []any{"a"}},
				object{"key": "cloud.google.com/gke-spot", "operator": "In", "values": []any{"true"}}}}}}}}}
	bareJob = object{"name": "j", "template": object{"spec": object{"template": object{"spec": object{
		"restartPolicy": "Never", "containers": []any{object{"name": "c", "image": "i"}}}}}}}
)

// What a condition may cost, the API server says, and it counts each pod template. docs/install.md tells how many
// are free of harm: of these numbers, with no TPUs anywhere, no condition fails.
func TestConditionsOfManyTemplates(t *testing.T) {
	n := plain.namespace(t, "many-templates")
	workflow := harness.CustomKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Workflow", Plural: "workflows"}
	jobSet := harness.CustomKind{Group: "jobset.x-k8s.io", Version: "v1alpha2", Kind: "JobSet", Plural: "jobsets"}
	plain.plane.Define(t, workflow)
	plain.plane.Define(t, jobSet)
	install(t, n)
	for _, test := range []struct {
		kind  harness.CustomKind
		list  string
		of    object
		count int
	}{
		{workflow, "templates", bareTemplate, 4000},
		{workflow, "templates", fullTemplate, 2000},
		{jobSet, "replicatedJobs", bareJob, 4000},
	} {
		many := make([]any, test.count)
		for j := range many {
			many[j] = test.of
		}
		before := conditionErrors(t)
		dryRun(t, n, test.kind, "many", object{test.list: many})
		if got := conditionErrors(t) - before; got != 0 {
			t.Errorf("%d %s of a %s: %v conditions could not be evaluated", test.count, test.list, test.kind.Kind, got)
		}
	}
	// An UPDATE of another spec has conditions of its own besides.
	many := make([]any, 4000)
	for i := range many {
		many[i] = bareJob
	}
	if err := plain.plane.Create(jobSet.Collection(n.Name), object{
		"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": object{"name": "many"},
		"spec": object{"replicatedJobs": many}}); err != nil {
		t.Fatal(err)
	}
	before := conditionErrors(t)
	if err := plain.plane.Patch(jobSet.Collection(n.Name)+"/many?dryRun=All", object{"spec": object{"suspend": true}}); err != nil {
		t.Error(err)
	}
	if got := conditionErrors(t) - before; got != 0 {
		t.Errorf("an update of 4000 replicated jobs: %v conditions could not be evaluated", got)
	}
}
