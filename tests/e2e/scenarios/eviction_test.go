package scenarios

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// A drain evicts pods. Of a single server the PodDisruptionBudget lets it, whether the server is ready
// or not; a budget that keeps one available would not.
func TestEvictionOfTheOnlyServer(t *testing.T) {
	i := prepare(t, "--set", "replicaCount=1")
	i.useOwnCertificate()
	i.install()

	t.Run("a budget that keeps one blocks", func(t *testing.T) {
		i.setBudget(t, object{"minAvailable": 1, "maxUnavailable": nil})
		var status *harness.StatusError
		if err := i.evict(i.onlyServer(t)); !errors.As(err, &status) || status.Code != http.StatusTooManyRequests {
			t.Errorf("evicted, or for another reason not: %v", err)
		}
		i.setBudget(t, object{"minAvailable": nil, "maxUnavailable": 1})
	})
	t.Run("ours does not", func(t *testing.T) { i.isEvicted(t) })
	i.awaitDenial()
	t.Run("nor of a server that is not ready", func(t *testing.T) {
		i.kubelet.Crash("server")
		defer i.kubelet.Recover("server")
		harness.Eventually(t, 30*time.Second, "the server to be seen as not ready", func() error {
			if healthy := harness.Dig(i.system.Object(t, "pdb", "tpu-admission"), "status", "currentHealthy"); healthy != float64(0) {
				return fmt.Errorf("%v healthy servers", healthy)
			}
			return nil
		})
		i.isEvicted(t)
	})
	i.awaitDenial()
}

// isEvicted evicts the server and returns when another is there in its place.
func (i *installation) isEvicted(t *testing.T) {
	t.Helper()
	server := i.onlyServer(t)
	if err := i.evict(server); err != nil {
		t.Fatalf("the eviction is blocked: %v", err)
	}
	harness.Eventually(t, 30*time.Second, "another server", func() error {
		if names := i.servers(t); len(names) != 1 || names[0] == server {
			return fmt.Errorf("the servers are %v", names)
		}
		return nil
	})
}

// evict asks for it as `kubectl drain` does.
func (i *installation) evict(pod string) error {
	return production.plane.Create(fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/eviction", i.system.Name, pod), object{
		"apiVersion": "policy/v1", "kind": "Eviction", "metadata": object{"name": pod, "namespace": i.system.Name}})
}

// setBudget changes the PodDisruptionBudget and returns when the disruption controller has seen it.
func (i *installation) setBudget(t *testing.T, spec object) {
	t.Helper()
	path := "/apis/policy/v1/namespaces/" + i.system.Name + "/poddisruptionbudgets/tpu-admission"
	if err := production.plane.Patch(path, object{"spec": spec}); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, 30*time.Second, "the disruption controller", func() error {
		budget := i.system.Object(t, "pdb", "tpu-admission")
		seen, healthy := harness.Dig(budget, "status", "observedGeneration"), harness.Dig(budget, "status", "currentHealthy")
		if seen != harness.Dig(budget, "metadata", "generation") || healthy != float64(1) {
			return fmt.Errorf("%v", harness.Dig(budget, "status"))
		}
		return nil
	})
}

func (i *installation) onlyServer(t *testing.T) string {
	t.Helper()
	names := i.servers(t)
	if len(names) != 1 {
		t.Fatalf("%d servers, not 1", len(names))
	}
	return names[0]
}

// servers are the names of the server pods that are not on their way out.
func (i *installation) servers(t *testing.T) (names []string) {
	t.Helper()
	for _, pod := range i.system.Pods(t) {
		if harness.Text(pod, "metadata", "labels", "app.kubernetes.io/component") == "server" &&
			harness.Text(pod, "metadata", "deletionTimestamp") == "" {
			names = append(names, harness.Text(pod, "metadata", "name"))
		}
	}
	return names
}
