package scenarios

import (
	"testing"

	"tpu-admission.io/e2e/harness"
	"tpu-admission.io/e2e/judge"
)

// What `tpu-admission plan` writes down is taken by the real API server as it is, and scheduled completely.
func TestWhatPlanWritesRuns(t *testing.T) {
	catalog, _ := judgesBooks(t)
	plane, err := harness.StartControlPlane(programs, work, "plan",
		harness.Options{ExtendedResourceToleration: true})
	t.Cleanup(plane.Stop)
	if err != nil {
		t.Fatal(err)
	}
	for _, neighbour := range []harness.Neighbour{judge.Neighbour("jobset"), judge.Neighbour("lws"), indexingKubeRay()} {
		if _, err := plane.StartNeighbour(neighbours, neighbour); err != nil {
			t.Fatal(err)
		}
	}
	referee, err := judge.Prepare(plane, "", catalog, judge.Sample)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := judge.Planned(binary, catalog, judge.Sample.MostHosts)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	err = referee.JudgeAll(t.Context(), cases, 32, func(c *judge.Case, outcome judge.Outcome) {
		kinds[c.Kind.String()]++
		if outcome != judge.Scheduled {
			t.Errorf("%s, %s: %s", c.Shape, c.Kind, outcome)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d manifests: %v", len(cases), kinds)
}
