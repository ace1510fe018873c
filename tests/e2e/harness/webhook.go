package harness

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// Webhook is tpu-admission running as a process of its own and known to the API server.
type Webhook struct {
	process *Process
	metrics string // http://127.0.0.1:port
	killed  bool
	mayFail bool
}

// InstallWebhook starts the binary and installs the configurations of the given manifest, and
// returns when the API server asks it. Both are undone when the test ends.
func (n *Namespace) InstallWebhook(t testing.TB, binary, manifest string) *Webhook {
	t.Helper()
	c := n.cluster
	serving, err := c.authority.Issue("webhook", webhookService+"."+webhookNamespace+".svc")
	if err != nil {
		t.Fatal(err)
	}
	ports, err := FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	w := &Webhook{metrics: fmt.Sprintf("http://127.0.0.1:%d", ports[1])}
	w.process, err = StartProcess("tpu-admission-"+n.Name, c.logs, binary, "serve",
		"--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(ports[0]),
		"--metrics-port", fmt.Sprint(ports[1]),
		"--tls-cert-file", serving.Cert, "--tls-private-key-file", serving.Key,
		"--shutdown-delay", "0s", "--cluster-location", "us-central1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.process.Stop(5 * time.Second) })
	if err := w.process.WaitFor(10*time.Second, func() error {
		_, err := w.get("/readyz")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	c.watchFailedCalls(t, w)
	n.installConfigurations(t, manifest, ports[0])
	n.awaitReviews(t, w)
	return w
}

// Requests is the number of reviews with all the labels, e.g. `kind="Pod"`, answered so far.
func (w *Webhook) Requests(t testing.TB, labels ...string) float64 {
	t.Helper()
	text, err := w.get("/metrics")
	if err != nil {
		t.Fatal(err)
	}
	return SumMetric(text, "tpu_admission_requests_total", labels...)
}

// Log is what the process has written so far.
func (w *Webhook) Log(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(w.process.logPath)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Decisions are the lines of the log about objects of the namespace, the oldest first.
func (w *Webhook) Decisions(t testing.TB, namespace string) (decisions []Object) {
	t.Helper()
	for line := range strings.Lines(w.Log(t)) {
		if !strings.HasSuffix(line, "\n") {
			break // still being written
		}
		if entry := ParseObject(t, line); Text(entry, "namespace") == namespace {
			decisions = append(decisions, entry)
		}
	}
	return decisions
}

// MayFail says that the test makes calls fail: by objects that no schema would let through.
func (w *Webhook) MayFail() { w.mayFail = true }

// Kill ends the process as a crash would.
func (w *Webhook) Kill() {
	w.killed = true
	w.process.Kill()
}

func (w *Webhook) get(path string) (string, error) {
	client := http.Client{Timeout: 2 * time.Second}
	response, err := client.Get(w.metrics + path)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %d: %s", path, response.StatusCode, body)
	}
	return string(body), err
}
