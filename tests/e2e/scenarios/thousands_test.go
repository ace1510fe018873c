package scenarios

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// Two thousand pods of 32 slices, created at once by a stand-in for KubeRay: no controller holds the
// API server and us back. kuberay-tpu-webhook would take one a second.
func TestTwoThousandWorkersAtOnceAreToldRightly(t *testing.T) {
	const slices, hosts, creators = 32, 64, 64
	n := plain.namespace(t, "thousands")
	kind := harness.CustomKind{Group: "ray.io", Version: "v1", Kind: "RayCluster", Plural: "rayclusters"}
	plain.plane.Define(t, kind)
	webhook := n.InstallReplicas(t, binary, configurations, 2)
	cluster := harness.Object{"apiVersion": "ray.io/v1", "kind": "RayCluster",
		"metadata": harness.Object{"name": "ray"}, "spec": harness.Object{}}
	if err := plain.plane.Create(kind.Collection(n.Name), cluster); err != nil {
		t.Fatal(err)
	}
	uid := harness.Text(n.Object(t, "raycluster", "ray"), "metadata", "uid")
	queue := make(chan harness.Object)
	var waiting sync.WaitGroup
	begin := time.Now()
	for range creators {
		waiting.Go(func() {
			for pod := range queue {
				if err := n.Create(pod); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for host := range hosts {
		for slice := range slices {
			queue <- rayWorker(uid, slice, host)
		}
	}
	close(queue)
	waiting.Wait()
	took := time.Since(begin)
	workers, err := workersOf(n.Pods(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workers {
		// The pod's name says who it is.
		var slice, host int
		fmt.Sscanf(w.pod, "ray-%d-%d", &slice, &host)
		name := fmt.Sprintf("tpu-%d-%d.ray-headless", slice, host)
		if names := w.names(); w.number("TPU_WORKER_ID") != host || len(names) != hosts || names[host] != name {
			t.Errorf("%s is told %v", w.pod, w.env)
		}
	}
	if err := twice(workers); err != nil || len(workers) != slices*hosts {
		t.Errorf("%d workers: %v", len(workers), err)
	}
	for replica, patched := range webhook.Metric(t, "tpu_admission_fixes_total", `rule="TPU801"`) {
		// Variables, hostname and subdomain.
		t.Logf("replica %d has told %.0f pods", replica, patched/3)
		if patched == 0 {
			t.Errorf("replica %d has told none", replica)
		}
	}
	t.Logf("%d pods of %d slices in %.1f s, all told rightly", len(workers), slices, took.Seconds())
}

// rayWorker is the pod that KubeRay makes for a host of a replica.
func rayWorker(owner string, replica, host int) harness.Object {
	labels := harness.Object{"ray.io/cluster": "ray", "ray.io/group": "tpu", "ray.io/node-type": "worker",
		"ray.io/worker-group-replica-index": fmt.Sprint(replica), "ray.io/replica-host-index": fmt.Sprint(host)}
	return harness.Object{"apiVersion": "v1", "kind": "Pod",
		"metadata": harness.Object{"name": fmt.Sprintf("ray-%d-%d", replica, host), "labels": labels,
			"ownerReferences": []harness.Object{{"apiVersion": "ray.io/v1", "kind": "RayCluster",
				"name": "ray", "uid": owner, "controller": true}}},
		"spec": harness.Object{
			"nodeSelector": harness.Object{"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
				"cloud.google.com/gke-tpu-topology": "16x16"},
			"containers": []harness.Object{{"name": "ray", "image": "ray", "resources": harness.Object{
				"requests": harness.Object{"cpu": "8", "memory": "32Gi"},
				"limits":   harness.Object{"google.com/tpu": "4"}}}}}}
}
