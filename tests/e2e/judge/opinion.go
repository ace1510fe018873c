package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Opinion is what `tpu-admission check` says of a case: the rules that deny it, those that warn, and what
// would run.
type Opinion struct {
	Denied, Warned []string
	Repair         json.RawMessage // the first repair, as a patch; nil if there is none
}

// word is the opinion as a column of the table.
func (o Opinion) word() string {
	switch {
	case len(o.Denied) > 0:
		return "denied"
	case len(o.Warned) > 0:
		return "warned"
	}
	return "allowed"
}

// String is the opinion in words, with the rules.
func (o Opinion) String() string {
	switch o.word() {
	case "denied":
		return "denied by " + strings.Join(o.Denied, ", ")
	case "warned":
		return "warned of by " + strings.Join(o.Warned, ", ")
	}
	return "nothing is said"
}

type report struct {
	Workloads int
	Findings  []struct {
		Document   int
		Rule, Mode string
		RuleName   string `json:"rule_name"`
	}
	Repairs []struct {
		Document int
		Label    string
		Patch    json.RawMessage
	}
	Errors []struct{ File, Error string }
}

// Opinions asks the binary about all cases at once; the opinions have the order of the cases. With
// them come the names of the rules and which kinds the binary does not read.
func Opinions(binary, work string, cases []*Case) (opinions []Opinion, rules map[string]string, err error) {
	answer, err := ask(binary, work, cases)
	if err != nil {
		return nil, nil, err
	}
	opinions, rules = make([]Opinion, len(cases)), map[string]string{}
	for _, finding := range answer.Findings {
		opinion := &opinions[finding.Document]
		rules[finding.Rule] = finding.RuleName
		switch finding.Mode {
		case "deny":
			opinion.Denied = add(opinion.Denied, finding.Rule)
		case "warn":
			opinion.Warned = add(opinion.Warned, finding.Rule)
		}
	}
	for _, repair := range answer.Repairs {
		if repair.Label == "a" {
			opinions[repair.Document].Repair = repair.Patch
		}
	}
	return opinions, rules, nil
}

// ask lets the binary check all cases, as the documents of files that it reads: at most 16 MiB. Documents of
// the answer are numbered through all of them.
func ask(binary, work string, cases []*Case, flags ...string) (*report, error) {
	const ofAFile = 5000
	all, first := &report{}, 0
	for some := range slices.Chunk(cases, ofAFile) {
		var text bytes.Buffer
		for _, c := range some {
			line, err := json.Marshal(c.Object)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&text, "---\n%s\n", line)
		}
		answer, err := check(binary, filepath.Join(work, "cases.yaml"), text.Bytes(), flags...)
		if err != nil {
			return nil, err
		}
		all.add(answer, first)
		first += len(some)
	}
	return all, nil
}

// add appends what another report says, whose documents come after so many.
func (r *report) add(other *report, before int) {
	r.Workloads += other.Workloads
	for _, finding := range other.Findings {
		finding.Document += before
		r.Findings = append(r.Findings, finding)
	}
	for _, repair := range other.Repairs {
		repair.Document += before
		r.Repairs = append(r.Repairs, repair)
	}
}

// KindsNotRead are the kinds in which the binary finds no workload.
func KindsNotRead(binary, work string, cases []*Case) (unread []string, err error) {
	for _, k := range kinds {
		i := slices.IndexFunc(cases, func(c *Case) bool { return c.Kind == k })
		if i < 0 {
			continue
		}
		text, err := json.Marshal(cases[i].Object)
		if err != nil {
			return nil, err
		}
		answer, err := check(binary, filepath.Join(work, "kind.yaml"), text)
		if err != nil {
			return nil, err
		}
		if answer.Workloads == 0 {
			unread = append(unread, k.name)
		}
	}
	return unread, nil
}

func check(binary, file string, text []byte, flags ...string) (*report, error) {
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, err
	}
	output, err := exec.Command(binary, append([]string{"check", "--output", "json", file}, flags...)...).Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 2) {
		return nil, fmt.Errorf("%s check: %w", binary, err)
	}
	answer := &report{}
	if err := json.Unmarshal(output, answer); err != nil {
		return nil, fmt.Errorf("%s check: %w", binary, err)
	}
	if len(answer.Errors) > 0 {
		return nil, fmt.Errorf("%s check cannot read %d cases: %v", binary, len(answer.Errors), answer.Errors[0])
	}
	return answer, nil
}

func add(list []string, item string) []string {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}
