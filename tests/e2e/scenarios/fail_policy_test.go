package scenarios

import (
	"fmt"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// With failurePolicy Fail and every process of ours dead, TPU workloads are refused and nothing else
// is: other pods go in, our own come back, and what is still dead can be uninstalled.
func TestFailurePolicyFail(t *testing.T) {
	// Our own pods tolerate TPU nodes: but for their namespace the webhooks would be asked about them.
	i := prepare(t, append(controllerEnv("POLL_INTERVAL=1s"), "--set", "webhooks.failurePolicy=Fail",
		"--set", "tolerations[0].key=google.com/tpu,tolerations[0].operator=Exists")...)
	before := everythingThere(i)
	i.install()

	i.crash()
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
