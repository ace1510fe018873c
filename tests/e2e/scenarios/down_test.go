package scenarios

import "testing"

// A crash of ours is nobody else's: everything goes in, TPU workloads included, unjudged.
func TestClusterWorksOnWithoutUs(t *testing.T) {
	n := plain.namespace(t, "down")
	w := install(t, n)
	w.Kill()
	says(t, n.Succeed(t, "create", "configmap", "settings"), "configmap/settings created")
	says(t, n.Succeed(t, "apply", "-f", "examples/not-ours.yaml"), "deployment.apps/website created")
	podsOf(t, n, 1)
	says(t, n.Succeed(t, "apply", "-f", "examples/wrong-pod.yaml"), "pod/notebook created")
}
