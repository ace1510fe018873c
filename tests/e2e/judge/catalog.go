// Package judge asks the real scheduler whether workloads can run on the nodes of our catalog, and
// holds the answers of `tpu-admission check` against what it did.
//
// The facts (which machine has how many chips, which topology has how many hosts) are read from
// `tpu-admission catalog`, as nodes. The judgement is not ours: kube-apiserver, the controllers and
// kube-scheduler say what becomes of a workload.
package judge

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// Catalog is what `tpu-admission catalog --output json` says, as far as nodes are made of it.
type Catalog struct {
	Version     string
	Generations []*Generation
}

// Generation is the accelerator label of its nodes, their machines and their topologies.
type Generation struct {
	ID         string
	Label      string
	Dimensions int
	Machines   []Machine
	Topologies []Placement
	Custom     *struct {
		Machine  string
		Examples []string
	} `json:"custom_topologies"`
	Zones []struct{ Name, Confidence string }
}

// Machine is a VM; allocatable is what a node of it has left for pods.
type Machine struct {
	Name      string
	Chips     int
	VCPU      int
	MemoryGiB int `json:"memory_ceiling_gib"`
	CPUMillis int `json:"allocatable_cpu_millis"`
	MemoryMiB int `json:"allocatable_memory_mib"`
}

// Placement is a topology on a machine.
type Placement struct {
	Topology, Machine string
	Hosts             int
}

// ReadCatalog asks the binary.
func ReadCatalog(binary string) (*Catalog, error) {
	text, err := exec.Command(binary, "catalog", "--output", "json").Output()
	if err != nil {
		return nil, fmt.Errorf("%s catalog: %w", binary, err)
	}
	catalog := &Catalog{}
	return catalog, json.Unmarshal(text, catalog)
}

func (g *Generation) machine(name string) Machine {
	for _, machine := range g.Machines {
		if machine.Name == name {
			return machine
		}
	}
	panic("the catalog names no machine " + name)
}

// zone is where the nodes of the generation stand: the first zone of its list.
func (g *Generation) zone() string {
	if len(g.Zones) == 0 {
		return "us-central1-a"
	}
	return g.Zones[0].Name
}

// secondZone has some nodes as well: another zone that is well attested; "" if there is none.
func (g *Generation) secondZone() string {
	for _, zone := range g.Zones[min(1, len(g.Zones)):] {
		if zone.Confidence == "high" {
			return zone.Name
		}
	}
	return ""
}

func regionOf(zone string) string { return zone[:strings.LastIndex(zone, "-")] }

func chipsOf(topology string) int {
	product := 1
	for size := range strings.SplitSeq(topology, "x") {
		number, err := strconv.Atoi(size)
		if err != nil {
			panic("the catalog has a topology " + topology)
		}
		product *= number
	}
	return product
}
