package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// Beside the pool of idle chips: a slice of which one host is used, one that lacks a host, a Job that waits for
// its last host and holds the others, and a pod that a node refused. All are made on the real control plane,
// told, and gone once they are mended.
func (a *audited) wastes() {
	production.plane.AddHosts(a.T, "half", harness.V6ex4, "4x4", 4)
	production.plane.AddHosts(a.T, "short", harness.V6ex4, "4x4", 3)
	production.plane.AddHosts(a.T, "whole", harness.V6ex4, "4x4", 4)
	a.podOn("alone", "half", "4x4")
	a.podOn("other", "whole", "4x4")
	a.podOn("refused", "idle", "2x2")
	team := &stuck{Namespace: a.team, plane: production.plane}
	team.podStatus(a.T, "alone", `{"phase": "Running"}`)
	team.podStatus(a.T, "other", `{"phase": "Running"}`)
	team.podStatus(a.T, "refused", `{"phase": "Failed", "reason": "UnexpectedAdmissionError",
		"message": "Allocate failed due to rpc error: invalid TPU chip count request, which is unexpected"}`)
	team.apply(a.T, job{name: "gang", selector: "cloud.google.com/gke-nodepool: whole"})
	a.runGang(3)

	a.told(map[string]float64{"idle": 4, "half_used": 12, "stranded": 12, "waiting": 12, "refused": 4},
		"idle-chips pool idle (tpu-v6e-slice 2x2): 4 of 4 chips lie idle",
		"half-used-slice pool half (tpu-v6e-slice 4x4): 1 of 4 hosts have TPU pods, and a slice is for one workload: 12 chips lie idle",
		"stranded-slice pool short (tpu-v6e-slice 4x4): 3 of 4 hosts can be used, and a slice starts with all: 12 chips lie idle",
		`waiting-gang Job "gang" in team: 3 pods hold 12 chips, and 1 pod is Pending since 2`,
		`refused-pod Pod "refused" in team: node "gke-idle-0" refused it: UnexpectedAdmissionError: Allocate failed`)

	a.team.Succeed(a.T, "delete", "pod", "alone", "other", "refused", "--force", "--grace-period=0")
	if err := production.plane.Create("/api/v1/nodes", harness.V6ex4.Node("gke-short-3", "short", "4x4", "us-central1-b")); err != nil {
		a.Fatal(err)
	}
	a.Cleanup(func() { production.plane.Delete("/api/v1/nodes/gke-short-3") })
	a.runGang(4)
	a.told(map[string]float64{"idle": 4 + 16 + 16}, "idle-chips pool half (tpu-v6e-slice 4x4): 16 of 16 chips lie idle",
		"idle-chips pool short (tpu-v6e-slice 4x4): 16 of 16 chips lie idle", "idle-chips pool idle (tpu-v6e-slice 2x2): 4 of 4 chips lie idle")
	a.team.Succeed(a.T, "delete", "job", "gang")
}

// podOn is a pod that takes a host of the pool.
func (a *audited) podOn(name, pool, topology string) {
	a.Helper()
	pod := tpuPod("tpu-v6e-slice")
	pod["metadata"] = object{"name": name}
	pod["spec"].(object)["nodeSelector"] = object{"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
		"cloud.google.com/gke-tpu-topology": topology, "cloud.google.com/gke-nodepool": pool}
	if err := a.team.Create(pod); err != nil {
		a.Fatal(err)
	}
}

// runGang waits until so many pods of the Job have a node, and starts them as a kubelet would.
func (a *audited) runGang(count int) {
	a.Helper()
	var bound []string
	harness.Eventually(a.T, 20*time.Second, fmt.Sprint(count, " pods of the gang to be bound"), func() error {
		bound = nil
		for _, pod := range a.team.Pods(a.T) {
			if harness.Text(pod, "metadata", "labels", "job-name") == "gang" && harness.Text(pod, "spec", "nodeName") != "" {
				bound = append(bound, harness.Text(pod, "metadata", "name"))
			}
		}
		if len(bound) != count {
			return fmt.Errorf("%d are", len(bound))
		}
		return nil
	})
	for _, pod := range bound {
		a.team.Succeed(a.T, "patch", "pod", pod, "--subresource=status", "--type=merge", "-p", `{"status": {"phase": "Running"}}`)
	}
}

// told waits until report and metrics tell of these wastes and no others: chips by kind, and how each result
// begins after its rule.
func (a *audited) told(chips map[string]float64, results ...string) {
	a.Helper()
	harness.Eventually(a.T, 40*time.Second, "the report of chips", func() error {
		return sameStarts(a.capacityResults(a.T), results)
	})
	for _, waste := range []string{"idle", "half_used", "stranded", "split", "waiting", "refused"} {
		a.metric("tpu_admission_audit_wasted_chips", chips[waste], fmt.Sprintf("waste=%q", waste))
	}
	for waste := range chips {
		found := slices.DeleteFunc(slices.Clone(results), func(result string) bool {
			return !strings.HasPrefix(result, strings.ReplaceAll(waste, "_", "-"))
		})
		a.metric("tpu_admission_audit_wastes", float64(len(found)), fmt.Sprintf("waste=%q", waste))
	}
}

func (a *audited) capacityResults(t *testing.T) (told []string) {
	out := a.team.Kubectl(t, "get", "clusterreport.openreports.io", "tpu-admission-capacity", "-o", "json")
	if out.Code != 0 {
		return nil
	}
	for _, result := range harness.List(harness.ParseObject(t, out.Stdout), "results") {
		told = append(told, harness.Text(result, "rule")+" "+harness.Text(result, "message"))
	}
	return told
}

func sameStarts(got, want []string) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d results: %q", len(got), got)
	}
	for _, start := range want {
		if !slices.ContainsFunc(got, func(text string) bool { return strings.HasPrefix(text, start) }) {
			return fmt.Errorf("%q is not among %q", start, got)
		}
	}
	return nil
}
