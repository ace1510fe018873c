package chart

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
)

// replicasIn renders the chart with autoscaling as an upgrade does in a cluster of these objects, by path.
func replicasIn(t *testing.T, cluster map[string]string) any {
	t.Helper()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, found := cluster[request.URL.Path]
		if !found {
			body = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`
		}
		w.Header().Set("Content-Type", "application/json")
		if !found {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, body)
	}))
	defer api.Close()
	config := filepath.Join(t.TempDir(), "config")
	write(t, config, "")
	objects := render(t, "--set", "autoscaling.enabled=true", "--dry-run=server", "--kubeconfig", config, "--kube-apiserver", api.URL)
	one(t, objects, "HorizontalPodAutoscaler")
	return dig(one(t, objects, "Deployment", server), "spec", "replicas")
}

const deployments = "/apis/apps/v1/namespaces/" + namespace + "/deployments/"

// An upgrade that turns autoscaling on, or any later one, neither takes servers away nor undoes what the
// autoscaler did. Where helm cannot look (helm template, GitOps) no number is rendered.
func TestAScaledServerKeepsItsReplicas(t *testing.T) {
	discovery := `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[` +
		`{"name":"deployments","singularName":"deployment","namespaced":true,"kind":"Deployment","verbs":["get"]}]}`
	for _, test := range []struct{ before, after int }{{4, 4}, {1, 2}, {0, 2}} { // minReplicas is 2
		live := fmt.Sprintf(`{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"tpu-admission"},"spec":{"replicas":%d}}`, test.before)
		got := replicasIn(t, map[string]string{"/apis/apps/v1": discovery, deployments + server: live})
		if got != float64(test.after) {
			t.Errorf("an upgrade makes %v of %d servers, not %d", got, test.before, test.after)
		}
	}
	if got := replicasIn(t, map[string]string{"/apis/apps/v1": discovery}); got != nil {
		t.Errorf("a new installation has %v", got)
	}
	objects := render(t, "--set", "autoscaling.enabled=true")
	if got := dig(one(t, objects, "Deployment", server), "spec", "replicas"); got != nil {
		t.Errorf("what a GitOps tool applies again and again says %v", got)
	}
}
