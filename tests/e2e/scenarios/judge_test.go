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
	err = referee.JudgeAll(t.Context(), cases, 32, func(c *judge.Case, outcome judge.Outcome) {
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
	_, repaired := repairs(t, catalog, cases)
	known := judge.RepairVerdicts{}
	known.Learn(cases, fresh)
	unknown := known.NotJudged(repaired)
	err = referee.JudgeAll(t.Context(), unknown, 32, func(c *judge.Case, outcome judge.Outcome) {
		if outcome != judge.Scheduled {
			t.Errorf("%s, %s, %q: its first repair is not scheduled, but %s", c.Shape, c.Kind, c.Fault, outcome)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d repairs, %d of them new objects", len(repaired), len(unknown))
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

// What would run: each first repair that was judged has been scheduled.
func TestTheStoredRepairsAgree(t *testing.T) {
	catalog, verdicts := judgesBooks(t)
	stored, err := judge.ReadRepairVerdicts(filepath.Join(root, "tests/e2e/judge/repairs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	cases := judge.Judged(judge.Cases(catalog, judge.Full), verdicts)
	opinions, repaired := repairs(t, catalog, cases)
	stored.Learn(cases, verdicts)
	var agreement judge.Agreement
	agreement.CompareRepairs(cases, opinions, repaired, stored)
	if fresh := agreement.New(); len(fresh) > 0 {
		t.Errorf("repairs that do not run:\n%s", judge.Groups(fresh))
	}
	if fresh := len(stored.NotJudged(repaired)); fresh > len(repaired)/2 {
		t.Errorf("%d of %d repairs are not judged: run ./dev judge --missing", fresh, len(repaired))
	}
}

// Every rule that denies has been judged, or a source stands in.
func TestEveryDenialIsJudgedOrHasASource(t *testing.T) {
	catalog, verdicts := judgesBooks(t)
	cases := judge.Judged(judge.Cases(catalog, judge.Full), verdicts)
	agreement, _, err := judge.CompareAll(binary, t.TempDir(), cases, verdicts)
	if err != nil {
		t.Fatal(err)
	}
	denying, err := judge.Denying(binary)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range agreement.Coverage(denying) {
		t.Error(fault)
	}
}

func repairs(t *testing.T, catalog *judge.Catalog, cases []*judge.Case) ([]judge.Opinion, []*judge.Case) {
	t.Helper()
	opinions, _, err := judge.Opinions(binary, t.TempDir(), cases)
	if err != nil {
		t.Fatal(err)
	}
	repaired, err := judge.Repaired(catalog, cases, opinions)
	if err != nil {
		t.Fatal(err)
	}
	return opinions, repaired
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
