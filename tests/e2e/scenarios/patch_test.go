package scenarios

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

func TestSoundPodComesBackPatched(t *testing.T) {
	n := plain.namespace(t, "sound-pod")
	install(t, n)
	n.Succeed(t, "apply", "-f", "examples/sound-pod.yaml")
	isPatched(t, n.Object(t, "pod", "serve"), harness.V6ex4)
}

// The Job stays as its user wrote it; the pods that it makes are patched.
func TestPodsOfAnAcceptedJobArePatched(t *testing.T) {
	n := plain.namespace(t, "job-pods")
	install(t, n)
	n.Succeed(t, "apply", "-f", "examples/corrected-job.yaml")
	for _, pod := range podsOf(t, n, 4) {
		isPatched(t, pod, harness.V6ex4)
	}
	template := harness.Dig(n.Object(t, "job", "train"), "spec", "template", "spec")
	if harness.Dig(template, "tolerations") != nil || cpuRequest(template) != "" {
		t.Errorf("the Job's template was patched: %v", template)
	}
}

// Where GKE's own plugin has added the toleration and the user has set requests, nothing is left
// to add. Where no requests are set, they alone are added.
func TestNoPatchWhereNothingIsMissing(t *testing.T) {
	n := likeGKE.namespace(t, "nothing-missing")
	w := install(t, n)
	patched := func() float64 { return w.Requests(t, `kind="Pod"`, `outcome="patched"`) }
	before := patched()
	n.Succeed(t, "apply", "-f", testdata+"/complete-pod.yaml")
	if got := tolerations(n.Object(t, "pod", "complete")); got != 1 {
		t.Errorf("%d tolerations of the TPU taint, not the plugin's one", got)
	}
	if patched() != before {
		t.Errorf("the complete pod was patched")
	}
	n.Succeed(t, "apply", "-f", "examples/sound-pod.yaml")
	isPatched(t, n.Object(t, "pod", "serve"), harness.V6ex4)
	if got := patched() - before; got != 1 {
		t.Errorf("%v pods were patched, not 1", got)
	}
}

// isPatched asserts that a pod with one container has exactly one toleration of the TPU taint and
// requests of CPU and memory that leave a fifth of the machine free, give or take a few percent.
func isPatched(t *testing.T, pod any, m harness.Machine) {
	t.Helper()
	if got := tolerations(pod); got != 1 {
		t.Errorf("%d tolerations of the TPU taint, not 1: %v", got, harness.Dig(pod, "spec", "tolerations"))
	}
	spec := harness.Dig(pod, "spec")
	isShare(t, "cpu", cpuRequest(spec), "m", m.CPUMillis)
	memory := harness.Text(spec, "containers", 0, "resources", "requests", "memory")
	isShare(t, "memory", memory, "Mi", m.MemoryMiB)
}

func isShare(t *testing.T, resource, request, unit string, allocatable int) {
	t.Helper()
	number, err := strconv.ParseFloat(strings.TrimSuffix(request, unit), 64)
	if share := number / float64(allocatable); err != nil || math.Abs(share-0.8) > 0.03 {
		t.Errorf("the request of %s is %q, not about 80%% of %d%s", resource, request, allocatable, unit)
	}
}

// tolerations counts those that name the TPU taint.
func tolerations(pod any) int {
	count := 0
	for _, toleration := range harness.List(pod, "spec", "tolerations") {
		if harness.Text(toleration, "key") == "google.com/tpu" {
			count++
		}
	}
	return count
}

func cpuRequest(podSpec any) string {
	return harness.Text(podSpec, "containers", 0, "resources", "requests", "cpu")
}

// podsOf waits until the namespace has that many pods and returns them.
func podsOf(t *testing.T, n *harness.Namespace, count int) (pods []any) {
	t.Helper()
	harness.Eventually(t, 20*time.Second, "the pods", func() error {
		if pods = n.Pods(t); len(pods) != count {
			return fmt.Errorf("%d of %d", len(pods), count)
		}
		return nil
	})
	return pods
}
