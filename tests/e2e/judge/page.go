package judge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Page is docs/judge.md. The same comparison makes the same text.
func Page(catalog *Catalog, a *Agreement, rules map[string]string, versions string) string {
	var page strings.Builder
	fmt.Fprintf(&page, introduction, versions, catalog.Version, a.Cases, conclusion(a))
	page.WriteString(ruleTable(a, rules))
	page.WriteString("\n## What only the node or the program refuses\n\n" +
		"These rules may deny what the scheduler places; the list is closed.\n\n")
	writeReasons(&page, laterRefusals, rules)
	page.WriteString("\n## Denied by sources alone\n\n" +
		"What no controller here can judge, and the source that stands in; the list is closed.\n\n")
	writeReasons(&page, unjudged, rules)
	page.WriteString("\n## Warned only, though nothing places it here\n\n" +
		"There may be nodes that the catalog does not know, so these rules warn; the list is closed.\n\n")
	writeReasons(&page, doubts, rules)
	page.WriteString("\nSilent by decision:\n\n")
	writeReasons(&page, silences, nil)
	page.WriteString("\n## What would run, runs\n\n" + repairTable(a))
	page.WriteString("\n## By fault\n\n" + faultTable(a))
	page.WriteString("\n## By kind\n\n" + kindTable(a))
	page.WriteString("\n## Disagreements\n\n" + Groups(a.Disagreements))
	if open := a.openGaps(); len(open) > 0 {
		page.WriteString("\nKnown, and to be closed:\n\n")
		writeReasons(&page, open, nil)
	}
	return page.String()
}

const introduction = `<!-- Written by ./dev judge; do not edit. -->
# The real scheduler agrees

What tpu-admission allows must be scheduled, and what it denies because it can never be placed must
not be. ` + "`./dev judge`" + ` holds it to that. It runs a real control plane without our webhook
(%s), gives it nodes for all
shapes of the catalog (of %s), applies sound and faulty workloads, and compares what becomes of
their pods with what ` + "`tpu-admission check`" + ` says of the same manifests.

- A shape is a topology on a machine. Each has more nodes than a workload could want, so nothing is
  Pending for want of capacity; nothing runs on them. What a node has left for pods is what the catalog
  predicts. GKE's admission plugin ExtendedResourceToleration is on, and a policy of CEL stands in for
  GKE's own check of the two labels: it refuses pods without them, by the sentence that GKE prints.
- Sound workloads and wrong counts of pods go into each kind, on each shape of at most 8 hosts.
- Each fault goes into a Pod on each shape of the catalog, of any size; into each kind on
  v6e 2x2 and tpu7x 2x2x2; and into one more kind in turn on two shapes of each generation.
- Workloads with a queue go to Kueue and its topology-aware scheduling, on nodes of their own whose labels
  are the levels of its topology: sound ones, and each fault in the annotations of Kueue.
- ` + "`--full`" + ` puts sound workloads and wrong counts of pods into each kind on each shape of at most 64 hosts,
  and each fault into each kind on each shape of at most 16: what hangs on the number of hosts are the counts.

What became of each workload is stored in [verdicts.tsv](../tests/e2e/judge/verdicts.tsv), for tests
that have no cluster.

**%d cases: %s.**

## By rule

`

func conclusion(a *Agreement) string {
	parts := []string{"no disagreement"}
	if len(a.Disagreements) > 0 {
		parts[0] = fmt.Sprintf("%d disagreements (below)", len(a.Disagreements))
	}
	if a.NotJudged > 0 {
		parts = append(parts, fmt.Sprintf("%d more are not judged yet (run `./dev judge`)", a.NotJudged))
	}
	if len(a.NotRead) > 0 {
		parts = append(parts, "not read by the binary, so left out: "+strings.Join(a.NotRead, "; "))
	}
	return strings.Join(parts, "; ")
}

func ruleTable(a *Agreement, rules map[string]string) string {
	var table strings.Builder
	table.WriteString("| rule | denied, not scheduled | denied, fails later | denied, yet fine | " +
		"warned, scheduled | warned, not scheduled |\n|---|---:|---:|---:|---:|---:|\n")
	for _, id := range slices.Sorted(maps.Keys(a.ByRule)) {
		t := a.ByRule[id]
		fmt.Fprintf(&table, "| [%s](../src/rules/%s_%s/README.md) %s | %d | %d | %d | %d | %d |\n", id, id,
			strings.ReplaceAll(rules[id], "-", "_"), rules[id], t.DeniedNotScheduled, t.DeniedLater, t.DeniedWrongly, t.WarnedScheduled, t.WarnedNotScheduled)
	}
	fmt.Fprintf(&table, "\nNeither denied nor warned: %d scheduled, %d not.\n", a.Silent[1], a.Silent[0])
	return table.String()
}

func writeReasons(page *strings.Builder, reasons, rules map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(reasons)) {
		name := key
		if rules != nil {
			name = strings.TrimSpace(key + " " + rules[key])
		}
		fmt.Fprintf(page, "- %s: %s\n", name, reasons[key])
	}
}

func faultTable(a *Agreement) string {
	outcomes := []Outcome{Scheduled, Partly, Pending, Refused, NeverMade, Unknown}
	var table strings.Builder
	table.WriteString("| fault | scheduled | partly | Pending | refused | never made | no answer | " +
		"denied | warned | allowed |\n|---|" + strings.Repeat("---:|", 9) + "\n")
	for _, name := range slices.Sorted(maps.Keys(a.ByFault)) {
		t := a.ByFault[name]
		title := name
		if t.Sound {
			title += " (sound)"
		}
		fmt.Fprintf(&table, "| %s ", title)
		for _, outcome := range outcomes {
			fmt.Fprintf(&table, "| %d ", t.Outcomes[outcome])
		}
		fmt.Fprintf(&table, "| %d | %d | %d |\n", t.Opinions["denied"], t.Opinions["warned"], t.Opinions["allowed"])
	}
	return table.String()
}

const repairsHeading = `For each workload that is denied, the first repair that ` + "`check`" + ` shows is applied to the letter, and the
result goes to the same scheduler and controllers: all its pods must find nodes. Where there is no
repair, a person must decide. What became of them is stored in
[repairs.tsv](../tests/e2e/judge/repairs.tsv).

| fault | denied | repaired, scheduled | repaired, not scheduled | not judged yet | no repair |
|---|---:|---:|---:|---:|---:|
`

func repairTable(a *Agreement) string {
	var table strings.Builder
	table.WriteString(repairsHeading)
	var sum repairTally
	row := func(name string, t *repairTally) {
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %d |\n", name, t.Denied, t.Scheduled, t.NotScheduled, t.NotJudged, t.None)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Repairs)) {
		t := a.Repairs[name]
		row(name, t)
		sum = repairTally{sum.Denied + t.Denied, sum.Scheduled + t.Scheduled, sum.NotScheduled + t.NotScheduled,
			sum.NotJudged + t.NotJudged, sum.None + t.None}
	}
	row("all", &sum)
	return table.String()
}

func kindTable(a *Agreement) string {
	var table strings.Builder
	table.WriteString("| kind | cases | scheduled | denied | disagreements |\n|---|---:|---:|---:|---:|\n")
	for _, k := range kinds {
		if t := a.ByKind[k.name]; t != nil {
			fmt.Fprintf(&table, "| %s | %d | %d | %d | %d |\n", k.name, t.Cases, t.Scheduled, t.Denied, t.Disagreements)
		}
	}
	return table.String() + "\nNot judged, for want of a controller: PathwaysJob, RayCronJob, the Kubeflow kinds, those of KServe, " +
		"Argo, Knative,\nVolcano and GitHub Actions, PodTemplate, and the objects that only choose nodes for others.\n"
}

// Groups is the list of disagreements by fault and what is wrong, with one example each.
func Groups(disagreements []Disagreement) string {
	if len(disagreements) == 0 {
		return "None.\n"
	}
	groups := map[string][]Disagreement{}
	for _, d := range disagreements {
		title := d.Case.Class + ": " + d.What
		groups[title] = append(groups[title], d)
	}
	titles := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(len(groups[b])-len(groups[a]), cmp.Compare(a, b))
	})
	var list strings.Builder
	for _, title := range titles {
		first := groups[title][0]
		fmt.Fprintf(&list, "- **%s** (%d cases; %s).\n  For example %s, %s; %s.\n", title, len(groups[title]),
			kindsOf(groups[title]), first.Case.Kind, first.Case.Shape, first.Opinion)
	}
	return list.String()
}

func kindsOf(disagreements []Disagreement) string {
	var found []string
	for _, d := range disagreements {
		found = add(found, d.Case.Kind.name)
	}
	if len(found) == len(kinds) {
		return "all kinds"
	}
	return strings.Join(found, ", ")
}
