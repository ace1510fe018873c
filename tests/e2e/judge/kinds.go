package judge

import (
	"path"

	"tpu-admission.io/e2e/harness"
)

// kind makes an object of a pod set and knows where it goes.
type kind struct {
	name     string
	letter   byte   // its column in the stored verdicts
	resource string // API path of the collection, without "/namespaces/..."
	// owner says whether the object says how many pods a slice has, so that the fault of a wrong
	// count can be put into it; slices, whether it says how many slices there are.
	owner, slices bool
	neighbour     bool // its controller is not part of Kubernetes
	queued        bool // Kueue may manage it
	build         func(p *podSet) object
	pods          func(made object) int // how many pods of the object are judged; nil: as many as a DaemonSet makes
	// With a CronJob comes the Job that it would make at its time.
	also func(made object) (resource string, object object)
}

const namespace = "judge"

func (k *kind) String() string { return k.name }

func (k *kind) path() string { return inNamespace(k.resource) }

// inNamespace("/apis/batch/v1/jobs") is /apis/batch/v1/namespaces/judge/jobs.
func inNamespace(resource string) string {
	return path.Dir(resource) + "/namespaces/" + namespace + "/" + path.Base(resource)
}

// Kinds are all kinds whose controllers run here.
var kinds = []*kind{
	{name: "Pod", letter: 'P', resource: "/api/v1/pods", build: buildPod,
		pods: func(object) int { return 1 }},
	{name: "Job", letter: 'J', resource: "/apis/batch/v1/jobs", owner: true, queued: true, build: buildJob,
		pods: product("spec", "parallelism")},
	{name: "CronJob", letter: 'C', resource: "/apis/batch/v1/cronjobs", owner: true,
		build: buildCronJob, also: jobOf, pods: product("spec", "jobTemplate", "spec", "parallelism")},
	{name: "Deployment", letter: 'D', resource: "/apis/apps/v1/deployments",
		build: replicated("apps/v1", "Deployment"), pods: product("spec", "replicas")},
	{name: "ReplicaSet", letter: 'R', resource: "/apis/apps/v1/replicasets",
		build: replicated("apps/v1", "ReplicaSet"), pods: product("spec", "replicas")},
	{name: "ReplicationController", letter: 'r', resource: "/api/v1/replicationcontrollers",
		build: buildReplicationController, pods: product("spec", "replicas")},
	{name: "StatefulSet", letter: 'S', resource: "/apis/apps/v1/statefulsets", owner: true,
		build: buildStatefulSet, pods: product("spec", "replicas")},
	{name: "DaemonSet", letter: 'd', resource: "/apis/apps/v1/daemonsets", build: buildDaemonSet},
	{name: "JobSet", letter: 'B', resource: "/apis/jobset.x-k8s.io/v1alpha2/jobsets", neighbour: true,
		queued: true, owner: true, slices: true, build: buildJobSet, pods: jobSetPods},
	{name: "LeaderWorkerSet", letter: 'L', resource: leaderWorkerSets, neighbour: true,
		owner: true, slices: true, build: buildLeaderWorkerSet, pods: leaderWorkerSetPods},
	{name: "LeaderWorkerSet with a CPU leader", letter: 'l', resource: leaderWorkerSets, neighbour: true,
		owner: true, slices: true, build: buildLeaderWorkerSetWithCPULeader, pods: leaderWorkerSetPods},
	{name: "RayCluster", letter: 'Y', resource: "/apis/ray.io/v1/rayclusters", neighbour: true,
		queued: true, owner: true, slices: true, build: buildRayCluster, pods: rayPods("spec")},
	{name: "RayJob", letter: 'j', resource: "/apis/ray.io/v1/rayjobs", neighbour: true,
		owner: true, slices: true, build: buildRayJob, pods: rayPods("spec", "rayClusterSpec")},
	{name: "RayService", letter: 's', resource: "/apis/ray.io/v1/rayservices", neighbour: true,
		owner: true, slices: true, build: buildRayService, pods: rayPods("spec", "rayClusterConfig")},
}

const leaderWorkerSets = "/apis/leaderworkerset.x-k8s.io/v1/leaderworkersets"

func named(apiVersion, name string, spec object) object {
	return object{"apiVersion": apiVersion, "kind": name, "metadata": object{}, "spec": spec}
}

func buildPod(p *podSet) object {
	pod := p.template()
	pod["apiVersion"], pod["kind"] = "v1", "Pod"
	return pod
}

func jobSpec(p *podSet) object {
	p.spec["restartPolicy"] = "Never"
	return object{"completionMode": "Indexed", "parallelism": p.count * p.slices,
		"completions": p.count * p.slices, "backoffLimit": 0, "template": p.template()}
}

func buildJob(p *podSet) object { return named("batch/v1", "Job", jobSpec(p)) }

func buildCronJob(p *podSet) object {
	return named("batch/v1", "CronJob",
		object{"schedule": "0 0 31 12 *", "jobTemplate": object{"spec": jobSpec(p)}})
}

// jobOf is what `kubectl create job --from=cronjob/...` does.
func jobOf(cronJob object) (string, object) {
	job := named("batch/v1", "Job", harness.Dig(cronJob, "spec", "jobTemplate", "spec").(object))
	job["metadata"] = object{"name": harness.Text(cronJob, "metadata", "name") + "-now"}
	return inNamespace("/apis/batch/v1/jobs"), job
}

func replicated(apiVersion, name string) func(*podSet) object {
	return func(p *podSet) object { return named(apiVersion, name, replicas(p)) }
}

func replicas(p *podSet) object {
	return object{"replicas": p.count * p.slices, "template": p.template(),
		"selector": object{"matchLabels": object{}}}
}

func buildReplicationController(p *podSet) object {
	spec := replicas(p)
	spec["selector"] = object{}
	return named("v1", "ReplicationController", spec)
}

// All hosts of a slice start together, hence Parallel.
func buildStatefulSet(p *podSet) object {
	spec := replicas(p)
	spec["serviceName"], spec["podManagementPolicy"] = "tpu", "Parallel"
	return named("apps/v1", "StatefulSet", spec)
}

func buildDaemonSet(p *podSet) object {
	spec := replicas(p)
	delete(spec, "replicas")
	return named("apps/v1", "DaemonSet", spec)
}

func buildJobSet(p *podSet) object {
	slices := p.slices
	p.slices = 1
	spec := jobSpec(p)
	p.slices = slices
	delete(spec, "completionMode") // its own webhook sets it
	return named("jobset.x-k8s.io/v1alpha2", "JobSet", object{"replicatedJobs": []object{
		{"name": "w", "replicas": p.slices, "template": object{"spec": spec}}}})
}

func buildLeaderWorkerSet(p *podSet) object {
	return named("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", object{"replicas": p.slices,
		"leaderWorkerTemplate": object{"size": p.count, "workerTemplate": p.template()}})
}

func buildLeaderWorkerSetWithCPULeader(p *podSet) object {
	return named("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", object{"replicas": p.slices,
		"leaderWorkerTemplate": object{"size": p.count + 1, "leaderTemplate": cpuTemplate(),
			"workerTemplate": p.template()}})
}

func cpuTemplate() object {
	return object{"metadata": object{}, "spec": object{"containers": []object{{"name": "head",
		"image": "example.com/head:1", "resources": object{"requests": object{"cpu": "1", "memory": "1Gi"}}}}}}
}

func rayClusterSpec(p *podSet) object {
	return object{
		"headGroupSpec": object{"rayStartParams": object{}, "template": cpuTemplate()},
		"workerGroupSpecs": []object{{"groupName": "tpu", "rayStartParams": object{},
			"replicas": p.slices, "minReplicas": p.slices, "maxReplicas": p.slices,
			"numOfHosts": p.count, "template": p.template()}},
	}
}

func buildRayCluster(p *podSet) object { return named("ray.io/v1", "RayCluster", rayClusterSpec(p)) }

func buildRayJob(p *podSet) object {
	return named("ray.io/v1", "RayJob",
		object{"entrypoint": "python train.py", "rayClusterSpec": rayClusterSpec(p)})
}

func buildRayService(p *podSet) object {
	return named("ray.io/v1", "RayService",
		object{"serveConfigV2": "applications: []", "rayClusterConfig": rayClusterSpec(p)})
}
