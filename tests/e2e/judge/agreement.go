package judge

import (
	"slices"
)

// laterRefusals are the rules that deny what the scheduler does place: it is the device plugin of
// the node or the running program that fails. The list is closed: a rule that is not in it must
// never deny what is scheduled.
var laterRefusals = map[string]string{
	"TPU205": "The TPU runtime of a slice waits for all its hosts; Kueue admits fewer pods than the slice has.",
	"TPU301": "The device plugin hands out all chips of a host together, to one container (on TPU7x 1, 2 or 4).",
	"TPU303": "The device plugin hands out all chips of a host together, to one container.",
	"TPU401": "The TPU runtime of a slice waits for all its hosts; the scheduler does not know of slices.",
}

// doubts are the rules that warn, and do not deny, of what the scheduler does not place on the nodes
// of our catalog: there may be nodes that the catalog does not know. The list is closed.
var doubts = map[string]string{
	"TPU101": "A label of an unknown generation may be that of a new one.",
	"TPU102": "A template may be completed before its pods are made.",
	"TPU103": "A template may be completed before its pods are made.",
	"TPU104": "A DaemonSet makes no pods without it; nobody is denied for a missing toleration.",
	"TPU105": "GKE tolerates the taint for the pod; a DaemonSet's pods are not even made.",
	"TPU110": "A machine type that the catalog does not know may be new.",
	"TPU111": "What no public page documents (tpu7x-standard-1t, TPU7) may be otherwise, and sources disagree about hosts of TPU v3.",
	"TPU116": "It is GKE's check that refuses a DaemonSet's pods, and a template may be completed before they are made.",
	"TPU202": "A generation that no public page documents (TPU7, the device machines) may have other topologies.",
	"TPU203": "A generation that no public page documents (TPU7, the device machines) may have other topologies.",
	"TPU206": "Kueue's webhook takes what Kueue then never admits, or refuses it only without a feature gate; the levels of a cluster are its administrator's.",
	"TPU301": "A generation that no public page documents (TPU7, the device machines) may split its hosts otherwise, and sources disagree about hosts of TPU v3.",
	"TPU303": "A generation that no public page documents (TPU7, the device machines) may split its hosts otherwise.",
	"TPU501": "A zone or region that no list has for the generation may be new.",
	"TPU603": "What a node has left for pods is predicted, not measured.",
}

// silences are the faults of which nothing is said although the scheduler does not place them, each
// by decision. The list is closed.
var silences = map[string]string{
	"queue: one part, no toleration": "Kueue holds the taint of the nodes against the template; the ResourceFlavor may tolerate it, as none does here.",
}

// gaps are the faults that no rule finds yet, or no repair mends: none today. They are on the page, and
// fail ./dev judge, but not continuous integration. The list is to stay empty.
var gaps = map[string]string{}

// Agreement is the comparison of verdicts and opinions.
type Agreement struct {
	Cases         int
	ByRule        map[string]*ruleTally
	ByFault       map[string]*faultTally
	ByKind        map[string]*kindTally
	Silent        [2]int // cases without a denial or a warning: not scheduled, scheduled
	Disagreements []Disagreement
	NotJudged     int                     // cases that have no verdict yet
	Repairs       map[string]*repairTally // by fault
	NotRead       []string
}

type ruleTally struct {
	DeniedNotScheduled, DeniedLater, DeniedWrongly int
	WarnedScheduled, WarnedNotScheduled            int
}

type faultTally struct {
	Sound    bool
	Outcomes map[Outcome]int
	Opinions map[string]int
}

// repairTally: of the denied cases of a fault, what became of them once their first repair was applied.
type repairTally struct{ Denied, Scheduled, NotScheduled, NotJudged, None int }

type kindTally struct{ Cases, Scheduled, Denied, Disagreements int }

// Disagreement is a case in which we and the scheduler are not of one mind.
type Disagreement struct {
	Case    *Case
	Outcome Outcome
	Opinion Opinion
	What    string
	Gap     bool // known
}

// CompareAll asks the binary about the cases and holds its opinions against the verdicts. It also
// returns the names of the rules that had something to say.
func CompareAll(binary, work string, cases []*Case, verdicts Verdicts) (*Agreement, map[string]string, error) {
	opinions, rules, err := Opinions(binary, work, cases)
	if err != nil {
		return nil, nil, err
	}
	notRead, err := KindsNotRead(binary, work, cases)
	if err != nil {
		return nil, nil, err
	}
	return Compare(cases, opinions, verdicts, notRead), rules, nil
}

// CompareRepairs counts what became of the denied cases after their first repair, which must be
// scheduled completely.
func (a *Agreement) CompareRepairs(cases []*Case, opinions []Opinion, repaired []*Case, verdicts RepairVerdicts) {
	a.Repairs = map[string]*repairTally{}
	byCase := map[string]*Case{}
	for _, r := range repaired {
		byCase[r.id[1:]] = r
	}
	for i, c := range cases {
		if len(opinions[i].Denied) > 0 {
			a.countRepair(tally(a.Repairs, c.Class), byCase[c.id[1:]], opinions[i], verdicts)
		}
	}
}

func (a *Agreement) countRepair(t *repairTally, repaired *Case, opinion Opinion, verdicts RepairVerdicts) {
	t.Denied++
	if repaired == nil {
		t.None++
		return
	}
	switch outcome, ok := verdicts.Of(repaired); {
	case !ok:
		t.NotJudged++
	case outcome == Scheduled:
		t.Scheduled++
	default:
		t.NotScheduled++
		a.disagree(repaired, outcome, opinion, "its first repair is not scheduled, but "+outcome.String())
	}
}

// Compare holds the opinions against the verdicts. Kinds that the binary does not read are left out.
func Compare(cases []*Case, opinions []Opinion, verdicts Verdicts, notRead []string) *Agreement {
	a := &Agreement{ByRule: map[string]*ruleTally{}, ByFault: map[string]*faultTally{},
		ByKind: map[string]*kindTally{}, NotRead: notRead}
	for i, c := range cases {
		if outcome, ok := verdicts.Of(c); ok && !slices.Contains(notRead, c.Kind.name) {
			a.add(c, outcome, opinions[i])
		}
	}
	return a
}

func (a *Agreement) add(c *Case, outcome Outcome, opinion Opinion) {
	before := len(a.Disagreements)
	a.Cases++
	scheduled := outcome == Scheduled
	for _, rule := range opinion.Denied {
		a.countDenial(c, outcome, opinion, rule)
	}
	for _, rule := range opinion.Warned {
		if scheduled {
			tally(a.ByRule, rule).WarnedScheduled++
		} else {
			tally(a.ByRule, rule).WarnedNotScheduled++
		}
	}
	if !scheduled && len(opinion.Denied) == 0 && !excused(c, opinion) {
		a.disagree(c, outcome, opinion, "not denied, but "+outcome.String())
	}
	if opinion.word() == "allowed" {
		a.Silent[map[bool]int{true: 1}[scheduled]]++
	}
	fault := tally(a.ByFault, c.Class)
	if fault.Outcomes == nil {
		*fault = faultTally{c.Sound, map[Outcome]int{}, map[string]int{}}
	}
	fault.Outcomes[outcome]++
	fault.Opinions[opinion.word()]++
	a.countKind(c.Kind.name, scheduled, len(opinion.Denied) > 0, len(a.Disagreements) > before)
}

func (a *Agreement) countDenial(c *Case, outcome Outcome, opinion Opinion, rule string) {
	switch {
	case outcome != Scheduled:
		tally(a.ByRule, rule).DeniedNotScheduled++
	case c.Sound:
		tally(a.ByRule, rule).DeniedWrongly++
		a.disagree(c, outcome, opinion, "nothing is wrong with it, but "+rule+" denies it")
	case laterRefusals[rule] != "":
		tally(a.ByRule, rule).DeniedLater++
	default:
		tally(a.ByRule, rule).DeniedWrongly++
		a.disagree(c, outcome, opinion, rule+" denies it, but it is scheduled")
	}
}

// New are the disagreements that are no known gaps.
func (a *Agreement) New() []Disagreement {
	return slices.DeleteFunc(slices.Clone(a.Disagreements), func(d Disagreement) bool { return d.Gap })
}

func (a *Agreement) openGaps() map[string]string {
	open := map[string]string{}
	for _, d := range a.Disagreements {
		if d.Gap {
			open[d.Case.Class] = gaps[d.Case.Class]
		}
	}
	return open
}

func (a *Agreement) countKind(name string, scheduled, denied, disagreed bool) {
	kind := tally(a.ByKind, name)
	kind.Cases++
	for counter, yes := range map[*int]bool{
		&kind.Scheduled: scheduled, &kind.Denied: denied, &kind.Disagreements: disagreed} {
		if yes {
			*counter++
		}
	}
}

// excused: a warning that says why it is no denial, or a silence by decision.
func excused(c *Case, opinion Opinion) bool {
	if silences[c.Class] != "" {
		return true
	}
	return slices.ContainsFunc(opinion.Warned, func(rule string) bool { return doubts[rule] != "" })
}

func (a *Agreement) disagree(c *Case, outcome Outcome, opinion Opinion, what string) {
	a.Disagreements = append(a.Disagreements, Disagreement{Case: c, Outcome: outcome, Opinion: opinion,
		What: what, Gap: gaps[c.Class] != ""})
}

func tally[T any](tallies map[string]*T, key string) *T {
	if tallies[key] == nil {
		tallies[key] = new(T)
	}
	return tallies[key]
}
