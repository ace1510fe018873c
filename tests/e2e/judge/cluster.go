package judge

import (
	"fmt"
	"sync"

	"tpu-admission.io/e2e/harness"
)

// How many nodes there are at least of each shape, and of those without TPUs.
const (
	leastNodes = 17
	cpuNodes   = 12
)

// Fill makes nodes of every shape, enough for the largest case of mostHosts hosts a slice, and some
// without TPUs. It returns how many there are for each pair of labels; where two machines carry the
// same labels, how many there are of the rarer one.
func Fill(api *harness.API, catalog *Catalog, mostHosts int) (map[Pair]int, error) {
	var nodes []object
	room := map[Pair]int{}
	for _, s := range catalog.Shapes() {
		count := max(leastNodes, mostHosts) // pods of a case may be sent to any shape
		if s.Hosts == 1 {                   // a repair may give each pod of the largest case a host of its own
			count = max(count, 2*mostHosts+1)
		} else if s.Hosts <= mostHosts {
			count = max(count, 2*s.Hosts+1)
		}
		nodes = append(nodes, s.nodes(count, s.Generation.zone())...)
		if known, ok := room[s.labels()]; !ok || count < known {
			room[s.labels()] = count
		}
		if second := s.Generation.secondZone(); second != "" && s.String() == firstShape(catalog, s.Generation) {
			nodes = append(nodes, s.nodes(leastNodes, second)...)
		}
	}
	for i := range cpuNodes {
		nodes = append(nodes, cpuNode(fmt.Sprintf("gke-cpu-%d", i)))
	}
	return room, createAll(api, nodes)
}

func (s *Shape) nodes(count int, zone string) []object {
	return s.pool(s.Machine.Name+"-"+s.Topology+"-"+zone, count, zone)
}

func (s *Shape) pool(name string, count int, zone string) (nodes []object) {
	m := harness.Machine{Type: s.Machine.Name, Accelerator: s.Generation.Label, Chips: s.Machine.Chips,
		CPUMillis: s.Machine.CPUMillis, MemoryMiB: s.Machine.MemoryMiB}
	for i := range count {
		nodes = append(nodes, m.Node(fmt.Sprintf("gke-%s-%d", name, i), name, s.Topology, zone))
	}
	return nodes
}

func cpuNode(name string) object {
	amounts := object{"cpu": "60", "memory": "240Gi", "pods": "1000", "ephemeral-storage": "80Gi"}
	return object{"apiVersion": "v1", "kind": "Node",
		"metadata": object{"name": name, "labels": object{"kubernetes.io/hostname": name,
			machineLabel: "n2-standard-64", zoneLabel: "us-central1-a", regionLabel: "us-central1"}},
		"status": object{"allocatable": amounts, "capacity": amounts,
			"conditions": []object{{"type": "Ready", "status": "True", "reason": "Fake"}}}}
}

func createAll(api *harness.API, nodes []object) (failed error) {
	var waiting sync.WaitGroup
	var mutex sync.Mutex
	queue := make(chan object)
	for range 8 {
		waiting.Go(func() {
			for node := range queue {
				if err := api.Create("/api/v1/nodes", node); err != nil {
					mutex.Lock()
					failed = err
					mutex.Unlock()
				}
			}
		})
	}
	for _, node := range nodes {
		queue <- node
	}
	close(queue)
	waiting.Wait()
	return failed
}
