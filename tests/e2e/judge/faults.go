package judge

import (
	"fmt"
	"slices"
	"strconv"
)

// fault is one way to write a workload: a single change of the sound one.
type fault struct {
	name     string
	class    string // the name for all shapes, where it depends on the shape
	sound    bool   // nothing is wrong with it: no rule may deny it
	butFor   string // the kind for which something is wrong with it
	counts   bool   // changes how many pods there are, so it is of no interest to single pods
	anywhere bool   // the pods fit on nodes of any kind
	change   func(*podSet)
}

func (f fault) title() string {
	if f.class != "" {
		return f.class
	}
	return f.name
}

// faultsOf returns the changes that make sense on the shape, the unchanged workload first.
func faultsOf(catalog *Catalog, s *Shape) []fault {
	all := []fault{{name: "sound", sound: true, change: func(*podSet) {}}}
	all = append(all, chipFaults(s)...)
	all = append(all, topologyFaults(s)...)
	all = append(all, acceleratorFaults(catalog, s)...)
	all = append(all, affinityFaults(s)...)
	all = append(all, placeFaults(catalog, s)...)
	all = append(all, sizeFaults(s)...)
	return append(all, countFaults(s)...)
}

func chipFaults(s *Shape) (all []fault) {
	for _, chips := range []string{"0", "1", "2", "3", "5", "8", "16", "-1", "4294967296", "1.5"} {
		if chips != strconv.Itoa(s.Machine.Chips) {
			all = append(all, fault{name: "chips=" + chips, change: func(p *podSet) { p.setChips(chips) }})
		}
	}
	return append(all,
		fault{name: "chips: request unlike limit", change: func(p *podSet) {
			p.requests()[tpu] = strconv.Itoa(s.Machine.Chips + 1)
		}},
		fault{name: "chips: limit only", sound: true, change: func(p *podSet) { delete(p.requests(), tpu) }},
		fault{name: "chips: second container with as many", change: func(p *podSet) {
			p.spec["containers"] = append(p.containers(), tpuContainer("second", p.limits()[tpu].(string)))
		}},
		fault{name: "chips: two containers share them", change: func(p *podSet) {
			half := strconv.Itoa((s.Machine.Chips + 1) / 2)
			p.setChips(half)
			p.spec["containers"] = append(p.containers(), tpuContainer("second", half))
		}},
		fault{name: "chips: in the resources of the pod", change: func(p *podSet) {
			chips := p.limits()[tpu]
			delete(p.limits(), tpu)
			delete(p.requests(), tpu)
			p.spec["resources"] = object{"requests": object{tpu: chips}, "limits": object{tpu: chips}}
		}},
		fault{name: "chips: a GPU as well", change: func(p *podSet) {
			p.requests()["nvidia.com/gpu"], p.limits()["nvidia.com/gpu"] = "1", "1"
		}})
}

// topologyFaults: every other topology of the generation, and some that it has not.
func topologyFaults(s *Shape) (all []fault) {
	add := func(class string, topologies ...string) {
		for _, topology := range topologies {
			all = append(all, fault{name: "topology=" + topology, class: "topology: " + class,
				change: func(p *podSet) { p.selector()[topologyLabel] = topology }})
		}
	}
	for _, row := range s.Generation.Topologies {
		name := "topology=" + row.Topology
		known := slices.ContainsFunc(all, func(f fault) bool { return f.name == name })
		if row.Topology != s.Topology && !known {
			add("another of the generation", row.Topology)
		}
	}
	if s.Generation.Dimensions == 2 {
		add("not offered", "3x5")
		add("a dimension too many", "2x2x2")
		add("not well-formed", "four-by-four", "4X4")
	} else {
		add("not offered", "2x3x5", "4x6x8")
		add("a dimension too few", "4x4")
		add("not well-formed", "four-by-four", "4X4X4")
	}
	return append(all, fault{name: "topology: no selector", anywhere: true,
		change: func(p *podSet) { delete(p.selector(), topologyLabel) }})
}

func acceleratorFaults(catalog *Catalog, s *Shape) (all []fault) {
	add := func(class, label string) {
		if label != s.Generation.Label {
			all = append(all, fault{name: "accelerator=" + label, class: "accelerator: " + class,
				change: func(p *podSet) { p.selector()[acceleratorLabel] = label }})
		}
	}
	add("that of another generation", after(catalog, s.Generation).Label)
	add("a short name", s.Generation.ID)
	add("a label that no node has", "tpu-v6e-podslice")
	add("of an unknown generation", "tpu-v99-slice")
	return append(all,
		fault{name: "accelerator: no selector", anywhere: true,
			change: func(p *podSet) { delete(p.selector(), acceleratorLabel) }},
		fault{name: "accelerator: no selectors at all", anywhere: true,
			change: func(p *podSet) { p.spec["nodeSelector"] = object{} }})
}

// after is the next generation of the catalog, or the first.
func after(catalog *Catalog, g *Generation) *Generation {
	i := slices.Index(catalog.Generations, g)
	return catalog.Generations[(i+1)%len(catalog.Generations)]
}

func affinityFaults(s *Shape) []fault {
	without := func(value string) string { return "not-" + value }
	return []fault{
		// kubernetes pkg/controller/daemon/util/daemonset_util.go: TPU116.
		{name: "affinity: topology by affinity", sound: true, butFor: "DaemonSet", change: func(p *podSet) {
			delete(p.selector(), topologyLabel)
			p.require(topologyLabel, "In", []string{s.Topology})
		}},
		{name: "affinity: one of two terms fits", sound: true, change: func(p *podSet) {
			p.require(topologyLabel, "In", []string{without(s.Topology)}, []string{s.Topology})
		}},
		{name: "affinity: contradicts the selector", change: func(p *podSet) {
			p.require(topologyLabel, "In", []string{"1x2x3"})
		}},
		{name: "affinity: no term fits", change: func(p *podSet) {
			p.require(topologyLabel, "In", []string{"1x2x3"}, []string{"3x2x1"})
		}},
		{name: "affinity: NotIn what is selected", change: func(p *podSet) {
			p.require(topologyLabel, "NotIn", []string{s.Topology})
		}},
		{name: "toleration: none", sound: true, butFor: "DaemonSet", change: func(p *podSet) { delete(p.spec, "tolerations") }},
		{name: "toleration: value true", change: func(p *podSet) {
			p.spec["tolerations"].([]object)[0]["value"] = "true"
		}},
	}
}

// placeFaults: machine type, chips of a node, zone, region.
func placeFaults(catalog *Catalog, s *Shape) []fault {
	selecting := func(name string, sound bool, pairs ...string) fault {
		return fault{name: name, sound: sound, change: func(p *podSet) {
			for i := 0; i < len(pairs); i += 2 {
				p.selector()[pairs[i]] = pairs[i+1]
			}
		}}
	}
	const far = "me-west1"
	zone := s.Generation.zone()
	wrongCount := 4
	if s.Machine.Chips == wrongCount {
		wrongCount = 8
	}
	all := []fault{
		selecting("machine: its own", true, machineLabel, s.Machine.Name),
		selecting("machine: e2-standard-4", false, machineLabel, "e2-standard-4"),
		selecting("machine: of another generation", false, machineLabel, foreignMachine(catalog, s)),
		selecting("count: its own", true, countLabel, strconv.Itoa(s.Machine.Chips)),
		selecting("zone: that of the nodes", true, zoneLabel, zone),
		selecting("region: that of the nodes", true, regionLabel, regionOf(zone)),
		selecting("region: contradicts the zone", false, zoneLabel, zone, regionLabel, far),
	}
	wrong := selecting(fmt.Sprintf("count=%d", wrongCount), false, countLabel, strconv.Itoa(wrongCount))
	wrong.class = "count: another"
	all = append(all, wrong)
	if len(s.Generation.Zones) > 0 {
		all = append(all, selecting("zone: in no list", false, zoneLabel, far+"-a"),
			selecting("region: in no list", false, regionLabel, far))
	}
	if second := s.Generation.secondZone(); second != "" && s.String() == firstShape(catalog, s.Generation) {
		all = append(all, selecting("zone: another of the list", true, zoneLabel, second))
	}
	return all
}

func foreignMachine(catalog *Catalog, s *Shape) string {
	for _, g := range catalog.Generations {
		if g != s.Generation && g.Dimensions != s.Generation.Dimensions {
			return g.Machines[0].Name
		}
	}
	panic("the catalog has generations of one kind only")
}

func sizeFaults(s *Shape) []fault {
	cpu := func(name string, sound bool, amount string) fault {
		return fault{name: name, sound: sound, change: func(p *podSet) { p.requests()["cpu"] = amount }}
	}
	memory := func(name string, sound bool, amount string) fault {
		return fault{name: name, sound: sound, change: func(p *podSet) { p.requests()["memory"] = amount }}
	}
	m := s.Machine
	return []fault{
		cpu("cpu: all of a node", true, millis(m.CPUMillis)),
		cpu("cpu: 1m more than a node", false, millis(m.CPUMillis+1)),
		cpu("cpu: all of the machine", false, strconv.Itoa(m.VCPU)),
		cpu("cpu: more than the machine", false, strconv.Itoa(m.VCPU+1)),
		memory("memory: all of a node", true, mebibytes(m.MemoryMiB)),
		memory("memory: 1Mi more than a node", false, mebibytes(m.MemoryMiB+1)),
		memory("memory: all of the machine", false, fmt.Sprintf("%dGi", m.MemoryGiB)),
		memory("memory: more than the machine", false, fmt.Sprintf("%dGi", m.MemoryGiB+1)),
		{name: "memory: a request above its limit", change: func(p *podSet) {
			p.limits()["memory"] = "512Mi"
		}},
		{name: "cpu: two containers, together the machine", change: func(p *podSet) {
			p.requests()["cpu"] = strconv.Itoa(m.VCPU - 1)
			p.spec["containers"] = append(p.containers(), object{"name": "log", "image": "example.com/log:1",
				"resources": object{"requests": object{"cpu": "1", "memory": "1Gi"}}})
		}},
		{name: "cpu: an init container of the machine's size", change: func(p *podSet) {
			p.spec["initContainers"] = []object{{"name": "copy", "image": "example.com/copy:1",
				"resources": object{"requests": object{"cpu": strconv.Itoa(m.VCPU), "memory": "1Gi"}}}}
		}},
	}
}

func countFaults(s *Shape) (all []fault) {
	add := func(name string, count int) {
		if count > 0 {
			all = append(all, fault{name: "pods=" + name, counts: true, change: func(p *podSet) { p.count = count }})
		}
	}
	add("hosts-1", s.Hosts-1)
	add("hosts+1", s.Hosts+1)
	add("2*hosts", 2*s.Hosts)
	add("2*hosts+1", 2*s.Hosts+1)
	return append(all, fault{name: "slices=2", sound: true, counts: true, change: func(p *podSet) { p.slices = 2 }})
}
