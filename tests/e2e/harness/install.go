package harness

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"
)

// Where the webhook configurations look for us.
const (
	webhookNamespace = "tpu-admission-system"
	webhookService   = "tpu-admission"
)

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
	items := ParseObjects(t, printed)
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
	const pods = "/api/v1/namespaces/default/pods?dryRun=All"
	canary := Object{"apiVersion": "v1", "kind": "Pod", "metadata": Object{"name": "canary"},
		"spec": Object{"containers": []Object{{"name": "canary", "image": "canary",
			"resources": Object{"limits": Object{"google.com/tpu": "1"}}}}}}
	Eventually(t, 15*time.Second, "the API server to ask the webhook", func() error {
		before := w.Requests(t)
		n.cluster.Create(pods, canary) // may well be denied
		if got := w.Requests(t) - before; got != 2 {
			return fmt.Errorf("%v reviews instead of 2", got)
		}
		return nil
	})
}

// watchFailedCalls fails the test if the API server has passed over a call of the living webhook:
// with failurePolicy Ignore nobody else would notice an answer that is late or wrong.
func (c *ControlPlane) watchFailedCalls(t testing.TB, w *Webhook) {
	t.Helper()
	failed := func() float64 {
		text, err := c.Text("/metrics")
		if err != nil {
			t.Error(err)
		}
		return SumMetric(text, "apiserver_admission_webhook_fail_open_count")
	}
	before := failed()
	t.Cleanup(func() {
		if got := failed() - before; !w.killed && !w.mayFail && got != 0 {
			t.Errorf("%v calls of the webhook failed", got)
		}
	})
}
