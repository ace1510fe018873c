package judge

// Shape is a topology on a machine: the nodes of one slice.
type Shape struct {
	Generation *Generation
	Machine    Machine
	Topology   string
	Hosts      int
	// The nodes of another machine carry the same accelerator and topology labels.
	Ambiguous bool
}

// String is the name of the shape in the stored verdicts.
func (s *Shape) String() string { return s.Generation.ID + "/" + s.Topology + "/" + s.Machine.Name }

// labels are what nodes of the shape share with all nodes that the two selectors choose.
func (s *Shape) labels() Pair { return Pair{s.Generation.Label, s.Topology} }

// Pair is what the two selectors of a TPU pod choose by.
type Pair struct{ accelerator, topology string }

func (p Pair) String() string { return p.accelerator + " " + p.topology }

// Shapes returns all rows of the catalog, and the examples of its custom topologies.
func (c *Catalog) Shapes() (shapes []*Shape) {
	for _, g := range c.Generations {
		for _, row := range g.Topologies {
			shapes = append(shapes, &Shape{Generation: g, Machine: g.machine(row.Machine),
				Topology: row.Topology, Hosts: row.Hosts})
		}
		if g.Custom == nil {
			continue
		}
		for _, topology := range g.Custom.Examples {
			machine := g.machine(g.Custom.Machine)
			shapes = append(shapes, &Shape{Generation: g, Machine: machine, Topology: topology,
				Hosts: chipsOf(topology) / machine.Chips})
		}
	}
	seen := map[Pair]int{}
	for _, s := range shapes {
		seen[s.labels()]++
	}
	for _, s := range shapes {
		s.Ambiguous = seen[s.labels()] > 1
	}
	return shapes
}
