package scenarios

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// What we add never costs a pod its place: the real scheduler binds a patched pod to every host
// that it binds the unpatched one to.
func TestPatchedPodsAreScheduledWhereUnpatchedOnesAre(t *testing.T) {
	n := likeGKE.namespace(t, "shapes")
	hosts := map[string]string{}
	for _, s := range shapes {
		hosts[s.name] = likeGKE.plane.AddHosts(t, s.name, s.host, s.topology, 1)[0]
	}
	unpatched := schedule(t, n, hosts)
	install(t, n)
	patched := schedule(t, n, hosts)
	for _, s := range shapes {
		spec := harness.Dig(patched[s.name], "spec")
		if cpuRequest(harness.Dig(unpatched[s.name], "spec")) != "" || cpuRequest(spec) == "" {
			t.Errorf("%s: the patch should have added a request of cpu: %v", s.name, spec)
		}
		if got := harness.Text(spec, "nodeName"); got != hosts[s.name] {
			t.Errorf("%s: patched, its node is %q: %s", s.name, got, whyUnscheduled(patched[s.name]))
		}
	}
}

// Without GKE's plugin the taint keeps every TPU pod off that does not tolerate it; ours does.
func TestTolerationLetsThePodIn(t *testing.T) {
	n := plain.namespace(t, "toleration")
	host := plain.plane.AddHosts(t, "toleration", harness.V6ex4, "2x2", 1)[0]
	n.Succeed(t, "apply", "-f", "examples/sound-pod.yaml")
	harness.Eventually(t, 20*time.Second, "the scheduler's verdict", func() error {
		out := n.Succeed(t, "get", "events", "--field-selector", "reason=FailedScheduling")
		return contains(out, "had untolerated taint")
	})
	n.Succeed(t, "delete", "pod", "serve")
	install(t, n)
	n.Succeed(t, "apply", "-f", "examples/sound-pod.yaml")
	harness.Eventually(t, 20*time.Second, "the pod to be bound", func() error {
		return contains(n.Succeed(t, "get", "pods", "-o", "wide"), host)
	})
}

// shape is a pod and the host that it is pinned to, the only one of its node pool.
type shape struct {
	name, topology string
	host           harness.Machine
	selector       string // beside accelerator, topology and host
	containers     string // with what follows them in the pod's spec
}

const (
	fourChips  = `cloud.google.com/gke-accelerator-count: "4"`
	eightChips = `cloud.google.com/gke-accelerator-count: "8"`
)

var shapes = []shape{
	{"v6e-1x1", "1x1", harness.V6ex1, "", oneContainer(1)},
	{"v6e-2x2", "2x2", harness.V6ex4, "", oneContainer(4)},
	{"v6e-2x4-one-host", "2x4", harness.V6ex8, eightChips, oneContainer(8)},
	{"v6e-2x4-two-hosts", "2x4", harness.V6ex4, fourChips, oneContainer(4)},
	{"v6e-2x4-half-a-host", "2x4", harness.V6ex8, "", oneContainer(4)},
	{"v6e-4x4", "4x4", harness.V6ex4, "", oneContainer(4)},
	{"v5e-2x4-one-host", "2x4", harness.V5ex8, "", oneContainer(8)},
	{"v5e-2x4-two-hosts", "2x4", harness.V5ex4, fourChips, oneContainer(4)},
	{"v4-2x2x1", "2x2x1", harness.V4x4, "", oneContainer(4)},
	{"v5p-2x2x1", "2x2x1", harness.V5px4, "", oneContainer(4)},
	{"tpu7x-split", "2x2x1", harness.V7x4, "", `[
		{name: a, image: i, resources: {limits: {google.com/tpu: 2}}},
		{name: b, image: i, resources: {limits: {google.com/tpu: 2}}}]`},
	{"sidecars", "2x2", harness.V6ex4, "", oneContainer(4) + `, initContainers: [
		{name: big, image: i, resources: {requests: {cpu: 170, memory: 600Gi}}},
		{name: log, image: i, restartPolicy: Always, resources: {requests: {cpu: 40, memory: 100Gi}}}]`},
}

func oneContainer(chips int) string {
	return fmt.Sprintf(`[{name: c, image: i, resources: {limits: {google.com/tpu: %d}}}]`, chips)
}

// schedule makes the pods of all shapes, waits until the scheduler has bound each or given it up,
// and returns the pods by name. It leaves none behind.
func schedule(t *testing.T, n *harness.Namespace, hosts map[string]string) map[string]any {
	t.Helper()
	for _, s := range shapes {
		out := n.Apply(t, podManifest(s.name, fmt.Sprintf(`{
			nodeSelector: {cloud.google.com/gke-tpu-accelerator: %s, cloud.google.com/gke-tpu-topology: %s,
				kubernetes.io/hostname: %s, %s},
			containers: %s}`, s.host.Accelerator, s.topology, hosts[s.name], s.selector, s.containers)))
		if out.Code != 0 {
			t.Fatalf("%s: %s", s.name, out)
		}
	}
	pods := map[string]any{}
	harness.Eventually(t, 30*time.Second, "the scheduler's verdicts", func() error {
		for _, pod := range n.Pods(t) {
			if harness.Text(pod, "spec", "nodeName") == "" && whyUnscheduled(pod) == "" {
				return errors.New("some pods have none")
			}
			pods[harness.Text(pod, "metadata", "name")] = pod
		}
		return nil
	})
	n.Succeed(t, "delete", "pods", "--all", "--force")
	return pods
}

func whyUnscheduled(pod any) string {
	for _, condition := range harness.List(pod, "status", "conditions") {
		if harness.Text(condition, "type") == "PodScheduled" {
			return harness.Text(condition, "message")
		}
	}
	return ""
}
