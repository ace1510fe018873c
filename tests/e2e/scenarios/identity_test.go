package scenarios

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
	"tpu-admission.io/e2e/judge"
)

// crowded is a control plane with Kueue and the controllers that make workers, of which each gives its
// pods other labels and names.
var (
	crowded     = &shared{name: "crowded", options: harness.Options{ExtendedResourceToleration: true}}
	startedOnce sync.Once
)

// KubeRay 1.6; that of the judge is older, and its pods have no index.
func indexingKubeRay() harness.Neighbour {
	kuberay := judge.Neighbour("kuberay")
	kuberay.Name = "kuberay-indexing"
	return kuberay
}

var trainer = harness.Neighbour{Name: "trainer", Arguments: func(_ string, ports harness.NeighbourPorts) ([]string, error) {
	return []string{fmt.Sprintf("--health-probe-bind-address=127.0.0.1:%d", ports.Probe)}, nil
}}

// site is a namespace of the crowded control plane whose pods run, with two replicas of our server
// in front of it, which serve Jobs too. Never are two of its workers told the same.
type site struct {
	*testing.T
	*harness.Namespace
	webhook *harness.Webhook
}

func newSite(t *testing.T, name string) *site {
	t.Helper()
	n := crowdedNamespace(t, name)
	s := &site{t, n, n.InstallReplicas(t, binary, configurations, 2, "--cluster-mode", "self-managed")}
	n.GiveAddresses(t, func(pods []any) {
		workers, err := workersOf(pods)
		if err == nil {
			err = twice(workers)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return s
}

func crowdedNamespace(t *testing.T, name string) *harness.Namespace {
	t.Helper()
	n := crowded.namespace(t, name)
	startedOnce.Do(func() {
		for _, neighbour := range []harness.Neighbour{judge.Neighbour("jobset"), judge.Neighbour("lws"),
			indexingKubeRay(), trainer, judge.Neighbour("kueue")} {
			if _, err := crowded.plane.StartNeighbour(neighbours, neighbour); err != nil {
				crowded.err = err
			}
		}
	})
	if crowded.err != nil {
		t.Fatal(crowded.err)
	}
	return n
}

// become waits until the workers are what they ought to be, and asks JAX what it makes of it.
func (s *site) become(c crew) []worker {
	s.Helper()
	var workers []worker
	harness.Eventually(s.T, time.Minute, "workers who know each other", func() (err error) {
		if workers, err = workersOf(s.Pods(s.T)); err != nil {
			return err
		}
		return c.check(workers, dns(s.T, s.Namespace))
	})
	askJAX(s.T, workers)
	return workers
}

func (s *site) apply(format string, args ...any) {
	s.Helper()
	if out := s.Apply(s.T, fmt.Sprintf(format, args...)); out.Code != 0 {
		s.Fatal(out)
	}
}

// podOf returns the name of one of the workers' pods.
func podOf(workers []worker) string { return workers[len(workers)/2].pod }

const workerSpec = `{nodeSelector: {cloud.google.com/gke-tpu-accelerator: %s, cloud.google.com/gke-tpu-topology: %s},
  %s containers: [{name: jax, image: jax, resources: {requests: {cpu: "8", memory: 32Gi}, limits: {google.com/tpu: "4"}}}]}`

func v6e(topology, more string) string {
	return fmt.Sprintf(workerSpec, "tpu-v6e-slice", topology, more)
}

const headless = `
apiVersion: v1
kind: Service
metadata: {name: %[1]s}
spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {run: %[1]s}}
---`

const statefulSet = headless + `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: %[1]s}
spec:
  serviceName: %[1]s
  replicas: %[2]d
  podManagementPolicy: Parallel
  selector: {matchLabels: {run: %[1]s}}
  template: {metadata: {labels: {run: %[1]s}}, spec: %[3]s}
`

// Two slices of four; pods that are deleted come back as who they were.
func TestWorkersOfAStatefulSetKnowEachOther(t *testing.T) {
	s := newSite(t, "stateful")
	s.apply(statefulSet, "serve", 8, v6e("4x4", ""))
	c := crew{slices: 2, processes: 4}
	workers := s.become(c)
	for _, w := range workers[:3] {
		s.DeletePod(t, w.pod)
	}
	s.become(c)
	for replica, requests := range s.webhook.Metric(t, "tpu_admission_requests_total", `kind="Pod"`) {
		if requests == 0 {
			t.Errorf("replica %d was never asked", replica)
		}
	}
}

func TestSixtyFourHostsKnowEachOther(t *testing.T) {
	s := newSite(t, "sixty-four")
	s.apply(statefulSet, "serve", 64, v6e("16x16", ""))
	s.become(crew{slices: 1, processes: 64})
}

const indexedJob = headless + `
apiVersion: batch/v1
kind: Job
metadata: {name: %[1]s}
spec:
  completionMode: Indexed
  completions: 4
  parallelism: 4
  template: {metadata: {labels: {run: %[1]s}}, spec: %[2]s}
`

func TestWorkersOfAJobKnowEachOther(t *testing.T) {
	s := newSite(t, "job")
	s.apply(indexedJob, "train", v6e("4x4", "subdomain: train, restartPolicy: Never,"))
	c := crew{slices: 1, processes: 4}
	s.DeletePod(t, podOf(s.become(c)))
	s.become(c)
}

const jobSet = `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: %s}
spec:
  failurePolicy: {maxRestarts: 3}
  %s
  replicatedJobs:
  - name: w
    replicas: 2
    template:
      spec: {parallelism: 4, completions: 4, backoffLimit: 0, template: {spec: %s}}
`

// A pod that is lost ends its Job, and so restarts all of the JobSet.
func TestWorkersOfAJobSetKnowEachOther(t *testing.T) {
	s := newSite(t, "jobset-workers")
	s.apply(jobSet, "ms", "coordinator: {replicatedJob: w}", v6e("4x4", "restartPolicy: Never,"))
	c := crew{slices: 2, processes: 4, together: true}
	before := s.become(c)
	s.DeletePod(t, podOf(before))
	harness.Eventually(t, time.Minute, "the restart of the JobSet", func() error {
		restarts := harness.Dig(s.Object(t, "jobset", "ms"), "status", "restarts")
		if number, _ := restarts.(float64); number != 1 {
			return fmt.Errorf("%v restarts", restarts)
		}
		return nil
	})
	s.become(c)
}

// Slices of which nobody says that they work together are told nothing of each other.
func TestIndependentSlicesOfAJobSetStayApart(t *testing.T) {
	s := newSite(t, "jobset-apart")
	s.apply(jobSet, "runs", "", v6e("4x4", "restartPolicy: Never,"))
	s.become(crew{slices: 2, processes: 4})
}

const pathwaysEnv = `[{name: MEGASCALE_NUM_SLICES, valueFrom: {fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/replicatedjob-replicas']"}}},
  {name: MEGASCALE_SLICE_ID, valueFrom: {fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/job-index']"}}},
  {name: MEGASCALE_COORDINATOR_ADDRESS, valueFrom: {fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/coordinator']"}}}]`

// The JobSet that PathwaysJob makes of itself: its workers are told by it.
// https://github.com/google/pathways-job internal/controller/pathwaysjob_controller.go
func TestPathwaysIsLeftAlone(t *testing.T) {
	s := newSite(t, "pathways")
	spec := strings.Replace(v6e("4x4", "restartPolicy: Never,"), "image: jax,", "image: jax, env: "+pathwaysEnv+",", 1)
	s.apply(jobSet, "pw", "coordinator: {replicatedJob: w}", spec)
	s.untouched(8, 3)
}

const leaderWorkerSet = `
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: llm}
spec: {replicas: 2, leaderWorkerTemplate: {size: 4, workerTemplate: {spec: %s}}}
`

func TestLeaderWorkerSetIsLeftAlone(t *testing.T) {
	s := newSite(t, "lws-workers")
	s.apply(leaderWorkerSet, v6e("4x4", ""))
	s.become(crew{slices: 2, processes: 4})
	s.untouched(8, 5)
}

// untouched fails the test unless there are so many pods, and we have told none of them anything:
// each has the variables that others have written, and no more.
func (s *site) untouched(pods, variables int) {
	s.Helper()
	harness.Eventually(s.T, time.Minute, "the pods", func() error {
		workers, err := workersOf(s.Pods(s.T))
		if err == nil && len(workers) != pods {
			err = fmt.Errorf("%d workers", len(workers))
		}
		for _, w := range workers {
			count := 0
			for name := range w.env {
				if strings.HasPrefix(name, "TPU_") || strings.HasPrefix(name, "MEGASCALE_") {
					count++
				}
			}
			if count != variables {
				s.Fatalf("%s has %v", w.pod, w.env)
			}
		}
		return err
	})
	for _, rule := range []string{"TPU801", "TPU802"} {
		for _, fixes := range s.webhook.Metric(s.T, "tpu_admission_fixes_total", `rule="`+rule+`"`) {
			if fixes != 0 {
				s.Errorf("%s has mended %v pods", rule, fixes)
			}
		}
	}
}

// A cluster name that kuberay-tpu-webhook would cut; two groups, one with two containers a pod.
const rayWorkers = `
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: %s}
spec:
  headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: head, image: ray}]}}}
  workerGroupSpecs:
  - {groupName: tpu, rayStartParams: {}, replicas: 1, minReplicas: 0, maxReplicas: 9, numOfHosts: 4, template: {spec: %s}}
`
const rayName = "a-cluster-with-a-name-of-forty-eight-characters"

// Replicas come several at once; with a lost pod KubeRay makes all of its replica anew.
func TestWorkersOfRayKnowEachOther(t *testing.T) {
	s := newSite(t, "ray")
	s.apply(rayWorkers, rayName, v6e("4x4", ""))
	s.become(crew{slices: 1, processes: 4})
	s.scaleRay(4)
	workers := s.become(crew{slices: 4, processes: 4})
	s.DeletePod(t, podOf(workers))
	harness.Eventually(t, time.Minute, "a new pod in the place of the lost one", func() error {
		now, err := workersOf(s.Pods(t))
		for _, w := range now {
			if w.pod == podOf(workers) {
				return fmt.Errorf("%s is still there", w.pod)
			}
		}
		return err
	})
	s.become(crew{slices: 4, processes: 4})
	s.scaleRay(2)
	s.become(crew{slices: 2, processes: 4})
}

func (s *site) scaleRay(replicas int) {
	s.Helper()
	path := "workerGroupSpecs"
	cluster := s.Object(s.T, "raycluster", rayName)
	groups := harness.List(cluster, "spec", path)
	groups[0].(harness.Object)["replicas"] = replicas
	s.Patch(s.T, "/apis/ray.io/v1", "rayclusters/"+rayName, harness.Object{"spec": harness.Object{path: groups}})
}

const ironwood = `{nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu7x, cloud.google.com/gke-tpu-topology: 2x2x2},
  containers: [%[1]s, %[2]s]}`
const ironwoodContainer = `{name: %s, image: ray, env: [{name: MEGASCALE_NUM_SLICES, value: "2"}],
  resources: {requests: {cpu: "8", memory: 32Gi}, limits: {google.com/tpu: "2"}}}`

// Two containers in each pod, two hosts in each slice, two slices that work together.
func TestWorkersOfRayOnTPU7xKnowEachOther(t *testing.T) {
	s := newSite(t, "ray-tpu7x")
	spec := fmt.Sprintf(ironwood, fmt.Sprintf(ironwoodContainer, "a"), fmt.Sprintf(ironwoodContainer, "b"))
	s.apply(strings.NewReplacer("replicas: 1", "replicas: 2", "numOfHosts: 4", "numOfHosts: 2").Replace(rayWorkers), "iron", spec)
	s.become(crew{slices: 2, processes: 4, together: true})
}

const kubeflowJob = `
apiVersion: kubeflow.org/v1
kind: %s
metadata: {name: tune}
spec: {%sReplicaSpecs: {Worker: {replicas: 4, restartPolicy: OnFailure, template: {spec: %s}}}}
`

// Each worker has a Service of its own, which does not lead to a pod without a node.
func kubeflowSite(t *testing.T, kind, prefix, container string) *site {
	s := newSite(t, strings.ToLower(kind))
	crowded.plane.AddHosts(t, "tune", harness.V6ex4, "4x4", 4)
	s.apply(kubeflowJob, kind, prefix, strings.Replace(v6e("4x4", ""), "name: jax", "name: "+container, 1))
	return s
}

func TestWorkersOfAJAXJobKnowEachOther(t *testing.T) {
	s := kubeflowSite(t, "JAXJob", "jax", "jax")
	c := crew{slices: 1, processes: 4}
	s.DeletePod(t, podOf(s.become(c)))
	s.become(c)
}

// With a worker that is lost a TFJob has failed.
func TestWorkersOfATFJobKnowEachOther(t *testing.T) {
	kubeflowSite(t, "TFJob", "tf", "tensorflow").become(crew{slices: 1, processes: 4})
}

// Without a master, which only an elastic one does: the number of its workers may change.
func TestWorkersOfAPyTorchJobKnowEachOther(t *testing.T) {
	s := newSite(t, "pytorchjob")
	crowded.plane.AddHosts(t, "tune", harness.V6ex4, "4x4", 4)
	job := fmt.Sprintf(kubeflowJob, "PyTorchJob", "pytorch", strings.Replace(v6e("4x4", ""), "name: jax", "name: pytorch", 1))
	s.apply("%s", strings.Replace(job, "spec: {", "spec: {elasticPolicy: {rdzvBackend: c10d, minReplicas: 4, maxReplicas: 4}, ", 1))
	s.become(crew{slices: 1, processes: 4})
}

const mpiJob = headless + `
apiVersion: kubeflow.org/v1
kind: MPIJob
metadata: {name: %[1]s}
spec:
  mpiReplicaSpecs:
    Launcher: {replicas: 1, template: {spec: {containers: [{name: mpi, image: mpi}]}}}
    Worker: {replicas: 4, template: {metadata: {labels: {run: %[1]s}}, spec: %[2]s}}
`

// Its controller makes no Service: the user's leads to the workers.
func TestWorkersOfAnMPIJobKnowEachOther(t *testing.T) {
	s := newSite(t, "mpijob")
	s.apply(mpiJob, "tune", v6e("4x4", "subdomain: tune,"))
	s.become(crew{slices: 1, processes: 4})
}
