package judge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"
	"strings"
)

// Verdicts are the outcomes of cases, as they are stored: one line for each shape and fault, with
// one letter for each kind.
type Verdicts map[string]map[byte]Outcome // by "shape fault", then by the letter of the kind

func (c *Case) row() string { return c.Shape.String() + "\t" + c.Fault }

// Of returns the outcome of the case; ok is false if nobody has judged it.
func (v Verdicts) Of(c *Case) (outcome Outcome, ok bool) {
	outcome, ok = v[c.row()][c.Kind.letter]
	return outcome, ok
}

// Set stores the outcome of the case; an unknown one is no verdict.
func (v Verdicts) Set(c *Case, outcome Outcome) {
	if v[c.row()] == nil {
		v[c.row()] = map[byte]Outcome{}
	}
	v[c.row()][c.Kind.letter] = outcome
	if outcome == Unknown {
		delete(v[c.row()], c.Kind.letter)
	}
}

// ReadVerdicts reads the file; one that does not exist holds none.
func ReadVerdicts(path string) (Verdicts, error) {
	verdicts := Verdicts{}
	rows, err := readTable(path, 3)
	var letters, shape string
	for _, fields := range rows {
		if letters == "" { // the heading
			letters = fields[2]
			continue
		}
		if len(fields[2]) > len(letters) {
			return nil, fmt.Errorf("%s: more than %d letters: %q", path, len(letters), fields)
		}
		if fields[0] != "" {
			shape = fields[0]
		}
		row := map[byte]Outcome{}
		for i := range fields[2] {
			if fields[2][i] != '.' {
				row[letters[i]] = Outcome(fields[2][i])
			}
		}
		verdicts[shape+"\t"+fields[1]] = row
	}
	return verdicts, err
}

// readTable returns the fields of the lines that have so many; a file that does not exist has none.
func readTable(path string, columns int) (rows [][]string, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if !strings.HasPrefix(line, "#") && len(fields) == columns {
			rows = append(rows, fields)
		}
	}
	return rows, err
}

// Write stores the verdicts in the order of the cases of the whole catalog, so that the same
// verdicts make the same file. Those of cases that no longer exist are left out.
func (v Verdicts) Write(path string, all []*Case) error {
	var text strings.Builder
	text.WriteString(explanation())
	letters := letters()
	fmt.Fprintf(&text, "shape\tfault\t%s\n", letters)
	seen, above := map[string]bool{}, ""
	for _, c := range all {
		if seen[c.row()] || len(v[c.row()]) == 0 {
			continue
		}
		seen[c.row()] = true
		line := []byte(strings.Repeat(".", len(letters)))
		for i := range letters {
			if outcome, ok := v[c.row()][letters[i]]; ok {
				line[i] = byte(outcome)
			}
		}
		shape := c.Shape.String()
		if shape == above {
			shape = ""
		} else {
			above = shape
		}
		fmt.Fprintf(&text, "%s\t%s\t%s\n", shape, c.Fault, strings.TrimRight(string(line), "."))
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

func letters() string {
	var letters strings.Builder
	for _, k := range kinds {
		letters.WriteByte(k.letter)
	}
	return letters.String()
}

func explanation() string {
	var names, outcomes []string
	for _, k := range kinds {
		names = append(names, string(k.letter)+" "+k.name)
	}
	for _, o := range []Outcome{Scheduled, Partly, Pending, Refused, NeverMade} {
		outcomes = append(outcomes, string(o)+" "+o.String())
	}
	sort.Strings(outcomes)
	return "# What the real kube-scheduler and the real controllers made of each workload: ./dev judge writes\n" +
		"# this file, see docs/judge.md. One line for each shape (generation/topology/machine) and fault;\n" +
		"# without a shape it is that of the line above.\n" +
		"# Columns, by kind: " + strings.Join(names, ", ") + ".\n" +
		"# Letters: " + strings.Join(outcomes, ", ") + "; . or nothing: not tried.\n"
}
