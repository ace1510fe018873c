package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"gopkg.in/evanphx/json-patch.v4"
)

// Repaired returns a case for each case that is denied and has a repair: its object with the first
// repair applied to the letter. Nothing may be wrong with it, and all its pods must find nodes.
func Repaired(catalog *Catalog, cases []*Case, opinions []Opinion) (repaired []*Case, err error) {
	var pairs []Pair
	for _, s := range catalog.Shapes() {
		pairs = append(pairs, s.labels())
	}
	for i, c := range cases {
		if len(opinions[i].Denied) == 0 || opinions[i].Repair == nil {
			continue
		}
		fixed, err := c.repaired(opinions[i].Repair, pairs)
		if err != nil {
			return nil, fmt.Errorf("the repair of %s, %s, %q: %w", c.Shape, c.Kind, c.Fault, err)
		}
		repaired = append(repaired, fixed)
	}
	return repaired, nil
}

func (c *Case) repaired(patch json.RawMessage, pairs []Pair) (*Case, error) {
	text, err := json.Marshal(c.Object)
	if err != nil {
		return nil, err
	}
	edits, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	if text, err = edits.Apply(text); err != nil {
		return nil, err
	}
	fixed := &Case{Shape: c.Shape, Kind: c.Kind, Fault: c.Fault, Class: c.Class, Sound: true, id: "r" + c.id[1:]}
	if err := json.Unmarshal(text, &fixed.Object); err != nil {
		return nil, err
	}
	fixed.count()
	fixed.name()
	if fixed.lands = landing(fixed.Object, pairs); c.queued {
		fixed.inQueue(c.lands[0])
	}
	return fixed, nil
}

// landing are the label pairs whose nodes the pods may land on, by all selectors in the object.
func landing(made object, all []Pair) (pairs []Pair) {
	accelerators, topologies := selected(made, acceleratorLabel), selected(made, topologyLabel)
	for _, pair := range all {
		if (len(accelerators) == 0 || slices.Contains(accelerators, pair.accelerator)) &&
			(len(topologies) == 0 || slices.Contains(topologies, pair.topology)) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// selected are the values that node selectors and affinities anywhere in the value have for the label.
func selected(value any, label string) (values []string) {
	switch v := value.(type) {
	case object:
		if text, ok := v[label].(string); ok {
			values = append(values, text)
		}
		if v["key"] == label && v["operator"] == "In" {
			for _, text := range v["values"].([]any) {
				values = append(values, text.(string))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			values = append(values, selected(v[key], label)...)
		}
	case []any:
		for _, item := range v {
			values = append(values, selected(item, label)...)
		}
	}
	return values
}

// digest is the object without what differs from case to case: its name.
func (c *Case) digest() string {
	if c.sum == "" {
		text, _ := json.Marshal(c.Object)
		sum := sha256.Sum256([]byte(c.Kind.name + strings.ReplaceAll(string(text), c.id, "")))
		c.sum = hex.EncodeToString(sum[:8])
	}
	return c.sum
}

// RepairVerdicts are the outcomes of repaired objects by their digest: many a fault has the same repair.
type RepairVerdicts map[string]Outcome

// Of returns the outcome of the repaired case; ok is false if nobody has judged it.
func (v RepairVerdicts) Of(c *Case) (outcome Outcome, ok bool) {
	outcome, ok = v[c.digest()]
	return outcome, ok
}

// Set stores the outcome of the repaired case; an unknown one is no verdict.
func (v RepairVerdicts) Set(c *Case, outcome Outcome) {
	if outcome != Unknown {
		v[c.digest()] = outcome
	}
}

// Learn takes over what became of cases that are the same as a repaired one.
func (v RepairVerdicts) Learn(cases []*Case, verdicts Verdicts) {
	for _, c := range cases {
		if outcome, ok := verdicts.Of(c); ok {
			v[c.digest()] = outcome
		}
	}
}

// NotJudged returns one case for each repaired object that nobody has judged.
func (v RepairVerdicts) NotJudged(repaired []*Case) (fresh []*Case) {
	seen := map[string]bool{}
	for _, c := range repaired {
		if _, ok := v.Of(c); !ok && !seen[c.digest()] {
			seen[c.digest()] = true
			fresh = append(fresh, c)
		}
	}
	return fresh
}

// ReadRepairVerdicts reads the file; one that does not exist holds none.
func ReadRepairVerdicts(path string) (RepairVerdicts, error) {
	verdicts := RepairVerdicts{}
	rows, err := readTable(path, 4)
	for _, fields := range rows {
		if len(fields[1]) == 1 {
			verdicts[fields[0]] = Outcome(fields[1][0])
		}
	}
	return verdicts, err
}

// Write stores the verdicts of the repaired cases, sorted; those of objects that no repair makes any
// more are left out.
func (v RepairVerdicts) Write(path string, repaired []*Case) error {
	rows := map[string]string{}
	for _, c := range repaired {
		if outcome, ok := v.Of(c); ok && outcome != Unknown {
			rows[c.digest()] = fmt.Sprintf("%s\t%c\t%s\t%s\n", c.digest(), outcome, c.Kind, c.Shape)
		}
	}
	var text strings.Builder
	text.WriteString("# What the real kube-scheduler and controllers made of workloads with their first repair applied:\n" +
		"# ./dev judge writes this file. Digest of the object, outcome (letters as in verdicts.tsv), kind, and\n" +
		"# the shape of the workload that was repaired.\n")
	for _, digest := range slices.Sorted(maps.Keys(rows)) {
		text.WriteString(rows[digest])
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}
