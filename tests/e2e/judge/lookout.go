package judge

import (
	"strings"
	"sync"
	"time"

	"tpu-admission.io/e2e/harness"
)

// lookout watches all pods and the complaints of controllers. It also does what a kubelet would do
// about a pod that is being deleted: it lets it go.
type lookout struct {
	api   *harness.API
	mutex sync.Mutex
	cases map[string]*sighting // by the id of the case
}

// sighting is what is to be seen of one case.
type sighting struct {
	pods     map[string]podState // by name
	failures int                 // events of controllers that could not make something
	changed  time.Time
	over     bool          // the case is judged: its pods, also late ones, are to go
	wake     chan struct{} // holds one item after a change
}

type podState struct{ judged, bound, hopeless, gated bool }

func newLookout(api *harness.API) *lookout {
	l := &lookout{api: api, cases: map[string]*sighting{}}
	path := "/api/v1/namespaces/" + namespace
	go follow(api, path+"/pods", l.forgetPods, l.seePod)
	go follow(api, path+"/events", func() {}, l.seeEvent)
	return l
}

// follow watches for as long as the API server lives, and says when it begins from the beginning.
func follow[T any](api *harness.API, path string, begins func(), seen func(string, T)) {
	for {
		begins()
		harness.Watch(api, path, seen)
		time.Sleep(50 * time.Millisecond)
	}
}

func (l *lookout) forgetPods() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, s := range l.cases {
		clear(s.pods)
		s.changed = time.Now()
	}
}

// caseOf returns the id at the start of a name ("c00012-x7f2p"; "r00012" after a repair), or "".
func caseOf(name string) string {
	const length = len("c00000")
	if len(name) < length || (name[0] != 'c' && name[0] != 'r') {
		return ""
	}
	return name[:length]
}

// pod and event are what the lookout reads of the objects.
type pod struct {
	Metadata struct {
		Name                       string
		Labels                     map[string]string
		DeletionGracePeriodSeconds int
	}
	Spec   struct{ NodeName string }
	Status struct {
		Conditions []struct{ Type, Reason string }
	}
}

type event struct {
	Type, Reason   string
	InvolvedObject struct{ Kind, Name string }
}

func (p *pod) state() podState {
	state := podState{judged: p.Metadata.Labels[judgedLabel] != "", bound: p.Spec.NodeName != ""}
	for _, condition := range p.Status.Conditions {
		if condition.Type == "PodScheduled" {
			state.hopeless = condition.Reason == "Unschedulable"
			state.gated = condition.Reason == "SchedulingGated"
		}
	}
	return state
}

func (l *lookout) seePod(change string, p pod) {
	name := p.Metadata.Name
	over := l.note(caseOf(name), func(s *sighting) {
		if change == "DELETED" {
			delete(s.pods, name)
		} else {
			s.pods[name] = p.state()
		}
	})
	if change != "DELETED" && (p.Metadata.DeletionGracePeriodSeconds > 0 || (over && change == "ADDED")) {
		go l.api.Delete("/api/v1/namespaces/" + namespace + "/pods/" + name)
	}
}

func (l *lookout) seeEvent(change string, e event) {
	if change == "ADDED" && e.Type == "Warning" && strings.Contains(e.Reason, "Fail") &&
		e.Reason != "FailedScheduling" && e.InvolvedObject.Kind != "Endpoints" {
		l.note(caseOf(e.InvolvedObject.Name), func(s *sighting) { s.failures++ })
	}
}

// note changes what is known of a case, wakes who waits, and says whether the case is over.
func (l *lookout) note(id string, change func(*sighting)) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	s := l.cases[id]
	if s == nil {
		return true // of a case that nobody has begun
	}
	change(s)
	s.changed = time.Now()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return s.over
}

func (l *lookout) begin(id string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.cases[id] = &sighting{pods: map[string]podState{}, changed: time.Now(),
		wake: make(chan struct{}, 1)}
}

// look is a summary of a case.
type look struct {
	made, bound, hopeless, gated int // of the pods that are judged
	all                          int // pods, the others included
	failures                     int
	quiet                        time.Duration // since the last change
}

func (l *lookout) look(id string) (seen look, changed <-chan struct{}) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	s := l.cases[id]
	for _, pod := range s.pods {
		if !pod.judged {
			continue
		}
		seen.made++
		if pod.bound {
			seen.bound++
		} else if pod.hopeless {
			seen.hopeless++
		} else if pod.gated {
			seen.gated++
		}
	}
	seen.all, seen.failures, seen.quiet = len(s.pods), s.failures, time.Since(s.changed)
	return seen, s.wake
}

// end says that the case is over and returns the names of its pods.
func (l *lookout) end(id string) (names []string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	s := l.cases[id]
	s.over = true
	for name := range s.pods {
		names = append(names, name)
	}
	return names
}
