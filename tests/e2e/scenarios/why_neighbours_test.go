package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// queue is a LocalQueue named team and what is behind it. Texts are parts of specs.
type queue struct {
	chips         int
	flavor, quota string // of the ResourceFlavor and of the ClusterQueue
}

const queueObjects = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: pools}
spec: {levels: [{nodeLabel: cloud.google.com/gke-nodepool}, {nodeLabel: kubernetes.io/hostname}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: %[2]s}
spec: {nodeLabels: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice}%[3]s}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: %[1]s}
spec:
  namespaceSelector: {}
  %[4]s
  resourceGroups:
  - coveredResources: [cpu, memory, google.com/tpu]
    flavors:
    - name: %[2]s
      resources:
      - {name: cpu, nominalQuota: "1000"}
      - {name: memory, nominalQuota: 1000Gi}
      - {name: google.com/tpu, nominalQuota: "%[5]d"}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team}
spec: {clusterQueue: %[1]s}
`

func (s *stuck) queue(t *testing.T, q queue) {
	t.Helper()
	flavor := "v6e"
	if q.flavor != "" {
		flavor = "v6e-pools"
	}
	says(t, s.Apply(t, fmt.Sprintf(queueObjects, s.Name, flavor, q.flavor, q.quota, q.chips)),
		"localqueue.kueue.x-k8s.io/team created")
	t.Cleanup(func() { s.Kubectl(t, "delete", "clusterqueue", s.Name, "--wait=false") })
}

const inPools = ", topologyName: pools" // to be told from what has no topology

// queued is a Job in the queue, which Kueue's webhook suspends.
var queued = job{labels: "kueue.x-k8s.io/queue-name: team"}

// queuedAfter applies the Job when another of its kind has what the queue has.
func (s *stuck) queuedAfter(t *testing.T, j job) {
	t.Helper()
	first := queued
	first.name = "first"
	s.apply(t, first)
	s.admitted(t, "first")
	s.apply(t, j)
}

func (s *stuck) admitted(t *testing.T, name string) {
	t.Helper()
	s.Succeed(t, "wait", "job", name, "--for=jsonpath={.spec.suspend}=false", "--timeout=20s")
}

// onOnePool wants all its pods in one domain of the topology. Kueue reads the tolerations of the template.
func onOnePool(level, cpu string) job {
	j := queued
	j.annotations, j.cpu = "kueue.x-k8s.io/podset-required-topology: "+level, cpu
	j.pod = "tolerations: [{key: google.com/tpu, operator: Exists}]"
	return j
}

var neighbourTroubles = []trouble{
	{"kueue-queue-missing", kueue, func(t *testing.T, s *stuck) {
		s.apply(t, queued)
	}, `the queue "team"`},
	{"kueue-queue-inactive", kueue, func(t *testing.T, s *stuck) {
		s.queue(t, queue{chips: 16, quota: "stopPolicy: Hold"})
		s.apply(t, queued)
	}, "inactive"},
	{"kueue-never-fits", kueue, func(t *testing.T, s *stuck) {
		s.queue(t, queue{chips: 8})
		s.apply(t, queued)
	}, "can never give"},
	{"kueue-never-fits", kueue, func(t *testing.T, s *stuck) {
		s.queue(t, queue{chips: 16, flavor: inPools})
		s.hosts(t, "levels", "4x4", 4)
		s.apply(t, onOnePool("cloud.google.com/gke-tpu-slice-4x4-id", ""))
	}, "has no such level"},
	{"kueue-taint", kueue, func(t *testing.T, s *stuck) {
		s.queue(t, queue{chips: 16, flavor: inPools})
		s.hosts(t, "tainted", "4x4", 4)
		j := onOnePool("cloud.google.com/gke-nodepool", "")
		j.pod = ""
		s.apply(t, j)
	}, "does not tolerate the taint google.com/tpu=present:NoSchedule"},
	{"kueue-topology", kueue, func(t *testing.T, s *stuck) {
		s.queue(t, queue{chips: 16, flavor: inPools})
		s.hosts(t, "left", "4x4", 2)
		s.hosts(t, "right", "4x4", 2)
		s.apply(t, onOnePool("cloud.google.com/gke-nodepool", ""))
	}, "room for all its pods"},
	{"kueue-topology", kueue, func(t *testing.T, s *stuck) {
		s.queue(t, queue{chips: 16, flavor: inPools})
		s.hosts(t, "whole", "4x4", 4)
		s.apply(t, onOnePool("cloud.google.com/gke-nodepool", "179"))
	}, "room for all its pods"},
	{"kueue-quota", kueue, func(t *testing.T, s *stuck) {
		s.queue(t, queue{chips: 16})
		s.queuedAfter(t, queued)
	}, "flavor v6e has 16 of 16 chips in use"},
	{"kueue-check", kueue, func(t *testing.T, s *stuck) {
		says(t, s.Apply(t, "{apiVersion: kueue.x-k8s.io/v1beta2, kind: AdmissionCheck, metadata: {name: capacity}, "+
			"spec: {controllerName: example.com/capacity}}"), "capacity created")
		s.Succeed(t, "patch", "admissioncheck", "capacity", "--subresource=status", "--type=merge", "-p", `{"status": {"conditions": [`+
			`{"type": "Active", "status": "True", "reason": "Ready", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}`)
		s.queue(t, queue{chips: 16, quota: "admissionChecksStrategy: {admissionChecks: [{name: capacity}]}"})
		s.apply(t, queued)
	}, `its admission check "capacity" is Pending`},
	{"kueue-deactivated", kueue, func(t *testing.T, s *stuck) {
		s.queue(t, queue{chips: 8})
		s.apply(t, queued)
		s.await(t, "job/train", "kueue-never-fits")
		name := strings.TrimSpace(s.Succeed(t, "get", "workloads", "-o", "name").Stdout)
		s.Succeed(t, "patch", name, "--type=merge", "-p", `{"spec":{"active":false}}`)
	}, "deactivated"},
	{"kueue-evicted", kueue, func(t *testing.T, s *stuck) {
		says(t, s.Apply(t, "{apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, metadata: {name: urgent}, value: 1000}"),
			"urgent created")
		s.queue(t, queue{chips: 16, quota: "preemption: {withinClusterQueue: LowerPriority}"})
		s.apply(t, queued)
		s.admitted(t, "train")
		s.apply(t, job{name: "urgent", labels: queued.labels + ", kueue.x-k8s.io/priority-class: urgent"})
	}, "Preempted"},
	{"kueue-waiting", kueue, func(t *testing.T, s *stuck) {
		s.queue(t, queue{chips: 16, quota: "queueingStrategy: StrictFIFO"})
		second := queued
		second.name = "second"
		s.queuedAfter(t, second)
		s.await(t, "job/second", "kueue-quota")
		time.Sleep(time.Second) // Kueue orders by the time of creation, which has whole seconds
		s.apply(t, queued)
	}, `waits in the queue "team"`},
	{"gated", kueue, func(t *testing.T, s *stuck) {
		s.queue(t, queue{chips: 16, flavor: inPools})
		s.hosts(t, "gated", "4x4", 4)
		j := onOnePool("", "")
		j.annotations = `kueue.x-k8s.io/podset-slice-required-topology: cloud.google.com/gke-nodepool, kueue.x-k8s.io/podset-slice-size: "3"`
		s.apply(t, j)
	}, "kueue.x-k8s.io/topology"},
	{"kueue-not-managed", kueue, func(t *testing.T, s *stuck) {
		s.object = "rayjob/train"
		says(t, s.Apply(t, "{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: train, labels: {kueue.x-k8s.io/queue-name: team}}, "+
			"spec: {suspend: true, shutdownAfterJobFinishes: true, entrypoint: python train.py, rayClusterSpec: "+rayClusterSpec+"}}"), "created")
	}, "does not know it"},
	{"suspended", theJobSet, func(t *testing.T, s *stuck) {
		s.jobSet(t, "suspend: true")
	}, "is suspended"},
	{"failed", theJobSet, func(t *testing.T, s *stuck) {
		s.hosts(t, "failing", "4x4", 4)
		s.jobSet(t, "failurePolicy: {maxRestarts: 0}")
		for i := range 4 { // the Job has failed when all have ended
			s.status(t, i, `{"phase": "Failed"}`)
		}
	}, "ReachedMaxRestarts"},
	{"pods-refused", theJobSet, func(t *testing.T, s *stuck) {
		says(t, s.Apply(t, "{apiVersion: v1, kind: LimitRange, metadata: {name: small}, spec: {limits: "+
			"[{type: Container, max: {google.com/tpu: 1}}]}}"), "created")
		s.jobSet(t, "")
	}, "the API server refuses"},
	{"suspended", kubeRay, func(t *testing.T, s *stuck) {
		s.rayCluster(t, "suspend: true, ")
	}, "is suspended"},
	{"no-node-pool", kubeRay, func(t *testing.T, s *stuck) {
		s.hosts(t, "pair", "2x4", 2)
		s.rayCluster(t, "")
	}, "no node of this cluster has tpu-v6e-slice 4x4 now"},
	{"init-waits", kubeRay, func(t *testing.T, s *stuck) {
		s.hosts(t, "ray", "4x4", 4)
		s.plane.AddNodes(t, "ray-head")
		s.rayCluster(t, "")
		s.podStatus(t, s.rayWorker(t), `{"phase": "Pending", "initContainerStatuses": [{"name": "wait-gcs-ready", "image": "ray", `+
			`"imageID": "", "ready": false, "restartCount": 0, "started": true, "state": {"running": {}}}]}`)
	}, `init container "wait-gcs-ready" has not ended`},
	{"no-controller", "nobody", func(t *testing.T, s *stuck) {
		s.object = "xgboostjob/train"
		says(t, s.Apply(t, xgboostJob), "created")
	}, "the controller of XGBoostJob does not run"},
}

func (s *stuck) jobSet(t *testing.T, spec string) {
	t.Helper()
	s.object = "jobset/train"
	says(t, s.Apply(t, fmt.Sprintf(`
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  %s
  replicatedJobs:
  - name: w
    template:
      spec:
        parallelism: 4
        completions: 4
        backoffLimit: 0
        template: {spec: %s}
`, spec, strings.Replace(workerPod, "{", "{restartPolicy: Never, ", 1))), "created")
}

const (
	workerPod = `{nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4},
  containers: [{name: jax, image: python, resources: {limits: {google.com/tpu: 4}}}]}`
	rayClusterSpec = `{headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: head, image: ray}]}}},
  workerGroupSpecs: [{groupName: tpu, replicas: 1, minReplicas: 1, maxReplicas: 1, numOfHosts: 4, rayStartParams: {}, template: {spec: ` +
		workerPod + `}}]}`
	xgboostJob = `
apiVersion: kubeflow.org/v1
kind: XGBoostJob
metadata: {name: train}
spec:
  xgbReplicaSpecs:
    Master:
      replicas: 4
      template: {spec: {nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4},
        containers: [{name: xgboost, image: python, resources: {limits: {google.com/tpu: 4}}}]}}
`
)

func (s *stuck) rayCluster(t *testing.T, more string) {
	t.Helper()
	s.object = "raycluster/train"
	says(t, s.Apply(t, "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: train}, spec: "+
		strings.Replace(rayClusterSpec, "{", "{"+more, 1)+"}"), "created")
}

// rayWorker is the name of a worker's pod, once there is one.
func (s *stuck) rayWorker(t *testing.T) (name string) {
	t.Helper()
	harness.Eventually(t, 20*time.Second, "a worker of Ray", func() error {
		name = s.Succeed(t, "get", "pods", "-l", "ray.io/node-type=worker", "-o", "jsonpath={.items[*].metadata.name}").Stdout
		name, _, _ = strings.Cut(name, " ")
		if name == "" {
			return fmt.Errorf("there is none")
		}
		return nil
	})
	return name
}
