package scenarios

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// An API server that traces tells us the trace of each request, and our log names it.
func TestTracesAreLogged(t *testing.T) {
	n := likeGKE.namespace(t, "traces")
	w := install(t, n)
	if err := n.Create(gated(soundPod)); err != nil {
		t.Fatal(err)
	}
	made := traceOfBoth(t, n, w, 0)

	const ours = "4bf92f3577b34da6a3ce929d0e0e4736"
	if err := n.CreateTraced(gated(soundPod), "00-"+ours+"-00f067aa0ba902b7-01"); err != nil {
		t.Fatal(err)
	}
	if got := traceOfBoth(t, n, w, 2); got != ours || got == made {
		t.Errorf("the log has the trace %s, not the caller's %s", got, ours)
	}
}

var traceID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// traceOfBoth returns the trace of the two lines, of /mutate and of /validate, after the first `skip`.
func traceOfBoth(t *testing.T, n *harness.Namespace, w *harness.Webhook, skip int) (trace string) {
	t.Helper()
	harness.Eventually(t, 5*time.Second, "two lines of the log", func() error {
		lines := w.Decisions(t, n.Name)
		if len(lines) != skip+2 {
			return fmt.Errorf("%d lines, not %d: %v", len(lines), skip+2, lines)
		}
		trace = harness.Text(lines[skip], "trace_id")
		if other := harness.Text(lines[skip+1], "trace_id"); !traceID.MatchString(trace) || trace != other {
			return fmt.Errorf("the traces of one creation are %q and %q", trace, other)
		}
		return nil
	})
	return trace
}
