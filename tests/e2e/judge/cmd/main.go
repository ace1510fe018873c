// Command judge holds tpu-admission against the real scheduler. tests/e2e/judge/run builds what it
// needs and starts it; docs/judge.md says what it does.
//
// Exit codes: 0 they agree, 1 they do not, 2 it could not run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	agreed, err := run(ctx, s)
	if err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		if ctx.Err() != nil {
			fmt.Fprintln(os.Stderr, "judge: what was judged is kept; --missing goes on from there")
		}
		os.Exit(2)
	}
	if !agreed {
		os.Exit(1)
	}
}

// books are what is known of cases and of their repairs.
type books struct {
	catalog        *judge.Catalog
	all            []*judge.Case
	verdicts       judge.Verdicts
	repairVerdicts judge.RepairVerdicts
	*asked         // nil until the binary is asked
}

// asked is what the binary says of the judged cases.
type asked struct {
	judged   []*judge.Case
	opinions []judge.Opinion   // of judged, in its order
	rules    map[string]string // those that had something to say, with their names
	repaired []*judge.Case
}

func (b *books) paths(root string) (verdicts, repairs string) {
	return filepath.Join(root, "tests/e2e/judge/verdicts.tsv"), filepath.Join(root, "tests/e2e/judge/repairs.tsv")
}

func open(s settings) (b *books, err error) {
	b = &books{}
	if b.catalog, err = judge.ReadCatalog(s.binary); err != nil {
		return nil, err
	}
	b.all = judge.Cases(b.catalog, judge.Full)
	verdicts, repairs := b.paths(s.root)
	if b.verdicts, err = judge.ReadVerdicts(verdicts); err != nil {
		return nil, err
	}
	b.repairVerdicts, err = judge.ReadRepairVerdicts(repairs)
	return b, err
}

func run(ctx context.Context, s settings) (agreed bool, err error) {
	b, err := open(s)
	if err != nil {
		return false, err
	}
	scope := judge.Normal
	if s.full {
		scope = judge.Full
	}
	if !s.stored {
		err = b.judgeAnew(ctx, s, scope)
	}
	if b.asked == nil {
		err = errors.Join(err, b.ask(s))
	}
	// Also after an error or a signal: what is judged need not be judged again (--missing).
	if err := errors.Join(err, b.write(s.root)); err != nil {
		return false, err
	}
	return b.compare(s)
}

func (b *books) write(root string) error {
	verdicts, repairs := b.paths(root)
	err := b.verdicts.Write(verdicts, b.all)
	if b.asked != nil {
		err = errors.Join(err, b.repairVerdicts.Write(repairs, b.repaired))
	}
	return err
}

// judgeAnew runs the cases of the scope, then their repairs, and keeps the outcomes.
func (b *books) judgeAnew(ctx context.Context, s settings, scope judge.Scope) error {
	var before []*judge.Case
	for i, step := range scope.Steps() {
		cases := judge.Cases(b.catalog, step)
		own := judge.Except(slices.Clone(cases), before)
		before = cases
		if err := b.judgeStep(ctx, s, step, own, fmt.Sprintf("judge-%d", i)); err != nil {
			return err
		}
	}
	return nil
}

// judgeStep runs the cases, which have room on the nodes of the scope, on a control plane of their own.
func (b *books) judgeStep(ctx context.Context, s settings, scope judge.Scope, cases []*judge.Case, name string) error {
	plane, err := harness.StartControlPlane(s.programs, s.work, name,
		harness.Options{ExtendedResourceToleration: true})
	defer plane.Stop()
	if err != nil {
		return err
	}
	referee, err := judge.Prepare(plane, s.neighbours, b.catalog, scope)
	if err != nil {
		return err
	}
	cases = judge.Only(cases, s.kind)
	if s.missing {
		cases = judge.NotJudged(cases, b.verdicts)
	}
	if err := judgeAll(ctx, referee, "cases", cases, b.verdicts.Set); err != nil {
		return err
	}
	if err := b.ask(s); err != nil {
		return err
	}
	fresh := referee.WithRoom(judge.Only(b.repairVerdicts.NotJudged(b.repaired), s.kind))
	return judgeAll(ctx, referee, "repaired cases", fresh, b.repairVerdicts.Set)
}

func judgeAll(ctx context.Context, referee *judge.Referee, what string, cases []*judge.Case, set func(*judge.Case, judge.Outcome)) error {
	begin, last, count := time.Now(), time.Now(), 0
	say := func() {
		fmt.Printf("judge: %d of %d %s, %s\n", count, len(cases), what, time.Since(begin).Round(time.Second))
	}
	err := referee.JudgeAll(ctx, cases, 40, func(c *judge.Case, outcome judge.Outcome) {
		set(c, outcome)
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

// ask asks the binary what it says of the judged cases, and what would run instead. What is already known
// of the same objects is learnt.
func (b *books) ask(s settings) error {
	judged := judge.Judged(b.all, b.verdicts)
	opinions, rules, err := judge.Opinions(s.binary, s.work, judged)
	if err != nil {
		return err
	}
	repaired, err := judge.Repaired(b.catalog, judged, opinions)
	if err != nil {
		return err
	}
	b.asked = &asked{judged, opinions, rules, repaired}
	b.repairVerdicts.Learn(judged, b.verdicts)
	return nil
}

// compare writes the page about the verdicts there are.
func (b *books) compare(s settings) (bool, error) {
	notRead, err := judge.KindsNotRead(s.binary, s.work, b.judged)
	if err != nil {
		return false, err
	}
	agreement := judge.Compare(b.judged, b.opinions, b.verdicts, notRead)
	agreement.CompareRepairs(b.judged, b.opinions, b.repaired, b.repairVerdicts)
	agreement.NotJudged = len(judge.NotJudged(judge.Cases(b.catalog, judge.Normal), b.verdicts)) +
		len(b.repairVerdicts.NotJudged(b.repaired))
	denying, err := judge.Denying(s.binary)
	if err != nil {
		return false, err
	}
	uncovered := agreement.Coverage(denying)
	maps.Copy(b.rules, denying)
	page := judge.Page(b.catalog, agreement, b.rules, s.versions)
	if err := os.WriteFile(filepath.Join(s.root, "docs/judge.md"), []byte(page), 0o644); err != nil {
		return false, err
	}
	for _, fault := range uncovered {
		fmt.Println("judge:", fault)
	}
	fmt.Printf("%s\njudge: %d cases and %d repairs compared, %d disagreements, %d not judged; docs/judge.md has the table\n",
		judge.Groups(agreement.Disagreements), agreement.Cases, len(b.repaired), len(agreement.Disagreements), agreement.NotJudged)
	return len(agreement.Disagreements)+agreement.NotJudged+len(uncovered) == 0, nil
}
