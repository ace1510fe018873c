package scenarios

import (
	"errors"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// An object that was faulty before we came can still be labelled, finalized, suspended and deleted.
func TestOldFaultsBlockNoUpdate(t *testing.T) {
	n := plain.namespace(t, "old-faults")
	n.Succeed(t, "apply", "-f", "examples/wrong-job.yaml")
	n.Succeed(t, "apply", "-f", "examples/wrong-pod.yaml")
	install(t, n)
	for _, object := range []string{"job/train", "pod/notebook"} {
		n.Succeed(t, "label", object, "team=research")
		n.Succeed(t, "patch", object, "-p", `{"metadata":{"finalizers":["example.com/keep"]}}`)
		n.Succeed(t, "delete", object, "--wait=false")
		n.Succeed(t, "patch", object, "-p", `{"metadata":{"finalizers":null}}`)
	}
	harness.Eventually(t, 20*time.Second, "everything to be deleted", func() error {
		return anyLeft(n.Kubectl(t, "get", "jobs,pods", "-o", "name"))
	})
}

// A Deployment that was faulty before we came can still be scaled and rolled out, with a warning.
func TestOldFaultsBlockNoRollout(t *testing.T) {
	n := plain.namespace(t, "old-deployment")
	if out := n.Apply(t, misspelt(t, testdata+"/kinds/deployment.yaml")); out.Code != 0 {
		t.Fatal(out)
	}
	install(t, n)
	n.Succeed(t, "scale", "deployment/twice", "--replicas=2")
	out := n.Succeed(t, "set", "image", "deployment/twice", "jax=python:3.13-slim")
	says(t, out, "Warning: TPU101", "deployment.apps/twice image updated")
	harness.Eventually(t, 20*time.Second, "a pod of the new image", func() error {
		return contains(n.Succeed(t, "get", "pods", "-o", "yaml"), "image: python:3.13-slim")
	})
}

// A Job that was admitted before we came gets its pods, whatever we think of them: to deny them
// would make a running workload fail without a word to its user.
func TestPodsOfAnAdmittedJobAreNeverDenied(t *testing.T) {
	n := plain.namespace(t, "children")
	n.Succeed(t, "apply", "-f", "examples/wrong-job.yaml")
	n.Succeed(t, "patch", "job", "train", "-p", `{"spec":{"suspend":true}}`)
	podsOf(t, n, 0)
	install(t, n)
	n.Succeed(t, "patch", "job", "train", "-p", `{"spec":{"suspend":false}}`)
	podsOf(t, n, 2)
}

func anyLeft(listed harness.Output) error {
	if listed.Stdout == "" {
		return nil
	}
	return errors.New(listed.Stdout)
}
