package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// With failurePolicy Fail and every process of ours dead, TPU workloads are refused and nothing else
// is: what runs can end, other pods go in, our own come back, and what is still dead can be uninstalled.
func TestFailurePolicyFail(t *testing.T) {
	// Our own pods tolerate TPU nodes: but for their namespace the webhooks would be asked about them.
	i := prepare(t, append(controllerEnv("POLL_INTERVAL=1s"), "--set", "webhooks.failurePolicy=Fail",
		"--set", "tolerations[0].key=google.com/tpu,tolerations[0].operator=Exists")...)
	before := everythingThere(i)
	i.install()
	begin(i)

	i.crash()
	canEndWithoutUs(i)
	refusedForWantOfUs(t, i.team.Kubectl(t, "apply", "-f", "examples/sound-pod.yaml"))
	refusedForWantOfUs(t, i.team.Kubectl(t, "apply", "-f", "examples/corrected-job.yaml"))
	says(t, i.team.Succeed(t, "apply", "-f", "examples/not-ours.yaml"), "deployment.apps/website created")
	podsOf(t, i.team, 1)

	i.system.Succeed(t, "delete", "pods", "--all", "--force", "--grace-period=0")
	harness.Eventually(t, 30*time.Second, "our own pods to be made again", func() error {
		if pods := i.system.Pods(t); len(pods) != 3 {
			return fmt.Errorf("%d pods, not 2 servers and a controller", len(pods))
		}
		return nil
	})
	refusedForWantOfUs(t, i.team.Kubectl(t, "apply", "-f", "examples/sound-pod.yaml"))
	i.recover()
	i.awaitDenial()
	says(t, i.team.Succeed(t, "apply", "-f", "examples/sound-pod.yaml"), "pod/serve created")

	i.crash()
	i.uninstall(30*time.Second, before)
}

// What runs when all of us die: a Job, a Deployment, and a Pod that somebody holds by a finalizer.
const running = `
apiVersion: v1
kind: Pod
metadata: {name: held, finalizers: [example.com/hold]}
spec:
  restartPolicy: Never
  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
  tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]
  containers:
    - {name: jax, image: python, resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
      containers:
        - {name: jax, image: python, resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}}
`

const deployed = testdata + "/kinds/deployment.yaml"

func begin(i *installation) {
	i.Helper()
	if out := i.team.Apply(i.T, running); out.Code != 0 {
		i.Fatal(out)
	}
	i.team.Succeed(i.T, "apply", "-f", deployed)
	podsOf(i.T, i.team, 3)
}

// The API server does not ask us about an update that leaves the spec as it was, nor about what is being
// deleted: so finalizers go, and what runs ends. One that changes the spec waits for us.
func canEndWithoutUs(i *installation) {
	i.Helper()
	says(i.T, i.team.Succeed(i.T, "label", "pod", "held", "a=b"), "pod/held labeled")
	says(i.T, i.team.Succeed(i.T, "annotate", "deployment", "twice", "a=b"), "deployment.apps/twice annotated")
	refusedForWantOfUs(i.T, i.team.Kubectl(i.T, "patch", "deployment", "twice", "--type=json",
		`--patch=[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "python:3.13"}]`))

	name := strings.TrimSpace(i.team.Succeed(i.T, "get", "pods", "--selector=job-name=train", "--output=name").Stdout)
	i.team.Succeed(i.T, "patch", name, "--subresource=status", "--type=merge", "--patch", `{"status": {"phase": "Succeeded"}}`)
	i.team.Succeed(i.T, "wait", "job/train", "--for=condition=Complete", "--timeout=30s")

	i.team.Succeed(i.T, "delete", "pod", "held", "--wait=false")
	i.team.Succeed(i.T, "patch", "pod", "held", "--type=merge", "--patch", `{"metadata": {"finalizers": null}}`)
	i.team.Succeed(i.T, "delete", "job/train", "deployment/twice", "--cascade=foreground", "--timeout=30s")
	podsOf(i.T, i.team, 0)
}

// refusedForWantOfUs: the user reads whose webhook it is, in the API server's own words.
func refusedForWantOfUs(t *testing.T, out harness.Output) {
	t.Helper()
	if out.Code == 0 {
		t.Errorf("it went in:\n%s", out)
	}
	says(t, out, "Error from server (InternalError)", "Internal error occurred: failed calling webhook", ".tpu-admission.io")
}

func (i *installation) crash() {
	i.kubelet.Crash("server")
	i.kubelet.Crash("controller")
}

func (i *installation) recover() {
	i.kubelet.Recover("server")
	i.kubelet.Recover("controller")
}
