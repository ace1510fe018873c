package scenarios

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// trouble is something that keeps a workload from running, made on the real control plane.
type trouble struct {
	cause string // that `why` must name first
	by    string // who really makes it: the scheduler, a controller, or we in the place of a kubelet
	make  func(t *testing.T, s *stuck)
	says  string // in the sentence
}

// stuck is the place where a trouble is made. The Job "train" is asked about unless make says otherwise.
type stuck struct {
	*harness.Namespace
	plane  *harness.ControlPlane
	object string
}

const (
	theScheduler     = "the scheduler"
	kueue            = "Kueue"
	theJobSet        = "JobSet"
	kubeRay          = "KubeRay"
	theJobController = "the Job controller"
	asKubelet        = "we, in the place of a kubelet"
	asAutoscaler     = "we, in the place of the autoscaler"
)

// Those of Kubernetes itself; those of other controllers are in why_neighbours_test.go.
var troubles = []trouble{
	{"deleting", theJobController, func(t *testing.T, s *stuck) {
		s.apply(t, job{finalizer: "example.com/wait"})
		s.Succeed(t, "delete", "job", "train", "--wait=false")
		t.Cleanup(func() {
			s.Kubectl(t, "patch", "job", "train", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
		})
	}, "is being deleted"},
	{"managed-elsewhere", theJobController, func(t *testing.T, s *stuck) {
		s.apply(t, job{spec: "managedBy: example.com/elsewhere"})
	}, "example.com/elsewhere"},
	{"own-fault", theScheduler, func(t *testing.T, s *stuck) {
		s.hosts(t, "own", "4x4", 4)
		s.apply(t, job{chips: 8})
	}, "asks for 8 chips"},
	{"paused", theJobController, func(t *testing.T, s *stuck) {
		s.apply(t, job{parallelism: "0"})
	}, "a count of it is 0"},
	{"suspended", theJobController, func(t *testing.T, s *stuck) {
		s.apply(t, job{spec: "suspend: true"})
	}, "is suspended"},
	{"resource-quota", theJobController, func(t *testing.T, s *stuck) {
		s.Succeed(t, "create", "quota", "none", "--hard=requests.google.com/tpu=0")
		s.apply(t, job{})
	}, "ResourceQuota"},
	{"pod-security", theJobController, func(t *testing.T, s *stuck) {
		s.Succeed(t, "label", "namespace", s.Name, "pod-security.kubernetes.io/enforce=restricted")
		s.apply(t, job{})
	}, "Pod Security"},
	{"service-account", theJobController, func(t *testing.T, s *stuck) {
		s.apply(t, job{pod: "serviceAccountName: nobody"})
	}, "service account"},
	{"pods-refused", theJobController, func(t *testing.T, s *stuck) {
		says(t, s.Apply(t, "{apiVersion: v1, kind: LimitRange, metadata: {name: small}, spec: {limits: "+
			"[{type: Container, max: {cpu: 100m}}]}}"), "created")
		s.apply(t, job{})
	}, "the API server refuses"},
	{"gated", theScheduler, func(t *testing.T, s *stuck) {
		s.apply(t, job{pod: "schedulingGates: [{name: example.com/wait}]"})
	}, "example.com/wait"},
	{"no-scheduler", theScheduler, func(t *testing.T, s *stuck) {
		s.apply(t, job{pod: "schedulerName: nobody"})
	}, "nobody"},
	{"no-node-pool", theScheduler, func(t *testing.T, s *stuck) {
		s.hosts(t, "other", "2x2", 1)
		s.apply(t, job{})
	}, "no node of this cluster has tpu-v6e-slice 4x4 now; it has tpu-v6e-slice 2x2 (1 node of 4 chips)"},
	{"selector-unmet", theScheduler, func(t *testing.T, s *stuck) {
		s.hosts(t, "demand", "4x4", 4)
		s.apply(t, job{selector: `cloud.google.com/gke-spot: "true"`})
	}, "cloud.google.com/gke-spot"},
	{"taint", theScheduler, func(t *testing.T, s *stuck) {
		for _, node := range s.hosts(t, "tainted", "4x4", 4) {
			s.Succeed(t, "taint", "node", node, "team=other:NoSchedule")
		}
		s.apply(t, job{})
	}, "team=other:NoSchedule"},
	{"slice-incomplete", theScheduler, func(t *testing.T, s *stuck) {
		s.hosts(t, "three", "4x4", 3)
		s.apply(t, job{})
	}, "3 of 4 hosts of pool three are Ready"},
	{"node-state", theScheduler, func(t *testing.T, s *stuck) {
		for _, node := range s.hosts(t, "leaving", "4x4", 4) {
			s.Succeed(t, "taint", "node", node, "cloud.google.com/impending-node-termination=:NoSchedule")
		}
		s.apply(t, job{})
	}, "4 of 4 nodes"},
	{"cordoned", theScheduler, func(t *testing.T, s *stuck) {
		s.Succeed(t, "cordon", s.hosts(t, "cordoned", "4x4", 4)[0])
		s.apply(t, job{})
	}, "1 of 4 nodes"},
	{"volume", theScheduler, func(t *testing.T, s *stuck) {
		s.hosts(t, "volume", "4x4", 4)
		s.apply(t, job{pod: "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"})
	}, "a volume"},
	{"device-claim", theScheduler, func(t *testing.T, s *stuck) {
		s.hosts(t, "claims", "4x4", 4)
		says(t, s.Apply(t, claimingJob), "job.batch/train created")
	}, "resource claims"},
	{"pod-affinity", theScheduler, func(t *testing.T, s *stuck) {
		s.hosts(t, "alone", "4x4", 4)
		s.apply(t, job{pod: "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " +
			"[{topologyKey: cloud.google.com/gke-nodepool, labelSelector: {matchLabels: {app: train}}}]}}"})
	}, "other pods"},
	{"chips-in-use", theScheduler, func(t *testing.T, s *stuck) {
		s.hosts(t, "full", "4x4", 4)
		s.apply(t, job{name: "first"})
		s.await(t, "job/first", "starting")
		s.apply(t, job{})
	}, "in use"},
	{"old-pods", theJobController, func(t *testing.T, s *stuck) {
		s.hosts(t, "old", "4x4", 4)
		s.apply(t, job{})
		s.run(t) // no kubelet is there to end them
		s.Succeed(t, "delete", "pods", "--all", "--wait=false")
	}, "4 pods still being deleted"},
	{"machine-full", theScheduler, func(t *testing.T, s *stuck) {
		s.hosts(t, "small", "4x4", 4)
		s.apply(t, job{cpu: "179"})
	}, "cpu"},
	{"scaling-up", asAutoscaler, func(t *testing.T, s *stuck) {
		s.apply(t, job{})
		s.scaling(t, "TriggeredScaleUp", "pod triggered scale-up: [{https://example.com/gke-c-v6e-grp 0->4 (max: 4)}]")
	}, "making nodes"},
	{"autoscaler-stockout", asAutoscaler, func(t *testing.T, s *stuck) {
		s.apply(t, job{})
		s.scaling(t, "FailedScaleUp", "Node scale up in zones us-central1-b associated with this pod failed: GCE out of resources. Pod is at risk of not being scheduled.")
	}, "no such TPUs left"},
	{"autoscaler-failed", asAutoscaler, func(t *testing.T, s *stuck) {
		s.apply(t, job{})
		s.scaling(t, "FailedScaleUp", "Node scale up in zones us-central1-b associated with this pod failed: IP space exhausted. Pod is at risk of not being scheduled.")
	}, "IP space exhausted"},
	{"autoscaler-quota", asAutoscaler, func(t *testing.T, s *stuck) {
		s.apply(t, job{selector: "cloud.google.com/gke-nodepool: v6e"})
		s.scaling(t, "NotTriggerScaleUp", "pod didn't trigger scale-up: 1 in backoff after failed scale-up")
		s.backoff(t)
	}, "quota"},
	{"autoscaler-maximum", asAutoscaler, func(t *testing.T, s *stuck) {
		s.hosts(t, "most", "4x4", 4)
		s.apply(t, job{pod: "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
			"[{matchExpressions: [{key: cloud.google.com/gke-nodepool, operator: NotIn, values: [most]}]}]}}}"})
		s.scaling(t, "NotTriggerScaleUp", "pod didn't trigger scale-up: 1 max node group size reached")
	}, "as large as"},
	{"starting", theScheduler, func(t *testing.T, s *stuck) {
		s.hosts(t, "bound", "4x4", 4)
		s.apply(t, job{})
	}, "being started"},
	{"chips-refused", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "refusing", "4x4", 4)
		s.apply(t, job{spec: "backoffLimit: 0"})
		s.status(t, 0, `{"phase": "Failed", "reason": "UnexpectedAdmissionError", "message": "Allocate failed due to `+
			`rpc error: invalid TPU chip count request"}`)
	}, "refused on the node"},
	{"node-refused", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "fuller", "4x4", 4)
		s.apply(t, job{spec: "backoffLimit: 0"})
		s.status(t, 0, `{"phase": "Failed", "reason": "OutOfcpu", "message": "Node didn't have enough resource: cpu"}`)
	}, "OutOfcpu"},
	{"image", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "pulling", "4x4", 4)
		s.apply(t, job{})
		s.status(t, 0, container(`{"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}}`))
	}, "an image cannot be pulled"},
	{"container-config", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "configuring", "4x4", 4)
		s.apply(t, job{})
		s.status(t, 0, container(`{"waiting": {"reason": "CreateContainerConfigError", "message": "secret \"token\" not found"}}`))
	}, "a container cannot be made"},
	{"mount", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "mounting", "4x4", 4)
		s.apply(t, job{})
		s.status(t, 0, `{"phase": "Pending"}`)
		s.event(t, "kubelet", "FailedMount", "MountVolume.SetUp failed for volume \"data\": secret \"token\" not found")
	}, "cannot be mounted"},
	{"sandbox", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "networking", "4x4", 4)
		s.apply(t, job{})
		s.status(t, 0, `{"phase": "Pending"}`)
		s.event(t, "kubelet", "FailedCreatePodSandBox", "Failed to create pod sandbox: plugin type \"cilium-cni\" failed")
	}, "cannot start its pods"},
	{"crash", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "crashing", "4x4", 4)
		s.apply(t, job{})
		s.status(t, 0, container(`{"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}}`))
	}, "ends"},
	{"out-of-memory", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "memory", "4x4", 4)
		s.apply(t, job{})
		s.status(t, 0, container(`{"terminated": {"reason": "OOMKilled", "exitCode": 137}}`))
	}, "memory"},
	{"node-lost", asKubelet, func(t *testing.T, s *stuck) {
		nodes := s.hosts(t, "lost", "4x4", 4)
		s.apply(t, job{})
		s.await(t, "job/train", "starting")
		for _, node := range nodes {
			if err := s.plane.Patch("/api/v1/nodes/"+node+"/status", object{"status": object{"conditions": []object{
				{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}}}}); err != nil {
				t.Fatal(err)
			}
		}
	}, "is not Ready"},
	{"evicted", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "pressed", "4x4", 4)
		s.apply(t, job{spec: "backoffLimit: 0"})
		s.status(t, 0, `{"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory.", "conditions": [`+
			`{"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet", "message": "low on memory"}]}`)
	}, "lost the node"},
	{"gang-incomplete", "the StatefulSet controller", func(t *testing.T, s *stuck) {
		s.hosts(t, "ordered", "4x4", 4)
		s.object = "statefulset/train"
		says(t, s.Apply(t, orderedSet), "created")
		s.podStatus(t, "train-0", `{"phase": "Running", "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}]}`)
	}, "1 of 4 pods run"},
	{"not-ready", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "probing", "4x4", 4)
		s.apply(t, job{})
		s.run(t)
		s.status(t, 2, `{"phase": "Running", "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}]}`)
	}, "is not ready"},
	{"finished", theJobController, func(t *testing.T, s *stuck) {
		s.hosts(t, "done", "4x4", 4)
		s.apply(t, job{})
		for i := range 4 {
			s.status(t, i, `{"phase": "Succeeded"}`)
		}
	}, "has finished"},
	{"failed", theJobController, func(t *testing.T, s *stuck) {
		s.apply(t, job{spec: "activeDeadlineSeconds: 1"})
	}, "DeadlineExceeded"},
	{"worker-names", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "names", "4x4", 4)
		s.apply(t, job{env: `{name: TPU_WORKER_HOSTNAMES, value: "a,b,c"}`})
		s.run(t)
	}, "names 3 hosts, and the slice has 4"},
	{"own-doubt", asKubelet, func(t *testing.T, s *stuck) {
		s.hosts(t, "doubt", "4x4", 4)
		s.apply(t, job{pod: "hostNetwork: true"})
		s.run(t)
	}, "TPU701"},
	{"slice-split", theScheduler, func(t *testing.T, s *stuck) {
		s.hosts(t, "left", "4x4", 2)
		s.hosts(t, "right", "4x4", 2)
		s.apply(t, job{})
		s.run(t)
	}, "2 node pools"},
}

// Nothing here gives devices.
const claimingJob = `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: tpu.google.com}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: chips}
spec: {spec: {devices: {requests: [{name: tpu, exactly: {deviceClassName: tpu.google.com, count: 4}}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      subdomain: train
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}
      tolerations: [{key: google.com/tpu, operator: Exists}]
      resourceClaims: [{name: tpu, resourceClaimTemplateName: chips}]
      containers: [{name: jax, image: python, resources: {requests: {cpu: "1", memory: 1Gi}, claims: [{name: tpu}]}}]
`

// Its pods come one after the other, each when the one before is ready.
const orderedSet = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: train}
spec:
  replicas: 4
  serviceName: train
  selector: {matchLabels: {app: train}}
  template:
    metadata: {labels: {app: train}}
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}
      containers: [{name: jax, image: python, resources: {limits: {google.com/tpu: 4}}}]
`

// What a Job's pod is called, and where it lies, is another name each time.
var otherNames = regexp.MustCompile(`(train(?:-w-0)?-\d)-[a-z0-9]{5}\b|(gke-[a-z]+)-\d\b`)

// Every cause that is made here is the first that `why` names. What it says of each is a table of
// docs/live.md (UPDATE_DOCS=1 writes it).
func TestWhyNamesTheCause(t *testing.T) {
	var table strings.Builder
	table.WriteString("| made by | cause | what it says |\n|---|---|---|\n")
	tell := func(t *testing.T, trouble trouble, s *stuck) {
		trouble.make(t, s)
		first := s.await(t, s.object, trouble.cause)
		if !strings.Contains(first.Text, trouble.says) {
			t.Errorf("%q is not in %q", trouble.says, first.Text)
		}
		text := otherNames.ReplaceAllString(first.Text, "$1$2-...")
		fmt.Fprintf(&table, "| %s | `%s` | %s |\n", trouble.by, first.Cause, text)
	}
	for _, trouble := range troubles {
		t.Run(trouble.cause, func(t *testing.T) { tell(t, trouble, stuckIn(t, likeGKE, trouble.cause)) })
	}
	for _, trouble := range neighbourTroubles {
		t.Run(trouble.cause, func(t *testing.T) {
			name := "why-" + strings.ToLower(strings.ReplaceAll(filepath.Base(t.Name()), "#", "-"))
			tell(t, trouble, &stuck{Namespace: crowdedNamespace(t, name), plane: crowded.plane, object: "job/train"})
		})
	}
	if !t.Failed() && len(troubles)+len(neighbourTroubles) == strings.Count(table.String(), "\n")-2 {
		compareTable(t, table.String())
	}
}

// Without GKE's admission plugin nothing adds the toleration.
func TestWhyNamesTheTaintOfTPUs(t *testing.T) {
	s := stuckIn(t, plain, "untolerated")
	s.hosts(t, "untolerated", "4x4", 4)
	s.apply(t, job{})
	s.await(t, "job/train", "toleration-missing")
}

func TestWhySaysThatItRuns(t *testing.T) {
	s := stuckIn(t, likeGKE, "running")
	s.hosts(t, "running", "4x4", 4)
	s.apply(t, job{})
	s.run(t)
	harness.Eventually(t, 20*time.Second, "it to run", func() error {
		return contains(s.Ours(t, binary, "why", "job/train"), "Job \"train\" in namespace why-running runs: 4 of 4 pods run.")
	})
}

// Whoever may read little reads what is left out; whoever may not read the object, why.
func TestWhyOfLittleRights(t *testing.T) {
	s := stuckIn(t, likeGKE, "rights")
	s.apply(t, job{})
	out := s.Ours(t, binary, "why", "job/none")
	if out.Code != 2 || contains(out, `jobs.batch "none" not found`) != nil {
		t.Errorf("exit code %d of\n%s", out.Code, out)
	}
	if out := s.Ours(t, binary, "why", "nonsense/train"); out.Code != 2 || contains(out, "doesn't have a resource type") != nil {
		t.Errorf("exit code %d of\n%s", out.Code, out)
	}
}

// The scan of what is in the cluster, through the real kubectl.
func TestScan(t *testing.T) {
	s := stuckIn(t, likeGKE, "scan")
	s.apply(t, job{chips: 8})
	s.apply(t, job{name: "sound"})
	out := s.Ours(t, binary, "scan", "--namespace", s.Name)
	says(t, out, "namespace why-scan", `Job "train"`, "denied: ", "TPU301", "2 TPU workloads: 1 denied")
	if out.Code != 1 {
		t.Errorf("exit code %d of\n%s", out.Code, out)
	}
}

func stuckIn(t *testing.T, plane *shared, name string) *stuck {
	n := plane.namespace(t, "why-"+name)
	return &stuck{Namespace: n, plane: plane.plane, object: "job/train"}
}

func (s *stuck) hosts(t *testing.T, pool, topology string, count int) []string {
	return s.plane.AddHosts(t, pool, harness.V6ex4, topology, count)
}

// job is a Job of four workers on a slice of v6e 4x4, and what differs in it.
type job struct {
	name, parallelism, cpu, spec, pod, selector, env, finalizer string
	labels, annotations                                         string // the latter of its pods
	chips                                                       int
}

func (s *stuck) apply(t *testing.T, j job) {
	t.Helper()
	or := func(text, otherwise string) string {
		if text == "" {
			return otherwise
		}
		return text
	}
	if j.chips == 0 {
		j.chips = 4
	}
	says(t, s.Apply(t, fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: %s, finalizers: [%s], labels: {%s}}
spec:
  parallelism: %s
  completions: 4
  completionMode: Indexed
  %s
  template:
    metadata: {labels: {app: train}, annotations: {%s}}
    spec:
      restartPolicy: Never
      subdomain: train
      %s
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 4x4
        %s
      containers:
      - name: jax
        image: python
        env: [%s]
        resources:
          requests: {cpu: "%s", memory: 1Gi, google.com/tpu: %d}
          limits: {google.com/tpu: %d}
`, or(j.name, "train"), j.finalizer, j.labels, or(j.parallelism, "4"), j.spec, j.annotations, j.pod, j.selector, j.env, or(j.cpu, "1"), j.chips, j.chips)), "created")
}

// cause is one of `why --output json`.
type cause struct {
	Cause, Text, Do string
	Evidence        []string
}

// await returns when `why` names the cause first, with what it says.
func (s *stuck) await(t *testing.T, object, want string) (first cause) {
	t.Helper()
	harness.Eventually(t, 30*time.Second, want+" to be the first cause", func() error {
		out := s.Ours(t, binary, "why", object, "--output", "json")
		var report struct {
			Causes   []cause
			Not_read []string
		}
		if err := json.Unmarshal([]byte(out.Stdout), &report); err != nil {
			return fmt.Errorf("%v: %s", err, out)
		}
		if len(report.Causes) == 0 || report.Causes[0].Cause != want || len(report.Not_read) > 0 {
			return fmt.Errorf("%s", out)
		}
		first = report.Causes[0]
		if first.Do == "" || len(first.Evidence) == 0 {
			return fmt.Errorf("nothing to do, or no evidence: %s", out)
		}
		return nil
	})
	return first
}

// pods returns the four pods of the Job when they are there, by their index.
func (s *stuck) pods(t *testing.T) []any {
	t.Helper()
	pods := make([]any, 4)
	harness.Eventually(t, 20*time.Second, "the pods", func() error {
		for _, pod := range s.Pods(t) {
			var index int
			if _, err := fmt.Sscan(harness.Text(pod, "metadata", "annotations", "batch.kubernetes.io/job-completion-index"), &index); err == nil {
				pods[index] = pod
			}
		}
		for _, pod := range pods {
			if pod == nil {
				return fmt.Errorf("some are missing")
			}
		}
		return nil
	})
	return pods
}

// status writes the status of a pod, once it is bound, as the kubelet of its node would.
func (s *stuck) status(t *testing.T, index int, status string) {
	t.Helper()
	s.podStatus(t, harness.Text(s.pods(t)[index], "metadata", "name"), status)
}

func (s *stuck) podStatus(t *testing.T, name, status string) {
	t.Helper()
	harness.Eventually(t, 20*time.Second, "the pod to be bound", func() error {
		out := s.Kubectl(t, "get", "pod", name, "-o", "jsonpath={.spec.nodeName}")
		if out.Code != 0 || out.Stdout == "" {
			return fmt.Errorf("%s has no node: %s", name, out)
		}
		return nil
	})
	s.Succeed(t, "patch", "pod", name, "--subresource=status", "--type=merge", "-p", `{"status": `+status+`}`)
}

func container(state string) string {
	return `{"containerStatuses": [{"name": "jax", "image": "python", "imageID": "", "ready": false, "restartCount": 1, "state": ` + state + `}]}`
}

func (s *stuck) run(t *testing.T) {
	t.Helper()
	for i := range 4 {
		s.status(t, i, `{"phase": "Running"}`)
	}
}

// scaling writes an event about the first pod, as the autoscaler does, once the scheduler has found no node.
func (s *stuck) scaling(t *testing.T, reason, message string) {
	t.Helper()
	harness.Eventually(t, 20*time.Second, "the scheduler's verdict", func() error {
		return contains(s.Succeed(t, "get", "events", "--field-selector", "reason=FailedScheduling"), "FailedScheduling")
	})
	s.event(t, "cluster-autoscaler", reason, message)
}

// event writes one about the first pod.
func (s *stuck) event(t *testing.T, component, reason, message string) {
	t.Helper()
	pod := s.pods(t)[0]
	now := time.Now().UTC().Format(time.RFC3339)
	if err := s.plane.Create("/api/v1/namespaces/"+s.Name+"/events", object{
		"metadata": object{"generateName": component + "-"},
		"involvedObject": object{"kind": "Pod", "namespace": s.Name, "name": harness.Text(pod, "metadata", "name"),
			"uid": harness.Text(pod, "metadata", "uid")},
		"reason": reason, "message": message, "type": "Normal", "firstTimestamp": now, "lastTimestamp": now, "count": 1,
		"source": object{"component": component}}); err != nil {
		t.Fatal(err)
	}
}

// backoff writes the autoscaler's status with a group that the project's quota does not allow.
func (s *stuck) backoff(t *testing.T) {
	t.Helper()
	const path = "/api/v1/namespaces/kube-system/configmaps"
	status := "nodeGroups:\n- name: https://example.com/gke-c-v6e-1234-grp\n  scaleUp:\n    status: Backoff\n" +
		"    backoffInfo:\n      errorCode: QUOTA_EXCEEDED\n      errorMessage: Quota 'TPUS' exceeded\n"
	if err := s.plane.Create(path, object{"metadata": object{"name": "cluster-autoscaler-status"},
		"data": object{"status": status}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.plane.Delete(path + "/cluster-autoscaler-status") })
}

const (
	tableBegin = "<!-- scenarios -->\n"
	tableEnd   = "<!-- /scenarios -->"
)

// compareTable holds the table against that of docs/live.md, or writes it.
func compareTable(t *testing.T, table string) {
	t.Helper()
	path := filepath.Join(root, "docs", "live.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !found || !ended {
		t.Fatalf("%s has no %s", path, strings.TrimSpace(tableBegin))
	}
	page := before + tableBegin + "\n" + table + "\n" + tableEnd + after
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if page != string(text) {
		t.Errorf("the table of %s is not what these runs say; UPDATE_DOCS=1 writes it:\n%s", path, table)
	}
}
