// Command judge holds tpu-admission against the real scheduler. tests/e2e/judge/run builds what it
// needs and starts it; docs/judge.md says what it does.
//
// Exit codes: 0 they agree, 1 they do not, 2 it could not run.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tpu-admission.io/e2e/harness"
	"tpu-admission.io/e2e/judge"
)

type settings struct {
	binary, programs, neighbours, work, root, versions string
	full, stored, missing                              bool
	kind                                               string
}

func main() {
	var s settings
	flag.StringVar(&s.binary, "binary", "", "tpu-admission")
	flag.StringVar(&s.programs, "programs", "", "folder of the control plane")
	flag.StringVar(&s.neighbours, "neighbours", "", "folder of jobset, lws and kuberay")
	flag.StringVar(&s.work, "work", "", "temporary folder")
	flag.StringVar(&s.root, "root", "", "the repository")
	flag.StringVar(&s.versions, "versions", "", "what the control plane is made of, for the page")
	flag.BoolVar(&s.full, "full", false, "every fault in every kind on every shape, large slices included")
	flag.BoolVar(&s.stored, "stored", false, "no cluster: compare with the stored verdicts")
	flag.BoolVar(&s.missing, "missing", false, "judge only the cases that have no verdict yet")
	flag.StringVar(&s.kind, "kind", "", "judge the cases of this kind only (all others keep their verdicts)")
	flag.Parse()
	agreed, err := run(s)
	if err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(2)
	}
	if !agreed {
		os.Exit(1)
	}
}

func run(s settings) (agreed bool, err error) {
	catalog, err := judge.ReadCatalog(s.binary)
	if err != nil {
		return false, err
	}
	all := judge.Cases(catalog, judge.Full)
	path := filepath.Join(s.root, "tests/e2e/judge/verdicts.tsv")
	verdicts, err := judge.ReadVerdicts(path)
	if err != nil {
		return false, err
	}
	scope := judge.Normal
	if s.full {
		scope = judge.Full
	}
	if !s.stored {
		err = judgeAnew(s, catalog, scope, verdicts)
	}
	// Also after an error: what is judged need not be judged again (--missing).
	if err := errors.Join(err, verdicts.Write(path, all)); err != nil {
		return false, err
	}
	return compare(s, catalog, all, verdicts)
}

// judgeAnew runs the cases of the scope and puts the outcomes into verdicts.
func judgeAnew(s settings, catalog *judge.Catalog, scope judge.Scope, verdicts judge.Verdicts) error {
	plane, err := harness.StartControlPlane(s.programs, s.work, "judge",
		harness.Options{ExtendedResourceToleration: true})
	defer plane.Stop()
	if err != nil {
		return err
	}
	referee, err := judge.Prepare(plane, s.neighbours, catalog, scope)
	if err != nil {
		return err
	}
	cases := judge.Only(judge.Cases(catalog, scope), s.kind)
	if s.missing {
		cases = judge.NotJudged(cases, verdicts)
	}
	begin, last, count := time.Now(), time.Now(), 0
	say := func() {
		fmt.Printf("judge: %d of %d cases, %s\n", count, len(cases), time.Since(begin).Round(time.Second))
	}
	err = referee.JudgeAll(cases, 40, func(c *judge.Case, outcome judge.Outcome) {
		verdicts.Set(c, outcome)
		if outcome == judge.Unknown {
			fmt.Printf("judge: no answer in time: %s, %s, %q\n", c.Shape, c.Kind, c.Fault)
		}
		if count++; time.Since(last) > 15*time.Second {
			last = time.Now()
			say()
		}
	})
	say()
	return err
}

// compare writes the page about the verdicts there are.
func compare(s settings, catalog *judge.Catalog, all []*judge.Case, verdicts judge.Verdicts) (bool, error) {
	agreement, rules, err := judge.CompareAll(s.binary, s.work, judge.Judged(all, verdicts), verdicts)
	if err != nil {
		return false, err
	}
	agreement.NotJudged = len(judge.NotJudged(judge.Cases(catalog, judge.Normal), verdicts))
	page := judge.Page(catalog, agreement, rules, s.versions)
	if err := os.WriteFile(filepath.Join(s.root, "docs/judge.md"), []byte(page), 0o644); err != nil {
		return false, err
	}
	fmt.Printf("%s\njudge: %d cases compared, %d disagreements, %d not judged; docs/judge.md has the table\n",
		judge.Groups(agreement.Disagreements), agreement.Cases, len(agreement.Disagreements), agreement.NotJudged)
	return len(agreement.Disagreements) == 0 && agreement.NotJudged == 0, nil
}
