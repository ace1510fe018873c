package judge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tpu-admission.io/e2e/harness"
)

var (
	create         = []string{"CREATE"}
	createOrUpdate = []string{"CREATE", "UPDATE"}
)

// The controllers of the custom resources. Their webhooks are those that they install themselves:
// they set what their controllers count on. KubeRay's are off by default, and so they are here.
var neighbours = []harness.Neighbour{
	{Name: "jobset", Arguments: configured("config.jobset.x-k8s.io/v1alpha1", ""),
		Webhooks: []harness.NeighbourWebhook{
			{Path: "/mutate-jobset-x-k8s-io-v1alpha2-jobset", Group: "jobset.x-k8s.io", Version: "v1alpha2",
				Resource: "jobsets", Operations: create, Mutates: true},
			{Path: "/validate-jobset-x-k8s-io-v1alpha2-jobset", Group: "jobset.x-k8s.io", Version: "v1alpha2",
				Resource: "jobsets", Operations: createOrUpdate},
			{Path: "/mutate--v1-pod", Version: "v1", Resource: "pods", Operations: create, Mutates: true,
				ObjectLabel: "jobset.sigs.k8s.io/jobset-name"},
			{Path: "/validate--v1-pod", Version: "v1", Resource: "pods", Operations: create,
				ObjectLabel: "jobset.sigs.k8s.io/jobset-name"},
		}},
	{Name: "lws", Arguments: configured("config.lws.x-k8s.io/v1alpha1", ""),
		Webhooks: []harness.NeighbourWebhook{
			{Path: "/mutate-leaderworkerset-x-k8s-io-v1-leaderworkerset", Group: "leaderworkerset.x-k8s.io",
				Version: "v1", Resource: "leaderworkersets", Operations: createOrUpdate, Mutates: true},
			{Path: "/validate-leaderworkerset-x-k8s-io-v1-leaderworkerset", Group: "leaderworkerset.x-k8s.io",
				Version: "v1", Resource: "leaderworkersets", Operations: createOrUpdate},
			{Path: "/mutate--v1-pod", Version: "v1", Resource: "pods", Operations: create, Mutates: true,
				ObjectLabel: "leaderworkerset.sigs.k8s.io/name"},
			{Path: "/validate--v1-pod", Version: "v1", Resource: "pods", Operations: createOrUpdate,
				ObjectLabel: "leaderworkerset.sigs.k8s.io/name"},
		}},
	// Its webhooks see only what names a queue.
	{Name: "kueue", Arguments: configured("config.kueue.x-k8s.io/v1beta2",
		"integrations: {frameworks: [batch/job, jobset.x-k8s.io/jobset, ray.io/raycluster]}"),
		Webhooks: slices.Concat(
			queueWebhooks("batch-v1-job", "batch", "v1", "jobs"),
			queueWebhooks("jobset-x-k8s-io-v1alpha2-jobset", "jobset.x-k8s.io", "v1alpha2", "jobsets"),
			queueWebhooks("ray-io-v1-raycluster", "ray.io", "v1", "rayclusters"))},
	{Name: "kuberay", Arguments: func(_ string, ports harness.NeighbourPorts) ([]string, error) {
		return []string{"--enable-leader-election=false", "--metrics-addr=0",
			fmt.Sprintf("--health-probe-bind-address=127.0.0.1:%d", ports.Probe),
			"--reconcile-concurrency=10", "--qps=1000", "--burst=2000"}, nil
	}},
}

func queueWebhooks(path, group, version, resource string) []harness.NeighbourWebhook {
	return []harness.NeighbourWebhook{
		{Path: "/mutate-" + path, Group: group, Version: version, Resource: resource, Operations: create,
			Mutates: true, ObjectLabel: queueLabel},
		{Path: "/validate-" + path, Group: group, Version: version, Resource: resource,
			Operations: createOrUpdate, ObjectLabel: queueLabel},
	}
}

// configured writes the configuration file that all of them but KubeRay have in common, and more.
func configured(apiVersion, more string) func(string, harness.NeighbourPorts) ([]string, error) {
	return func(dir string, ports harness.NeighbourPorts) ([]string, error) {
		path := filepath.Join(dir, "config.yaml")
		text := fmt.Sprintf(configuration, apiVersion, ports.Webhook, dir, ports.Probe) + more
		return []string{"--config=" + path}, os.WriteFile(path, []byte(text), 0o644)
	}
}

const configuration = `apiVersion: %s
kind: Configuration
leaderElection: {leaderElect: false}
internalCertManagement: {enable: false}
webhook: {host: 127.0.0.1, port: %d, certDir: %q}
metrics: {bindAddress: "0"}
health: {healthProbeBindAddress: "127.0.0.1:%d"}
clientConnection: {qps: 1000, burst: 2000}
`

// Neighbour returns the controller of that name.
func Neighbour(name string) harness.Neighbour {
	return neighbours[slices.IndexFunc(neighbours, func(n harness.Neighbour) bool { return n.Name == name })]
}
