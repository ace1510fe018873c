package judge

import (
	"fmt"
	"hash/fnv"
	"slices"

	"tpu-admission.io/e2e/harness"
)

// Case is one workload: a fault put into a kind on a shape.
type Case struct {
	Shape  *Shape
	Kind   *kind
	Fault  string
	Class  string // the fault without what differs from shape to shape
	Sound  bool
	Object object
	id     string // name of the object, and how the names of its pods begin
	pods   int    // how many pods are to be judged; 0: as many as a DaemonSet makes
	lands  []Pair // nodes that the pods may take
	alone  bool   // wants these nodes for itself
	queued bool   // Kueue decides
	sum    string // its digest, once it is asked for

	service object // comes with the object; nil: none
}

// Scope says which cases there are.
type Scope struct {
	// On shapes of more hosts there are single pods only, and a few nodes.
	MostHosts int
	// Puts every fault into every kind on shapes of at most so many hosts. On the others sound workloads and
	// wrong counts go into every kind, and every fault goes into a Pod. On two shapes of each generation (the
	// first of one host, the first of several hosts) every fault also goes into one more kind in turn, and on
	// the shapes of everyKind into every kind.
	EveryFault int
	// A small part, for continuous integration: one shape of each generation, a Pod with every
	// fault, and some kinds of Kubernetes itself, sound and with wrong counts.
	Sample bool
}

// One host of a generation with two dimensions, two hosts of one with three.
var everyKind = []string{"v6e/2x2/ct6e-standard-4t", "tpu7x/2x2x2/tpu7x-standard-4t"}

var sampleKinds = []string{"Job", "StatefulSet", "Deployment"}

// Cases returns all cases of the scope, in an order that does not change.
func Cases(catalog *Catalog, scope Scope) (cases []*Case) {
	var pairs []Pair
	shapes := catalog.Shapes()
	for _, s := range shapes {
		pairs = append(pairs, s.labels())
	}
	thorough := thoroughShapes(shapes)
	for _, s := range shapes {
		if scope.Sample && s != sampleShape(shapes, s.Generation, scope.MostHosts) {
			continue
		}
		for _, f := range faultsOf(catalog, s) {
			for _, k := range kinds {
				more := slices.Contains(everyKind, s.String()) || (thorough[s] && k == turn(s, f))
				if (k.name == "Pod" || s.Hosts <= scope.MostHosts) && scope.has(s, k, f, more) {
					c := newCase(s, k, f, pairs)
					c.id = fmt.Sprintf("c%05d", len(cases))
					c.name()
					cases = append(cases, c)
				}
			}
		}
	}
	if !scope.Sample {
		cases = append(cases, queuedCases(shapes, len(cases))...)
	}
	return cases
}

// turn is the kind that takes the fault on this shape, whatever other faults there are.
func turn(s *Shape, f fault) *kind {
	hash := fnv.New32a()
	hash.Write([]byte(s.String() + f.name))
	return kinds[hash.Sum32()%uint32(len(kinds))]
}

func (scope Scope) has(s *Shape, k *kind, f fault, more bool) bool {
	if f.counts && (!k.owner || (f.name == "slices=2" && !k.slices)) {
		return false
	}
	if f.anywhere && k.name == "DaemonSet" {
		return false // a pod on every node there is
	}
	if scope.Sample {
		return k.name == "Pod" || (slices.Contains(sampleKinds, k.name) && (f.name == "sound" || f.counts))
	}
	return s.Hosts <= scope.EveryFault || more || f.counts || f.name == "sound" || k.name == "Pod"
}

// thoroughShapes are the first of one host and the first of several hosts of each generation.
func thoroughShapes(shapes []*Shape) map[*Shape]bool {
	chosen := map[*Shape]bool{}
	seen := map[string]bool{}
	for _, s := range shapes {
		class := fmt.Sprint(s.Generation.ID, s.Hosts > 1)
		chosen[s] = !seen[class]
		seen[class] = true
	}
	return chosen
}

// sampleShape is the first shape of several hosts, but not too many, or the first of all.
func sampleShape(shapes []*Shape, g *Generation, mostHosts int) *Shape {
	own := func(s *Shape) bool { return s.Generation == g }
	several := func(s *Shape) bool { return own(s) && s.Hosts > 1 && s.Hosts <= mostHosts }
	if i := slices.IndexFunc(shapes, several); i >= 0 {
		return shapes[i]
	}
	return shapes[slices.IndexFunc(shapes, own)]
}

func firstShape(catalog *Catalog, g *Generation) string {
	for _, s := range catalog.Shapes() {
		if s.Generation == g {
			return s.String()
		}
	}
	return ""
}

func newCase(s *Shape, k *kind, f fault, pairs []Pair) *Case {
	p := soundPods(s)
	f.change(p)
	c := &Case{Shape: s, Kind: k, Fault: f.name, Class: f.title(), Sound: f.sound && k.name != f.butFor, lands: p.choices(pairs)}
	c.Object = k.build(p)
	c.count()
	c.alone = c.alone || f.name == "zone: another of the list"
	return c
}

// count reads how many pods the object has; a DaemonSet wants the nodes for itself.
func (c *Case) count() {
	if c.alone = c.Kind.pods == nil; !c.alone {
		c.pods = c.Kind.pods(c.Object)
	}
}

// name writes the id where an object of the kind has its name, and its label where it selects.
func (c *Case) name() {
	harness.Dig(c.Object, "metadata").(object)["name"] = c.id
	if selector, ok := harness.Dig(c.Object, "spec", "selector").(object); ok {
		if matching, ok := selector["matchLabels"].(object); ok {
			selector = matching
		}
		selector["app"] = c.id
		harness.Dig(c.Object, "spec", "template", "metadata", "labels").(object)["app"] = c.id
	}
}
