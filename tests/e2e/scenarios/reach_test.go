package scenarios

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// Objects without TPUs cost the webhook nothing, because the API server does not send them.
func TestOthersNeverReachUs(t *testing.T) {
	n := plain.namespace(t, "others")
	w := install(t, n)
	// An UPDATE may be of an earlier scenario's pod that is being deleted; the log tells them apart.
	before := w.Requests(t, `operation="CREATE"`)
	n.Succeed(t, "create", "configmap", "settings", "--from-literal=mode=fast")
	n.Succeed(t, "apply", "-f", "examples/not-ours.yaml")
	podsOf(t, n, 1) // the Deployment's ReplicaSet and Pod are made by controllers
	for name, spec := range othersSpecs {
		says(t, n.Apply(t, podManifest(name, spec)), "created")
	}
	n.Succeed(t, "label", "pods", "--all", "seen=yes")
	n.Succeed(t, "delete", "deployment", "website")
	if got := w.Requests(t, `operation="CREATE"`) - before; got != 0 {
		t.Errorf("%v requests reached the webhook, not 0", got)
	}
	onlyMarkerIsLogged(t, n, w)
}

// onlyMarkerIsLogged sends a TPU pod after all the others, waits for its line in the log, and
// asserts that there is none about another object of the namespace.
func onlyMarkerIsLogged(t *testing.T, n *harness.Namespace, w *harness.Webhook) {
	t.Helper()
	n.Apply(t, podManifest("marker", oursSpecs["limits"]))
	var decisions []harness.Object
	harness.Eventually(t, 5*time.Second, "the marker in the log", func() error {
		if decisions = w.Decisions(t, n.Name); len(decisions) == 0 {
			return errors.New(w.Log(t))
		}
		return nil
	})
	for _, decision := range decisions {
		if harness.Text(decision, "name") != "marker" {
			t.Errorf("this reached the webhook: %v", decision)
		}
	}
}

// Every one of these alone makes an object ours.
func TestTPUWorkloadsReachUs(t *testing.T) {
	n := plain.namespace(t, "ours")
	w := install(t, n)
	for name, spec := range oursSpecs {
		before := w.Requests(t, `kind="Pod"`)
		n.Apply(t, podManifest(name, spec), "--dry-run=server") // may well be denied
		if w.Requests(t, `kind="Pod"`) == before {
			t.Errorf("the pod %q did not reach the webhook", name)
		}
	}
	for _, manifest := range kinds(t) {
		out := n.Succeed(t, "create", "--dry-run=server", "-o", "json", "-f", manifest)
		kind := harness.Text(harness.ParseObject(t, out.Stdout), "kind")
		if w.Requests(t, fmt.Sprintf("kind=%q", kind)) == 0 {
			t.Errorf("the %s of %s did not reach the webhook", kind, manifest)
		}
	}
}

// A condition that cannot be evaluated, or costs more than the API server allows, would let a pod
// pass us by unseen: none may, however odd or large the pod.
func TestConditionsAlwaysEvaluate(t *testing.T) {
	n := plain.namespace(t, "conditions")
	w := install(t, n)
	for name, spec := range map[string]string{
		"odd":               `{containers: [{name: c, image: i, resources: null}], affinity: {}, nodeSelector: null}`,
		"odd-affinity":      `{containers: [{name: c, image: i}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{}, {matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}}}}`,
		"many-containers":   fmt.Sprintf(`{containers: [%s]}`, many(2000, `{name: c%d, image: i, resources: {requests: {cpu: 1m}, limits: {cpu: 1m}}}`)),
		"many-tolerations":  fmt.Sprintf(`{containers: [{name: c, image: i}], tolerations: [%s]}`, many(4000, `{key: k%d, operator: Exists}`)),
		"many-node-selects": fmt.Sprintf(`{containers: [{name: c, image: i}], nodeSelector: {%s}}`, many(4000, `k%d: v`)),
		"tpu-behind-a-crowd": fmt.Sprintf(`{containers: [%s, {name: last, image: i, resources: {limits: {google.com/tpu: 4}}}]}`,
			many(2000, `{name: c%d, image: i}`)),
	} {
		n.Apply(t, podManifest(name, spec), "--dry-run=server", "--server-side")
	}
	if w.Requests(t, `kind="Pod"`) == 0 {
		t.Error("the TPU container behind 2000 others was not seen")
	}
	metrics, err := plain.plane.Text("/metrics")
	if err != nil {
		t.Fatal(err)
	}
	const family = "apiserver_admission_match_condition_"
	if harness.SumMetric(metrics, family+"exclusions_total") == 0 {
		t.Error("no exclusion was counted: are the metrics named otherwise?")
	}
	if got := harness.SumMetric(metrics, family+"evaluation_errors_total"); got != 0 {
		t.Errorf("%v conditions could not be evaluated", got)
	}
}

var othersSpecs = map[string]string{
	"plain":             `{containers: [{name: c, image: i}]}`,
	"gpu":               `{containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]}`,
	"tolerates-all":     `{containers: [{name: c, image: i}], tolerations: [{operator: Exists}]}`,
	"off-the-tpu-nodes": `{containers: [{name: c, image: i}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: cloud.google.com/gke-tpu-accelerator, operator: DoesNotExist}]}]}}}}`,
	"other-claims":      `{containers: [{name: c, image: i}], resourceClaims: [{name: gpus, resourceClaimName: gpus}]}`,
	"labels-only":       `{containers: [{name: google-com-tpu, image: google.com/tpu}], nodeSelector: {cloud.google.com/gke-nodepool: tpu}}`,
}

var oursSpecs = map[string]string{
	"limits":         `{containers: [{name: c, image: i, resources: {limits: {google.com/tpu: 4}}}]}`,
	"init-container": `{initContainers: [{name: a, image: i, resources: {limits: {google.com/tpu: 4}}}], containers: [{name: c, image: i}]}`,
	"accelerator":    `{containers: [{name: c, image: i}], nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice}}`,
	"topology":       `{containers: [{name: c, image: i}], nodeSelector: {cloud.google.com/gke-tpu-topology: 2x2}}`,
	"affinity":       `{containers: [{name: c, image: i}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: cloud.google.com/gke-tpu-topology, operator: In, values: [2x2]}]}]}}}}`,
	"legacy":         `{containers: [{name: c, image: i, resources: {limits: {cloud-tpus.google.com/v3: 8}}}]}`,
	"claims":         `{containers: [{name: c, image: i}], nodeSelector: {cloud.google.com/gke-tpu-topology: 2x2}, resourceClaims: [{name: tpus, resourceClaimName: tpus}]}`,
	"toleration":     `{containers: [{name: c, image: i}], tolerations: [{key: google.com/tpu, operator: Exists}]}`,
}

func podManifest(name, spec string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: %s\n", name, spec)
}

// many repeats the format, each time with another number.
func many(count int, format string) string {
	items := make([]string, count)
	for i := range items {
		items[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(items, ", ")
}
