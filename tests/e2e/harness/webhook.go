package harness

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"
)

const (
	webhookNamespace = "tpu-admission-system"
	webhookService   = "tpu-admission"
)

// Webhook is tpu-admission running as a process of its own and known to the API server.
type Webhook struct {
	process *Process
	metrics string // http://127.0.0.1:port
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
	n.installConfigurations(t, manifest, ports[0])
	n.awaitReviews(t, w)
	return w
}

// installConfigurations applies the manifest with what only this run knows: the authority of the
// certificate, and the port. For a Service of type ExternalName the API server dials that port of
// localhost, with the name and protocol that it uses for every Service.
func (n *Namespace) installConfigurations(t testing.TB, manifest string, port int) {
	t.Helper()
	namespace := Object{"apiVersion": "v1", "kind": "Namespace", "metadata": Object{"name": webhookNamespace}}
	service := Object{"apiVersion": "v1", "kind": "Service", "metadata": Object{"name": webhookService},
		"spec": Object{"type": "ExternalName", "externalName": "localhost"}}
	if err := n.cluster.CreateOnce("/api/v1/namespaces", namespace); err != nil {
		t.Fatal(err)
	}
	if err := n.cluster.CreateOnce("/api/v1/namespaces/"+webhookNamespace+"/services", service); err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(n.cluster.authority.CertPath())
	if err != nil {
		t.Fatal(err)
	}
	printed := n.Succeed(t, "create", "--dry-run=client", "-o", "json", "-f", manifest).Stdout
	items := parseObjects(t, printed)
	for _, item := range items {
		for _, webhook := range List(item, "webhooks") {
			client := Dig(webhook, "clientConfig").(Object)
			client["caBundle"] = base64.StdEncoding.EncodeToString(ca)
			Dig(client, "service").(Object)["port"] = port
		}
	}
	text, err := json.Marshal(Object{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		t.Fatal(err)
	}
	if out := n.Apply(t, string(text)); out.Code != 0 {
		t.Fatal(out)
	}
	t.Cleanup(func() { n.Kubectl(t, "delete", "-f", manifest) })
}

// awaitReviews returns when both configurations have reached the API server's admission: when one
// dry run of a TPU pod comes to us twice, to be patched and to be judged.
func (n *Namespace) awaitReviews(t testing.TB, w *Webhook) {
	t.Helper()
	canary := Object{"apiVersion": "v1", "kind": "Pod", "metadata": Object{"name": "canary"},
		"spec": Object{"containers": []Object{{"name": "canary", "image": "canary",
			"resources": Object{"limits": Object{"google.com/tpu": "1"}}}}}}
	Eventually(t, 15*time.Second, "the API server to ask the webhook", func() error {
		before := w.Requests(t)
		n.cluster.Create(n.path("/api/v1", "pods")+"?dryRun=All", canary) // may well be denied
		if got := w.Requests(t) - before; got != 2 {
			return fmt.Errorf("%v reviews instead of 2", got)
		}
		return nil
	})
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

// MetricsAddress is host:port of the plain port.
func (w *Webhook) MetricsAddress() string { return w.metrics[len("http://"):] }

// Log is what the process has written so far: one JSON object a line.
func (w *Webhook) Log(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(w.process.logPath)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Kill ends the process as a crash would.
func (w *Webhook) Kill() { w.process.Kill() }

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
