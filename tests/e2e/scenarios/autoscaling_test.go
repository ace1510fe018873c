package scenarios

import (
	"testing"

	"tpu-admission.io/e2e/harness"
)

// Helm takes away what a new manifest no longer says, and the API server makes that one replica: the servers stay
// as many as they are when autoscaling is turned on, and when an upgrade comes later.
func TestAutoscalingKeepsTheServers(t *testing.T) {
	n := plain.namespace(t, "autoscaled")
	helm := func(command string, values ...string) {
		t.Helper()
		arguments := append([]string{command, "tpu-admission", chart, "--set", "webhooks.validating.enabled=false",
			"--set", "webhooks.mutating.enabled=false"}, values...)
		if out := n.Helm(t, tools, arguments...); out.Code != 0 {
			t.Fatal(out)
		}
	}
	are := func(want float64, when string) {
		t.Helper()
		if got := harness.Dig(n.Object(t, "deployment", "tpu-admission"), "spec", "replicas"); got != want {
			t.Errorf("%s: %v servers, not %v", when, got, want)
		}
	}
	t.Cleanup(func() { n.Helm(t, tools, "uninstall", "tpu-admission") })
	helm("install", "--set", "replicaCount=4")
	helm("upgrade", "--set", "autoscaling.enabled=true")
	are(4, "autoscaling was turned on")
	n.Succeed(t, "scale", "deployment", "tpu-admission", "--replicas=5")
	helm("upgrade", "--set", "autoscaling.enabled=true,podAnnotations.a=b")
	are(5, "a later upgrade")
	helm("upgrade", "--set", "replicaCount=3")
	are(3, "autoscaling was turned off")
}
