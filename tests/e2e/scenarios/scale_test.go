//go:build scale

package scenarios

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// A large cluster, made up on a real API server: what a scan and a pass of the audit cost there. It takes
// minutes, so it must be asked for: E2E_TAGS=scale ./dev e2e TestScale
func TestScale(t *testing.T) {
	const nodes, jobs, podsOfJob = 5000, 2000, 25
	const mostTime, mostMiB = 30 * time.Second, 100.0
	large := &shared{name: "large"}
	n := large.namespace(t, "large")
	t.Cleanup(large.stop)
	out := n.Apply(t, openReports(t, n))
	says(t, out, "created")
	begin := time.Now()
	atOnce(nodes, func(i int) error {
		pool := fmt.Sprintf("pool-%d", i/4)
		return large.plane.Create("/api/v1/nodes", harness.V6ex4.Node(nodeName(i), pool, "4x4", "us-central1-b"))
	}, t)
	atOnce(jobs, func(i int) error {
		return large.plane.Create("/apis/batch/v1/namespaces/large/jobs", largeJob(i))
	}, t)
	uids := map[string]string{}
	for _, job := range n.List(t, "/apis/batch/v1", "jobs") {
		uids[harness.Text(job, "metadata", "name")] = harness.Text(job, "metadata", "uid")
	}
	atOnce(jobs*podsOfJob, func(i int) error {
		name := fmt.Sprintf("job-%d", i/podsOfJob)
		return n.Create(largePod(i, name, uids[name], nodeName(i%nodes)))
	}, t)
	t.Logf("made in %.0f s", time.Since(begin).Seconds())

	audit := append([]string{"audit", "--once"}, large.plane.Reach(t)...)
	for _, what := range []string{"the first pass of the audit", "the next pass"} {
		out, cost := n.Measure(t, binary, audit...)
		says(t, out, fmt.Sprintf("%d TPU workloads, %d chips", jobs, 4*nodes))
		t.Logf("%s: %s\n%.600s", what, cost, out.Stdout)
		if cost.Wall > mostTime || cost.PeakMiB > mostMiB {
			t.Errorf("%s costs %s", what, cost)
		}
	}
	out, cost := n.Measure(t, binary, "scan", "--kubectl="+filepath.Join(programs, "kubectl"), "--output=json")
	t.Logf("scan, beside what kubectl takes: %s", cost)
	if out.Code != 1 || cost.CPU > mostTime || cost.PeakMiB > mostMiB {
		t.Errorf("scan ends with %d and costs %s: %.500s", out.Code, cost, out.Stderr)
	}
}

func nodeName(i int) string { return fmt.Sprintf("gke-large-%d", i) }

// atOnce does it for 0 to count-1, by 64 hands.
func atOnce(count int, do func(i int) error, t *testing.T) {
	t.Helper()
	queue := make(chan int)
	var waiting sync.WaitGroup
	for range 64 {
		waiting.Go(func() {
			for i := range queue {
				if err := do(i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range count {
		queue <- i
	}
	close(queue)
	waiting.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// largeSpec is a pod spec of the usual size. Every second one asks for chips that no host has.
func largeSpec(job int) object {
	var env []object
	for i := range 40 {
		env = append(env, object{"name": fmt.Sprintf("SETTING_%d", i), "value": fmt.Sprintf("a value of the usual length, %d", i)})
	}
	return object{"restartPolicy": "Never", "subdomain": "large",
		"tolerations": []object{{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}},
		"nodeSelector": object{"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
			"cloud.google.com/gke-tpu-topology": "4x4"},
		"containers": []object{{"name": "jax", "image": "example.com/jax:1", "env": env, "resources": object{
			"requests": object{"cpu": "1", "memory": "1Gi"}, "limits": object{"google.com/tpu": 4 + job%2*4}}}}}
}

// largeJob is run by nobody.
func largeJob(i int) object {
	return object{"apiVersion": "batch/v1", "kind": "Job", "metadata": object{"name": fmt.Sprintf("job-%d", i)},
		"spec": object{"managedBy": "example.com/nobody", "parallelism": 4, "completions": 4,
			"completionMode": "Indexed", "template": object{"spec": largeSpec(i)}}}
}

func largePod(i int, job, uid, node string) object {
	spec := largeSpec(0)
	spec["nodeName"] = node
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": fmt.Sprintf("pod-%d", i),
		"ownerReferences": []object{{"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": uid, "controller": true}}},
		"spec": spec}
}
