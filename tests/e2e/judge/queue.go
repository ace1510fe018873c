package judge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tpu-admission.io/e2e/harness"
)

// Workloads that Kueue decides about: they name a queue, and wait for nodes of their own whose labels are
// the levels of its topology.

const (
	queueLabel    = "kueue.x-k8s.io/queue-name"
	queueNodes    = "judge.example.com/queue" // label and taint of the nodes behind the queue
	kueueVersion  = "kueue.x-k8s.io/v1beta2"
	kueueAPI      = "/apis/" + kueueVersion + "/"
	poolLabel     = "cloud.google.com/gke-nodepool"
	hostLabel     = "kubernetes.io/hostname"
	sliceTopology = "cloud.google.com/gke-tpu-slice-topology"
	required      = "kueue.x-k8s.io/podset-required-topology"
	preferred     = "kueue.x-k8s.io/podset-preferred-topology"
	unconstrained = "kueue.x-k8s.io/podset-unconstrained-topology"
	sliceRequired = "kueue.x-k8s.io/podset-slice-required-topology"
	sliceSize     = "kueue.x-k8s.io/podset-slice-size"
	podSetGroup   = "kueue.x-k8s.io/podset-group-name"
)

// division is a part into which the slices of a shape are cut, the prefix of the label that tells the parts
// apart, and a larger part or slice.
type division struct{ shape, part, prefix, larger string }

var divisions = []division{
	{"v5e-podslice/4x4/ct5lp-hightpu-4t", "2x4", "cloud.google.com/gke-tpu-slice-", "4x4"},
	{"v6e/4x4/ct6e-standard-4t", "2x4", "cloud.google.com/gke-tpu-slice-", "4x4"},
	{"tpu7x/4x4x4/tpu7x-standard-4t", "4x4x4", "cloud.google.com/gke-tpu-partition-", "4x4x8"},
	{"tpu7x/4x4x4/tpu7x-standard-4t", "2x2x4", "cloud.google.com/gke-tpu-partition-", "4x4x4"},
}

func (d division) level() string { return d.prefix + d.part + "-id" }

// queue is the name of its queue and of all that the queue is made of.
func (d division) queue() string { return strings.Split(d.shape, "/")[0] + "-" + d.part }

// pair stands for the nodes behind its queue.
func (d division) pair() Pair { return Pair{queueNodes, d.queue()} }

func (d division) in(shapes []*Shape) *Shape {
	return shapes[slices.IndexFunc(shapes, func(s *Shape) bool { return s.String() == d.shape })]
}

func (c *Case) inQueue(nodes Pair) {
	c.queued, c.alone, c.lands = true, true, []Pair{nodes}
}

// queuedCases are all faults of all divisions in all kinds that Kueue may manage; first is the number of
// the first.
func queuedCases(shapes []*Shape, first int) (cases []*Case) {
	for _, d := range divisions {
		s := d.in(shapes)
		for _, f := range d.faults(s) {
			for _, k := range kinds {
				if !k.queued {
					continue
				}
				c := newCase(s, k, f, nil)
				c.Object["metadata"] = object{"labels": object{queueLabel: d.queue()}}
				c.id = fmt.Sprintf("c%05d", first+len(cases))
				c.name()
				c.inQueue(d.pair())
				cases = append(cases, c)
			}
		}
	}
	return cases
}

// faults are what may be wrong with Kueue's annotations, those of Kueue's own webhook first.
func (d division) faults(s *Shape) (all []fault) {
	hosts, level := chipsOf(d.part)/s.Machine.Chips, d.level()
	add := func(name string, sound bool, pods, slices int, annotations object) {
		if annotations[sliceTopology] == nil {
			annotations[sliceTopology] = d.part
		}
		all = append(all, fault{name: fmt.Sprintf("queue, %s: %s", d.part, name), class: "queue: " + name, sound: sound,
			change: func(p *podSet) { p.count, p.slices, p.annotations = pods, slices, annotations }})
	}
	size := func(pods int) object { return object{sliceRequired: level, sliceSize: strconv.Itoa(pods)} }
	with := func(base object, key, value string) object {
		more := maps.Clone(base)
		more[key] = value
		return more
	}
	one := object{required: level}
	add("one part", true, hosts, 1, maps.Clone(one))
	add("one part, preferred", true, hosts, 1, object{preferred: level})
	add("two parts", true, hosts, 2, size(hosts))
	add("required and preferred", false, hosts, 1, with(one, preferred, level))
	add("required and unconstrained", false, hosts, 1, with(one, unconstrained, "true"))
	add("a size without its topology", false, hosts, 1, with(one, sliceSize, strconv.Itoa(hosts)))
	add("a topology without its size", false, hosts, 1, object{sliceRequired: level})
	add("a size in words", false, hosts, 1, with(size(hosts), sliceSize, "two"))
	add("a size of 0", false, hosts, 1, size(0))
	add("a size above the pods", false, hosts, 1, size(2*hosts))
	add("a group that is a number", false, hosts, 1, with(one, podSetGroup, "7"))
	add("a group beside a size", false, hosts, 1, with(size(hosts), podSetGroup, "a"))
	add("a group without a topology", false, hosts, 1, object{podSetGroup: "a"})
	add("unconstrained: perhaps", false, hosts, 1, object{unconstrained: "perhaps"})
	add("a size that does not divide the pods", false, hosts+1, 1, size(hosts))
	add("twice the chips of the part", false, 2*hosts, 1, maps.Clone(one))
	add("the level of a smaller part", false, chipsOf(d.larger)/s.Machine.Chips, 1, with(one, sliceTopology, d.larger))
	add("a level that nobody has", false, hosts, 1, object{required: d.prefix + "3x5x7-id"})
	add("a size of fewer pods than the part", false, hosts, 1, size(hosts/2))
	add("a size of more pods than the part", false, 2*hosts, 1, size(2*hosts))
	add("one part, no toleration", false, hosts, 1, maps.Clone(one))
	bare := &all[len(all)-1]
	annotate := bare.change
	bare.change = func(p *podSet) { annotate(p); delete(p.spec, "tolerations") }
	return all
}

// openQueue makes the nodes of the division, and a queue in front of them that has enough of everything.
func (d division) openQueue(api *harness.API, s *Shape) (nodes []object, err error) {
	var levels []object
	for _, level := range []string{poolLabel, d.level(), hostLabel} {
		levels = append(levels, object{"nodeLabel": level})
	}
	queue, heads := d.queue(), d.queue()+"-heads"
	for _, made := range []struct {
		kind, path, name string
		spec             object
	}{
		{"Topology", "topologies", queue, object{"levels": levels}},
		{"ResourceFlavor", "resourceflavors", queue, object{"topologyName": queue,
			"nodeLabels":  object{acceleratorLabel: s.Generation.Label, topologyLabel: s.Topology, queueNodes: queue},
			"tolerations": []object{{"key": queueNodes, "operator": "Exists"}}}},
		{"ResourceFlavor", "resourceflavors", heads, object{}}, // for what has no chips
		{"ClusterQueue", "clusterqueues", queue, object{"namespaceSelector": object{}, "resourceGroups": []object{{
			"coveredResources": []string{"cpu", "memory", tpu}, "flavors": []object{quota(queue, "1P"), quota(heads, "0")}}}}},
		{"LocalQueue", "namespaces/" + namespace + "/localqueues", queue, object{"clusterQueue": queue}},
	} {
		object := named(kueueVersion, made.kind, made.spec)
		object["metadata"].(harness.Object)["name"] = made.name
		if err := api.Create(kueueAPI+made.path, object); err != nil {
			return nil, err
		}
	}
	nodes = d.nodes(s)
	if err := createAll(api, nodes); err != nil {
		return nil, err
	}
	return nodes, d.active(api)
}

// quota is that of a flavor: enough of everything, but so many chips.
func quota(flavor, chips string) object {
	return object{"name": flavor, "resources": []object{{"name": "cpu", "nominalQuota": "1M"},
		{"name": "memory", "nominalQuota": "1P"}, {"name": tpu, "nominalQuota": chips}}}
}

// active returns when the queue takes workloads.
func (d division) active(api *harness.API) error {
	for range 200 {
		var found object
		if err := api.Get(kueueAPI+"clusterqueues/"+d.queue(), &found); err != nil {
			return err
		}
		if condition(found, "Active") == "True" {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("the ClusterQueue " + d.queue() + " does not become active")
}

func condition(made object, kind string) string {
	for _, c := range harness.List(made, "status", "conditions") {
		if harness.Text(c, "type") == kind {
			return harness.Text(c, "status")
		}
	}
	return ""
}

// nodes are three slices of the shape, each a node pool, that only the queue may use.
func (d division) nodes(s *Shape) (nodes []object) {
	for pool := range 3 {
		name := fmt.Sprintf("queue-%s-%d", d.queue(), pool)
		for i, node := range s.pool(name, s.Hosts, s.Generation.zone()) {
			labels, spec := harness.Dig(node, "metadata", "labels").(object), node["spec"].(object)
			labels[queueNodes] = d.queue()
			labels[d.level()] = fmt.Sprintf("%s-%d", name, i*s.Machine.Chips/chipsOf(d.part))
			spec["taints"] = append(spec["taints"].([]object),
				object{"key": queueNodes, "value": d.queue(), "effect": "NoSchedule"})
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// heldByKueue says whether Kueue has looked at the workload of the case, and reserves nothing for it.
func heldByKueue(api *harness.API, c *Case) bool {
	var all object
	if api.Get(kueueAPI+"namespaces/"+namespace+"/workloads", &all) != nil {
		return false
	}
	return slices.ContainsFunc(harness.List(all, "items"), func(workload any) bool {
		owners := harness.List(workload, "metadata", "ownerReferences")
		return len(owners) > 0 && harness.Text(owners[0], "name") == c.id && condition(workload.(object), "QuotaReserved") == "False"
	})
}
