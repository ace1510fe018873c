package scenarios

import (
	"hash/fnv"
	"slices"
	"testing"

	"tpu-admission.io/e2e/judge"
)

// Whatever the scheduler has placed, nobody is warned that there is no node pool for it, where the record
// has one of the shapes that its pods may take, be it at zero; nor where something may yet make one. And
// where there is none, and nothing makes one, they are warned. By the verdicts that ./dev judge has stored.
func TestTheStoredVerdictsHaveTheirNodePools(t *testing.T) {
	catalog, verdicts := judgesBooks(t)
	p := pools{t, judge.Shapes(catalog), nil}
	for _, c := range judge.Judged(judge.Cases(catalog, judge.Full), verdicts) {
		if outcome, _ := verdicts.Of(c); outcome == judge.Scheduled {
			p.placed = append(p.placed, c)
		}
	}
	if len(p.placed) < 4_000 {
		t.Fatalf("only %d cases were placed", len(p.placed))
	}
	all := judge.RecordOf(p.shapes, func(judge.Pair) bool { return true })
	p.silent("all nodes of the judge", all, p.placed)
	all.AtZero = true
	p.silent("all node pools are at zero", all, p.placed)
	p.halves()
	p.narrowest()
	p.without()
}

type pools struct {
	*testing.T
	shapes []judge.Pair
	placed []*judge.Case
}

func (p *pools) ask(cases []*judge.Case, record judge.Record) []string {
	p.Helper()
	modes, err := judge.NodePools(binary, p.TempDir(), cases, record)
	if err != nil {
		p.Fatal(err)
	}
	return modes
}

// silent: nothing is said of these, not even for the record.
func (p *pools) silent(what string, record judge.Record, cases []*judge.Case) {
	p.Helper()
	for i, mode := range p.ask(cases, record) {
		if mode != "" {
			p.Fatalf("%s: %s of %s, %s, %q", what, mode, cases[i].Shape, cases[i].Kind, cases[i].Fault)
		}
	}
	p.Logf("%s: %d cases", what, len(cases))
}

// halves: the shapes are dealt to two clusters, in some ways.
func (p *pools) halves() {
	for bit := range 4 {
		for side := range uint32(2) {
			record := judge.RecordOf(p.shapes, func(pair judge.Pair) bool {
				hash := fnv.New32a()
				hash.Write([]byte(pair.String()))
				return hash.Sum32()>>bit&1 == side
			})
			p.silent("half of the shapes", record, slices.DeleteFunc(slices.Clone(p.placed), func(c *judge.Case) bool {
				return !record.Lands(c)
			}))
		}
	}
}

// narrowest: the cluster has, or had, one shape alone.
func (p *pools) narrowest() {
	for _, shape := range p.shapes {
		record := judge.RecordOf(p.shapes, func(pair judge.Pair) bool { return pair == shape })
		record.AtZero = true
		var own []*judge.Case
		for _, c := range p.placed {
			if c.Seat() == shape {
				own = append(own, c)
			}
		}
		p.silent("only "+shape.String(), record, own)
	}
}

// without: the cluster has all shapes but the one that the pods need.
func (p *pools) without() {
	var homeless []*judge.Case
	for _, shape := range p.shapes {
		record := judge.RecordOf(p.shapes, func(pair judge.Pair) bool { return pair != shape })
		var own []*judge.Case
		for _, c := range p.placed {
			if !record.Lands(c) {
				own = append(own, c)
			}
		}
		homeless = append(homeless, own...)
		p.said("all shapes but "+shape.String(), record, own, "warn")
	}
	p.hopeful(homeless)
}

// hopeful: none of these shapes is there, and something or somebody may yet make them.
func (p *pools) hopeful(homeless []*judge.Case) {
	record := judge.RecordOf(append(p.shapes, judge.Foreign), func(pair judge.Pair) bool { return pair == judge.Foreign })
	p.said("none of these shapes", record, homeless, "warn")
	for _, each := range []struct{ what, selector, label, annotation string }{
		{what: "flex-start", selector: "cloud.google.com/gke-flex-start"},
		{what: "queued provisioning", selector: "cloud.google.com/gke-queued"},
		{what: "a compute class", selector: "cloud.google.com/compute-class"},
		{what: "Kueue", label: "kueue.x-k8s.io/queue-name"},
		{what: "Argo CD, by its label", label: "argocd.argoproj.io/instance"},
		{what: "Argo CD", annotation: "argocd.argoproj.io/tracking-id"},
		{what: "Flux", label: "kustomize.toolkit.fluxcd.io/name"},
		{what: "Config Sync", annotation: "configmanagement.gke.io/managed"},
	} {
		changed, err := judge.Hopeful(homeless, each.selector, each.label, each.annotation)
		if err != nil {
			p.Fatal(err)
		}
		p.said(each.what, record, changed, "audit")
	}
	record.Autoscaler = true
	p.said("auto-provisioning", record, homeless, "audit")
}

// said: so it says of all of these; but it records only what waits for Kueue, and does not see what asks for
// no chips.
func (p *pools) said(what string, record judge.Record, cases []*judge.Case, mode string) {
	p.Helper()
	for i, got := range p.ask(cases, record) {
		c, want := cases[i], mode
		if c.Queued() {
			want = "audit"
		}
		if c.Fault == "chips=0" {
			want = ""
		}
		if got != want {
			p.Fatalf("%s: %q instead of %q of %s, %s, %q", what, got, want, c.Shape, c.Kind, c.Fault)
		}
	}
	p.Logf("%s: %d cases", what, len(cases))
}
