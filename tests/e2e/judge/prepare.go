package judge

import (
	"slices"

	"tpu-admission.io/e2e/harness"
)

// What ./dev judge runs, what it runs with --full, and what continuous integration runs.
var (
	Normal = Scope{MostHosts: 8}
	Full   = Scope{MostHosts: 64, EveryFault: 16}
	Sample = Scope{MostHosts: 4, Sample: true}
)

// Prepare starts the neighbours found in the folder (none if it is ""), among them what stands in for
// GKE's own check, and makes the nodes.
func Prepare(plane *harness.ControlPlane, dir string, catalog *Catalog, scope Scope) (*Referee, error) {
	if dir != "" {
		for _, n := range neighbours {
			if _, err := plane.StartNeighbour(dir, n); err != nil {
				return nil, err
			}
		}
	}
	if err := installGKECheck(plane.API); err != nil {
		return nil, err
	}
	nodes, err := Fill(plane.API, catalog, scope.MostHosts)
	if err != nil {
		return nil, err
	}
	referee, err := NewReferee(plane.API, nodes)
	if err != nil || dir == "" {
		return referee, err
	}
	shapes := catalog.Shapes()
	for _, d := range divisions {
		own, err := d.openQueue(plane.API, d.in(shapes))
		if err != nil {
			return nil, err
		}
		nodes[d.pair()] = len(own)
	}
	return referee, nil
}

// Steps are scopes that together are this one, those with fewer nodes first: among thousands of nodes the
// scheduler takes seconds for what takes milliseconds among hundreds.
func (scope Scope) Steps() []Scope {
	if scope.EveryFault == 0 || scope.EveryFault >= scope.MostHosts {
		return []Scope{scope}
	}
	small := scope
	small.MostHosts = scope.EveryFault
	return []Scope{small, scope}
}

// Except returns the cases that are not among the others.
func Except(cases, others []*Case) []*Case {
	key := func(c *Case) string { return c.row() + "\t" + string(c.Kind.letter) }
	known := map[string]bool{}
	for _, c := range others {
		known[key(c)] = true
	}
	return slices.DeleteFunc(cases, func(c *Case) bool { return known[key(c)] })
}

// Only returns the cases of the kind, or of all kinds if the name is "".
func Only(cases []*Case, kind string) []*Case {
	return slices.DeleteFunc(cases, func(c *Case) bool { return kind != "" && c.Kind.name != kind })
}

// NotJudged returns the cases that have no verdict.
func NotJudged(cases []*Case, verdicts Verdicts) []*Case {
	return slices.DeleteFunc(cases, func(c *Case) bool {
		_, ok := verdicts.Of(c)
		return ok
	})
}

// Judged returns the cases that have a verdict.
func Judged(cases []*Case, verdicts Verdicts) (judged []*Case) {
	for _, c := range cases {
		if _, ok := verdicts.Of(c); ok {
			judged = append(judged, c)
		}
	}
	return judged
}
