package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// Why anyone needs us: the same command on the same manifest and the same four hosts, without and
// with tpu-admission. What the user reads is kept in before-after.txt.
func TestBeforeAndAfter(t *testing.T) {
	n := likeGKE.namespace(t, "before-after")
	hosts := likeGKE.plane.AddHosts(t, "v6e-4x4", harness.V6ex4, "4x4", 4)

	before := withoutUs(t, n)
	install(t, n)
	after := withUs(t, n, hosts)

	text := "Without tpu-admission:\n\n" + before + "\nWith tpu-admission:\n\n" + after
	path := filepath.Join(output, "before-after.txt")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("kept in %s", path)
}

// withoutUs: the wrong Job is taken, and its pods wait for hosts that no cluster has.
func withoutUs(t *testing.T, n *harness.Namespace) string {
	applied := n.Succeed(t, "apply", "-f", "examples/wrong-job.yaml")
	says(t, applied, "job.batch/train created")
	eventsAre(t, n, "FailedScheduling", 2)
	time.Sleep(3 * time.Second) // long enough for the scheduler to find a place if there were one
	pods := n.Succeed(t, "get", "pods")
	if got := strings.Count(pods.Stdout, "Pending"); got != 2 {
		t.Errorf("%d pods are Pending, not 2:\n%s", got, pods)
	}
	events := n.Succeed(t, "get", "events", "--field-selector", "reason=FailedScheduling")
	says(t, events, "0/4 nodes are available", "Insufficient google.com/tpu")
	n.Succeed(t, "delete", "job", "train")
	n.Succeed(t, "delete", "events", "--all")
	return applied.String() + pods.String() + events.String()
}

// withUs: the same Job is answered while the user still looks, and the corrected one runs.
func withUs(t *testing.T, n *harness.Namespace, hosts []string) string {
	denied := n.Kubectl(t, "apply", "-f", "examples/wrong-job.yaml")
	wrongJobIsDenied(t, denied)
	if denied.Took > 3*time.Second {
		t.Errorf("the answer took %s", denied.Took)
	}
	applied := n.Succeed(t, "apply", "-f", "examples/corrected-job.yaml")
	eventsAre(t, n, "Scheduled", len(hosts))
	events := n.Succeed(t, "get", "events", "--field-selector", "reason=Scheduled")
	for _, host := range hosts {
		says(t, events, host)
	}
	return fmt.Sprintf("%s(after %.1f s)\n\n%s%s", denied, denied.Took.Seconds(), applied, events)
}

func eventsAre(t *testing.T, n *harness.Namespace, reason string, count int) {
	t.Helper()
	harness.Eventually(t, 30*time.Second, reason+" events", func() error {
		out := n.Succeed(t, "get", "events", "--no-headers", "--field-selector", "reason="+reason)
		if got := strings.Count(out.Stdout, "\n"); got < count {
			return fmt.Errorf("%d of %d", got, count)
		}
		return nil
	})
}
