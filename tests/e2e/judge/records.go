package judge

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tpu-admission.io/e2e/harness"
)

// Record is what the controller would have written down of a cluster: which shapes it has or had.
type Record struct {
	Autoscaler bool
	AtZero     bool // its node pools have no nodes now
	pairs      map[Pair]bool
}

// Shapes are all that the judge's nodes have.
func Shapes(catalog *Catalog) (pairs []Pair) {
	for _, s := range catalog.Shapes() {
		if !slices.Contains(pairs, s.labels()) {
			pairs = append(pairs, s.labels())
		}
	}
	return pairs
}

// Foreign is a shape that none of the judge's nodes has.
var Foreign = Pair{"tpu-v99-slice", "9x9"}

// Queued says whether Kueue decides about the case.
func (c *Case) Queued() bool { return c.queued }

// RecordOf is a record of the shapes for which keep is true.
func RecordOf(shapes []Pair, keep func(Pair) bool) Record {
	record := Record{pairs: map[Pair]bool{}}
	for _, pair := range shapes {
		if keep(pair) {
			record.pairs[pair] = true
		}
	}
	return record
}

// text is the record as the controller writes it, an hour old and brought up now.
func (r Record) text() string {
	now := time.Now().UTC()
	var text strings.Builder
	fmt.Fprintf(&text, "since: %q\ncurrent: %q\nautoscaler: %t\nshapes:\n",
		now.Add(-time.Hour).Format(time.RFC3339), now.Format(time.RFC3339), r.Autoscaler)
	for _, pair := range slices.SortedFunc(maps.Keys(r.pairs), func(a, b Pair) int {
		return strings.Compare(a.String(), b.String())
	}) {
		nodes, seen := `nodes: 4, most: 4, pools: 1`, ""
		if r.AtZero {
			nodes, seen = `nodes: 0, most: 4, pools: 0`, fmt.Sprintf(", seen: %q", now.Format(time.DateOnly))
		}
		fmt.Fprintf(&text, "- {accelerator: %q, topology: %q, chips: 4, %s%s}\n", pair.accelerator, pair.topology, nodes, seen)
	}
	return text.String()
}

// Lands says whether the record has nodes that the case's pods may take.
func (r Record) Lands(c *Case) bool {
	return slices.ContainsFunc(c.physical(), func(pair Pair) bool { return r.pairs[pair] })
}

// physical are the shapes of the nodes that the pods may take: those behind a queue are of the case's own shape.
func (c *Case) physical() []Pair {
	if c.queued {
		return []Pair{c.Shape.labels()}
	}
	return c.lands
}

// Seat is one shape that the pods may take, in turn over the cases.
func (c *Case) Seat() Pair {
	hash := fnv.New32a()
	hash.Write([]byte(c.id))
	seats := c.physical()
	return seats[hash.Sum32()%uint32(len(seats))]
}

// Hopeful are the cases, each left to somebody who may yet make nodes: by a selector of its pods, or by a label
// or an annotation of the object.
func Hopeful(cases []*Case, selector, label, annotation string) (changed []*Case, err error) {
	for _, c := range cases {
		copied := *c
		if copied.Object, err = clone(c.Object); err != nil {
			return nil, err
		}
		metadata := harness.Dig(copied.Object, "metadata").(object)
		for section, key := range map[string]string{"labels": label, "annotations": annotation} {
			if key == "" {
				continue
			}
			if metadata[section] == nil {
				metadata[section] = object{}
			}
			metadata[section].(object)[key] = "a"
		}
		if selector != "" {
			addSelector(copied.Object, selector)
		}
		changed = append(changed, &copied)
	}
	return changed, nil
}

// addSelector adds the selector to that of all pods that select an accelerator.
func addSelector(value any, key string) {
	switch v := value.(type) {
	case object:
		if selector, ok := v["nodeSelector"].(object); ok && selector[acceleratorLabel] != nil {
			selector[key] = "true"
		}
		for _, child := range v {
			addSelector(child, key)
		}
	case []any:
		for _, child := range v {
			addSelector(child, key)
		}
	}
}

func clone(made object) (copied object, err error) {
	text, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	return copied, json.Unmarshal(text, &copied)
}

// NodePools asks the binary, which knows the record, what the rule of missing node pools says of each case:
// "warn", "audit", "deny", or "" for nothing.
func NodePools(binary, work string, cases []*Case, record Record) (modes []string, err error) {
	file := filepath.Join(work, "nodes.yaml")
	if err := os.WriteFile(file, []byte(record.text()), 0o644); err != nil {
		return nil, err
	}
	answer, err := ask(binary, work, cases, "--node-record", file, "--select", "node-pool-missing")
	if err != nil {
		return nil, err
	}
	modes = make([]string, len(cases))
	for _, finding := range answer.Findings {
		if modes[finding.Document] != "warn" {
			modes[finding.Document] = finding.Mode
		}
	}
	return modes, nil
}
