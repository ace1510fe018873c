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
	metrics string     // http://127.0.0.1:port
	peers   []*Webhook // further replicas
	killed  bool
	mayFail bool
}

// InstallWebhook starts the binary and installs the configurations of the given manifest, and
// returns when the API server asks it. Both are undone when the test ends.
func (n *Namespace) InstallWebhook(t testing.TB, binary, manifest string) *Webhook {
	t.Helper()
	ports, err := FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	w := n.startServer(t, binary, "tpu-admission-"+n.Name, "127.0.0.1", ports[0], ports[1])
	n.install(t, w, manifest, ports[0])
	return w
}

// InstallReplicas is InstallWebhook with several servers behind a balancer, and with more arguments.
func (n *Namespace) InstallReplicas(t testing.TB, binary, manifest string, count int, args ...string) *Webhook {
	t.Helper()
	const port, metrics = 10250, 8080
	var addresses []string
	var all []*Webhook
	for i := range count {
		// Different for every run of these tests, and none of a Kubelet's.
		address := fmt.Sprintf("127.%d.%d.%d", 1+os.Getpid()%250, 1+os.Getpid()/250%250, 251+i)
		name := fmt.Sprintf("tpu-admission-%s-%d", n.Name, i)
		all = append(all, n.startServer(t, binary, name, address, port, metrics, args...))
		addresses = append(addresses, address)
	}
	w := all[0]
	w.peers = all[1:]
	balancer := StartBalancer(t, port, func() []string { return addresses })
	n.install(t, w, manifest, balancer.Port())
	return w
}

func (n *Namespace) startServer(t testing.TB, binary, name, address string, port, metrics int, args ...string) *Webhook {
	t.Helper()
	c := n.cluster
	serving, err := c.authority.Issue("webhook", webhookService+"."+webhookNamespace+".svc")
	if err != nil {
		t.Fatal(err)
	}
	w := &Webhook{metrics: fmt.Sprintf("http://%s:%d", address, metrics)}
	w.process, err = StartProcess(name, c.logs, append([]string{binary, "serve",
		"--bind-address", address, "--secure-port", fmt.Sprint(port),
		"--metrics-port", fmt.Sprint(metrics),
		"--tls-cert-file", serving.Cert, "--tls-private-key-file", serving.Key,
		"--shutdown-delay", "0s", "--cluster-location", "us-central1"}, args...)...)
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
	return w
}

func (n *Namespace) install(t testing.TB, w *Webhook, manifest string, port int) {
	t.Helper()
	n.cluster.watchFailedCalls(t, w)
	n.installConfigurations(t, manifest, port)
	n.awaitReviews(t, w)
}

// Requests is the number of reviews with all the labels, e.g. `kind="Pod"`, answered so far.
func (w *Webhook) Requests(t testing.TB, labels ...string) (sum float64) {
	t.Helper()
	for _, requests := range w.Metric(t, "tpu_admission_requests_total", labels...) {
		sum += requests
	}
	return sum
}

// Metric is the sum of a family's series with all the labels, of each replica.
func (w *Webhook) Metric(t testing.TB, family string, labels ...string) (sums []float64) {
	t.Helper()
	for _, replica := range append([]*Webhook{w}, w.peers...) {
		text, err := replica.get("/metrics")
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, SumMetric(text, family, labels...))
	}
	return sums
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
