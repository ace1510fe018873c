package judge

import (
	"fmt"
	"strconv"

	"tpu-admission.io/e2e/harness"
)

type object = harness.Object

const (
	acceleratorLabel = "cloud.google.com/gke-tpu-accelerator"
	topologyLabel    = "cloud.google.com/gke-tpu-topology"
	countLabel       = "cloud.google.com/gke-accelerator-count"
	machineLabel     = "node.kubernetes.io/instance-type"
	zoneLabel        = "topology.kubernetes.io/zone"
	regionLabel      = "topology.kubernetes.io/region"
	tpu              = "google.com/tpu"

	// Marks the pods whose scheduling is judged: not the head of a Ray cluster, for one.
	judgedLabel = "judged"
)

// podSet is a pod template and a count, before a kind is made of it. Faults change it.
type podSet struct {
	shape       *Shape
	spec        object
	annotations object // of the template; nil for none
	count       int    // pods of one slice
	slices      int
}

// soundPods is one slice of the shape as a careful user writes it.
func soundPods(s *Shape) *podSet {
	selector := object{acceleratorLabel: s.Generation.Label, topologyLabel: s.Topology}
	if s.Ambiguous {
		selector[countLabel] = strconv.Itoa(s.Machine.Chips)
	}
	return &podSet{shape: s, count: s.Hosts, slices: 1, spec: object{
		"nodeSelector": selector,
		"tolerations": []object{
			{"key": tpu, "operator": "Equal", "value": "present", "effect": "NoSchedule"}},
		"containers": []object{tpuContainer("train", strconv.Itoa(s.Machine.Chips))},
	}}
}

func tpuContainer(name, chips string) object {
	return object{"name": name, "image": "example.com/train:1", "resources": object{
		"requests": object{"cpu": "1", "memory": "1Gi", tpu: chips},
		"limits":   object{tpu: chips},
	}}
}

func (p *podSet) selector() object { return p.spec["nodeSelector"].(object) }

func (p *podSet) containers() []object { return p.spec["containers"].([]object) }

func (p *podSet) requests() object {
	return p.containers()[0]["resources"].(object)["requests"].(object)
}

func (p *podSet) limits() object { return p.containers()[0]["resources"].(object)["limits"].(object) }

func (p *podSet) setChips(chips string) {
	p.requests()[tpu] = chips
	p.limits()[tpu] = chips
}

// require sets a node affinity whose terms (alternatives) each want label in values.
func (p *podSet) require(label string, operator string, alternatives ...[]string) {
	var terms []object
	for _, values := range alternatives {
		terms = append(terms, object{"matchExpressions": []object{
			{"key": label, "operator": operator, "values": values}}})
	}
	p.spec["affinity"] = object{"nodeAffinity": object{
		"requiredDuringSchedulingIgnoredDuringExecution": object{"nodeSelectorTerms": terms}}}
}

// template is the pod template; every kind needs one of its own.
func (p *podSet) template() object {
	metadata := object{"labels": object{judgedLabel: "yes"}}
	if p.annotations != nil {
		metadata["annotations"] = p.annotations
	}
	return object{"metadata": metadata, "spec": p.spec}
}

// choices are the label pairs whose nodes the pods may land on, as far as the two selectors tell.
func (p *podSet) choices(all []Pair) (pairs []Pair) {
	accelerator, topology := p.selector()[acceleratorLabel], p.selector()[topologyLabel]
	if p.spec["affinity"] != nil {
		accelerator, topology = p.shape.Generation.Label, p.shape.Topology
	}
	for _, pair := range all {
		if (accelerator == nil || accelerator == pair.accelerator) &&
			(topology == nil || topology == pair.topology) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

func mebibytes(n int) string { return fmt.Sprintf("%dMi", n) }

func millis(n int) string { return fmt.Sprintf("%dm", n) }
