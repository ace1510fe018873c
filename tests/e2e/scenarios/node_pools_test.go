package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

const missing = "no node pool of this cluster has tpu-v6e-slice 4x4"

// Nodes appear, the controller writes them down, and the servers warn of a shape that is not there;
// until there are nodes of it. The API server is restarted in between, which costs a list, not a storm of them.
func TestNodePools(t *testing.T) {
	i := prepare(t)
	before, listsBefore := everythingThere(i), i.lists()
	i.install()
	wide, small := i.tpuJob("4x4", 4), i.tpuJob("2x4", 1)

	i.awaitRecord("shapes: []")
	production.plane.AddHosts(t, "v6e-a", harness.V6ex8, "2x4", 1)
	i.awaitRecord(`{accelerator: "tpu-v6e-slice", topology: "2x4", chips: 8, nodes: 1, most: 1, pools: 1, pool: "v6e-a"}`)
	if warnings := i.dryRun(wide); strings.Contains(warnings, missing) {
		t.Errorf("the record is younger than ten minutes, and is believed: %s", warnings)
	}
	i.ageRecord()
	i.awaitWarning(wide, missing+" (it has 2x4)")
	i.neverWarns(small)

	t.Run("a cluster autoscaler makes it uncertain", func(t *testing.T) {
		const path = "/api/v1/namespaces/kube-system/configmaps"
		if err := production.plane.Create(path, object{"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": object{"name": "cluster-autoscaler-status"}}); err != nil {
			t.Fatal(err)
		}
		defer production.plane.Delete(path + "/cluster-autoscaler-status")
		i.awaitRecord("autoscaler: true")
		i.awaitSilence(wide)
	})
	i.awaitWarning(wide, missing)

	i.listed(listsBefore, 1)
	if err := production.plane.RestartAPIServer(); err != nil {
		t.Fatal(err)
	}
	production.plane.AddHosts(t, "v6e-b", harness.V6ex4, "4x4", 4)
	i.awaitRecord(`topology: "4x4", chips: 4, nodes: 4, most: 4, pools: 1, pool: "v6e-b"}`)
	i.awaitSilence(wide)
	i.neverWarns(small)

	for n := range 4 { // the pool goes to zero, and is remembered
		production.plane.Delete(fmt.Sprintf("/api/v1/nodes/gke-v6e-b-%d", n))
	}
	i.awaitRecord(`topology: "4x4", chips: 4, nodes: 0, most: 4, pools: 0, pool: "v6e-b", seen: "`)
	i.neverWarns(wide)
	i.listed(listsBefore, 3) // it has forgotten the version, and another controller may lead

	i.uninstall(30*time.Second, before)
}

func (i *installation) tpuJob(topology string, hosts int) string {
	return fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: %[2]d
  completions: %[2]d
  completionMode: Indexed
  template:
    spec:
      subdomain: train
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: %[1]s
      containers:
      - name: jax
        image: example.com/jax
        ports: [{containerPort: 8471}]
        resources:
          requests: {cpu: "100", memory: 300Gi}
          limits: {google.com/tpu: %[3]d}
`, topology, hosts, map[int]int{1: 8, 4: 4}[hosts])
}

// dryRun is what kubectl says on stderr when the manifest is applied to the API server by dry run.
func (i *installation) dryRun(manifest string) string {
	i.Helper()
	out := i.team.Apply(i.T, manifest, "--dry-run=server")
	if out.Code != 0 {
		i.Fatal(out)
	}
	return out.Stderr
}

// lists that controllers of this name have asked for so far, those of other scenarios too.
func (i *installation) lists() int {
	i.Helper()
	lists, err := production.plane.ListsOfNodes(i.system.Name, "tpu-admission-controller")
	if err != nil {
		i.Fatal(err)
	}
	return lists
}

// listed: the controller has listed the nodes since there were `before` lists, and not more often; else it
// watches.
func (i *installation) listed(before, most int) {
	i.Helper()
	if lists := i.lists() - before; lists < 1 || lists > most {
		i.Errorf("%d lists, at most %d were expected", lists, most)
	} else {
		i.Logf("%d lists", lists)
	}
}

func (i *installation) record() string {
	return harness.Text(i.system.Object(i.T, "configmap", "tpu-admission-cluster"), "data", "nodes.yaml")
}

func (i *installation) awaitRecord(part string) {
	i.Helper()
	harness.Eventually(i.T, 90*time.Second, "the record to tell of "+part, func() error {
		if record := i.record(); !strings.Contains(record, part) {
			return errors.New(record)
		}
		return nil
	})
}

// ageRecord lets the record begin an hour ago, as if it had been kept all the time: the controller goes on
// with it.
func (i *installation) ageRecord() {
	i.Helper()
	old := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	text := regexp.MustCompile(`since: "[^"]*"`).ReplaceAllString(i.record(), fmt.Sprintf("since: %q", old))
	path := "/api/v1/namespaces/" + i.system.Name + "/configmaps/tpu-admission-cluster"
	if err := production.plane.Patch(path, object{"data": object{"nodes.yaml": text}}); err != nil {
		i.Fatal(err)
	}
}

func (i *installation) awaitWarning(manifest, text string) {
	i.Helper()
	harness.Eventually(i.T, 60*time.Second, "the warning", func() error {
		if warnings := i.dryRun(manifest); !strings.Contains(warnings, text) {
			return errors.New(warnings)
		}
		return nil
	})
}

// awaitSilence waits until both servers say nothing of node pools any more.
func (i *installation) awaitSilence(manifest string) {
	i.Helper()
	silent := 0
	harness.Eventually(i.T, 60*time.Second, "the warning to be gone", func() error {
		if warnings := i.dryRun(manifest); strings.Contains(warnings, "node pool") {
			silent = 0
			return errors.New(warnings)
		}
		if silent++; silent < 10 {
			return errors.New("not for long enough")
		}
		return nil
	})
}

func (i *installation) neverWarns(manifest string) {
	i.Helper()
	for range 10 {
		if warnings := i.dryRun(manifest); strings.Contains(warnings, "node pool") {
			i.Errorf("warned: %s", warnings)
		}
	}
}
