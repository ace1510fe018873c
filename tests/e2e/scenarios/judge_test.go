package scenarios

import (
	"path/filepath"
	"testing"

	"tpu-admission.io/e2e/harness"
	"tpu-admission.io/e2e/judge"
)

// A small part of what ./dev judge does, with the real scheduler: what it makes of each workload is
// what is stored, and what we say of it.
func TestTheSchedulerAgreesOnASample(t *testing.T) {
	catalog, verdicts := judgesBooks(t)
	plane, err := harness.StartControlPlane(programs, work, "judge",
		harness.Options{ExtendedResourceToleration: true})
	t.Cleanup(plane.Stop)
	if err != nil {
		t.Fatal(err)
	}
	referee, err := judge.Prepare(plane, "", catalog, judge.Sample)
	if err != nil {
		t.Fatal(err)
	}
	fresh := judge.Verdicts{}
	cases := judge.Cases(catalog, judge.Sample)
	err = referee.JudgeAll(cases, 32, func(c *judge.Case, outcome judge.Outcome) {
		fresh.Set(c, outcome)
		if stored, _ := verdicts.Of(c); stored != outcome {
			t.Errorf("%s, %s, %q: %s, but stored is %s", c.Shape, c.Kind, c.Fault, outcome, stored)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	agree(t, cases, fresh)
	t.Logf("%d cases", len(cases))
}

// All of it, by the verdicts that ./dev judge has stored.
func TestTheStoredVerdictsAgree(t *testing.T) {
	catalog, verdicts := judgesBooks(t)
	if missing := judge.NotJudged(judge.Cases(catalog, judge.Normal), verdicts); len(missing) > 0 {
		t.Errorf("%d cases have no verdict yet: is there a new row in the catalog? Run ./dev judge --missing. The first: %s, %s, %q",
			len(missing), missing[0].Shape, missing[0].Kind, missing[0].Fault)
	}
	agree(t, judge.Judged(judge.Cases(catalog, judge.Full), verdicts), verdicts)
}

func judgesBooks(t *testing.T) (*judge.Catalog, judge.Verdicts) {
	t.Helper()
	catalog, err := judge.ReadCatalog(binary)
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := judge.ReadVerdicts(filepath.Join(root, "tests/e2e/judge/verdicts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	return catalog, verdicts
}

func agree(t *testing.T, cases []*judge.Case, verdicts judge.Verdicts) {
	t.Helper()
	agreement, _, err := judge.CompareAll(binary, t.TempDir(), cases, verdicts)
	if err != nil {
		t.Fatal(err)
	}
	if fresh := agreement.New(); len(fresh) > 0 {
		t.Errorf("the scheduler and we disagree:\n%s", judge.Groups(fresh))
	}
}
