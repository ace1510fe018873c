package harness

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// Machine is a TPU machine type and what a node of it has left for pods once GKE has taken its
// reserve (predicted_allocatable of config/tpu-catalog.yaml) and GKE's DaemonSets their share.
type Machine struct {
	Type        string
	Accelerator string
	Chips       int
	CPUMillis   int
	MemoryMiB   int
}

// The machine types of the scenarios.
var (
	V4x4  = machine("ct4p-hightpu-4t", "tpu-v4-podslice", 4, 239330, 394934)
	V5ex4 = machine("ct5lp-hightpu-4t", "tpu-v5-lite-podslice", 4, 111650, 182575)
	V5ex8 = machine("ct5lp-hightpu-8t", "tpu-v5-lite-podslice", 8, 223370, 372221)
	V5px4 = machine("ct5p-hightpu-4t", "tpu-v5p-slice", 4, 207410, 435422)
	V6ex1 = machine("ct6e-standard-1t", "tpu-v6e-slice", 1, 43820, 166764)
	V6ex4 = machine("ct6e-standard-4t", "tpu-v6e-slice", 4, 179480, 704026)
	V6ex8 = machine("ct6e-standard-8t", "tpu-v6e-slice", 8, 179480, 1415037)
	V7x4  = machine("tpu7x-standard-4t", "tpu7x", 4, 223370, 972630)
)

func machine(kind, accelerator string, chips, cpuMillis, memoryMiB int) Machine {
	const daemonSetsCPUMillis, daemonSetsMemoryMiB = 1000, 2048
	return Machine{kind, accelerator, chips, cpuMillis - daemonSetsCPUMillis, memoryMiB - daemonSetsMemoryMiB}
}

// AddHosts makes the node pool of count nodes, as GKE labels and taints them for a slice of the
// topology, and returns their names. The nodes go when the test ends; no kubelet runs on them.
func (c *ControlPlane) AddHosts(t testing.TB, pool string, m Machine, topology string, count int) []string {
	t.Helper()
	var names []string
	for i := range count {
		name := fmt.Sprintf("gke-%s-%d", pool, i)
		if err := c.Create("/api/v1/nodes", m.Node(name, pool, topology, "us-central1-b")); err != nil {
			t.Fatalf("cannot make the node %s: %v", name, err)
		}
		t.Cleanup(func() { c.Delete("/api/v1/nodes/" + name) })
		names = append(names, name)
	}
	return names
}

// Node is the node as the API server wants it, with all that m has left for pods.
func (m Machine) Node(name, pool, topology, zone string) Object {
	chips := strconv.Itoa(m.Chips)
	resources := Object{
		"cpu":               fmt.Sprintf("%dm", m.CPUMillis),
		"memory":            fmt.Sprintf("%dMi", m.MemoryMiB),
		"ephemeral-storage": "80Gi",
		"google.com/tpu":    chips,
		"pods":              "110",
	}
	return Object{
		"apiVersion": "v1",
		"kind":       "Node",
		"metadata": Object{"name": name, "labels": Object{
			"cloud.google.com/gke-accelerator-count": chips,
			"cloud.google.com/gke-nodepool":          pool,
			"cloud.google.com/gke-tpu-accelerator":   m.Accelerator,
			"cloud.google.com/gke-tpu-topology":      topology,
			"kubernetes.io/hostname":                 name,
			"node.kubernetes.io/instance-type":       m.Type,
			"topology.kubernetes.io/region":          zone[:strings.LastIndex(zone, "-")],
			"topology.kubernetes.io/zone":            zone,
		}},
		"spec": Object{"taints": []Object{
			{"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"},
		}},
		"status": Object{
			"allocatable": resources,
			"capacity":    resources,
			"conditions":  []Object{{"type": "Ready", "status": "True", "reason": "Fake"}},
		},
	}
}

// AddNodes makes nodes without TPUs. They go when the test ends; no kubelet runs on them.
func (c *ControlPlane) AddNodes(t testing.TB, names ...string) {
	t.Helper()
	resources := Object{"cpu": "4", "memory": "16Gi", "ephemeral-storage": "80Gi", "pods": "110"}
	for _, name := range names {
		node := Object{"apiVersion": "v1", "kind": "Node",
			"metadata": Object{"name": name, "labels": Object{"kubernetes.io/hostname": name}},
			"status": Object{"allocatable": resources, "capacity": resources,
				"conditions": []Object{{"type": "Ready", "status": "True", "reason": "Fake"}}}}
		if err := c.Create("/api/v1/nodes", node); err != nil {
			t.Fatalf("cannot make the node %s: %v", name, err)
		}
		t.Cleanup(func() { c.Delete("/api/v1/nodes/" + name) })
	}
}
