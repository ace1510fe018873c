package judge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"tpu-admission.io/e2e/harness"
)

// How long nothing must have happened until an outcome that is not "scheduled" is believed.
const (
	calm    = 1200 * time.Millisecond
	silence = 30 * time.Second // no pods, and no controller complains
)

// Referee judges cases on a control plane that has the nodes.
type Referee struct {
	api     *harness.API
	nodes   map[Pair]int
	lookout *lookout
}

// NewReferee starts to watch the control plane.
func NewReferee(api *harness.API, nodes map[Pair]int) (*Referee, error) {
	err := api.Create("/api/v1/namespaces", object{"metadata": object{"name": namespace}})
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		err := api.Get("/api/v1/namespaces/"+namespace+"/serviceaccounts/default", nil)
		if err == nil {
			return &Referee{api, nodes, newLookout(api)}, nil
		}
		if time.Now().After(deadline) {
			return nil, err
		}
	}
}

// WithRoom returns the cases that have a node for each pod, wherever the pods go.
func (r *Referee) WithRoom(cases []*Case) []*Case {
	lacks := func(c *Case) bool {
		return slices.ContainsFunc(c.lands, func(pair Pair) bool { return c.pods > r.nodes[pair] })
	}
	return slices.DeleteFunc(cases, lacks)
}

// JudgeAll judges the cases, many at a time, and calls done after each. Those without an answer,
// since a controller had too much to do, are judged a second time at the end. It stops at an error, and
// when the context ends.
func (r *Referee) JudgeAll(ctx context.Context, cases []*Case, atATime int, done func(*Case, Outcome)) error {
	var again []*Case
	err := r.judgeAll(ctx, cases, atATime, func(c *Case, outcome Outcome) {
		if outcome == Unknown {
			again = append(again, c)
		} else {
			done(c, outcome)
		}
	})
	if err != nil {
		return err
	}
	time.Sleep(time.Second)
	return r.judgeAll(ctx, again, 4, done)
}

func (r *Referee) judgeAll(ctx context.Context, cases []*Case, atATime int, done func(*Case, Outcome)) (failed error) {
	var waiting sync.WaitGroup
	var mutex sync.Mutex
	room := newRoom(r.nodes, shuffled(cases))
	defer context.AfterFunc(ctx, func() {
		mutex.Lock()
		defer mutex.Unlock()
		failed = context.Cause(ctx)
		room.close()
	})()
	for range atATime {
		waiting.Go(func() {
			for c := room.next(); c != nil; c = room.next() {
				outcome, err := r.judge(c)
				room.giveBack(c)
				mutex.Lock()
				if err != nil {
					failed = fmt.Errorf("%s, %s, %q: %w", c.Shape, c.Kind.name, c.Fault, err)
					room.close()
				} else {
					done(c, outcome)
				}
				mutex.Unlock()
			}
		})
	}
	waiting.Wait()
	return failed
}

// shuffled: cases of one shape after the other would wait for each other's nodes.
func shuffled(cases []*Case) []*Case {
	mixed := slices.Clone(cases)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	return mixed
}

func (r *Referee) judge(c *Case) (Outcome, error) {
	r.lookout.begin(c.id)
	defer r.clear(c)
	if err := r.apply(c); err != nil {
		var status *harness.StatusError
		if errors.As(err, &status) && refusal(status.Code) {
			return Refused, nil
		}
		return Unknown, err
	}
	for {
		seen, changed := r.lookout.look(c.id)
		if outcome, ok := r.decide(c, seen); ok {
			return outcome, nil
		}
		select {
		case <-changed:
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// refusal: the object is at fault (invalid, or denied by a webhook of its controller).
func refusal(code int) bool {
	return code == http.StatusUnprocessableEntity || code == http.StatusForbidden ||
		code == http.StatusBadRequest
}

func (r *Referee) apply(c *Case) error {
	if c.service != nil {
		if err := r.create(inNamespace("/api/v1/services"), c.service); err != nil {
			return err
		}
	}
	if err := r.create(c.Kind.path(), c.Object); err != nil || c.Kind.also == nil {
		return err
	}
	return r.create(c.Kind.also(c.Object))
}

// create tries again when the API server is too busy to answer.
func (r *Referee) create(path string, made object) (err error) {
	for attempt := range 5 {
		err = r.api.Create(path+"?fieldValidation=Strict", made)
		var status *harness.StatusError
		switch answered := errors.As(err, &status); {
		case err == nil:
			return nil
		case answered && status.Code == http.StatusConflict && attempt > 0:
			return nil // the first attempt came through after all
		case answered && status.Code < 500 && status.Code != http.StatusTooManyRequests:
			return err
		}
		time.Sleep(time.Second)
	}
	return err
}

func (r *Referee) decide(c *Case, seen look) (Outcome, bool) {
	wanted := c.pods
	if wanted == 0 {
		if seen.quiet < calm {
			return Unknown, false
		}
		if wanted = r.daemons(c); wanted < 0 {
			return Unknown, false
		}
		if wanted == 0 {
			return NeverMade, true
		}
	}
	if c.queued && seen.quiet > 3*calm {
		seen.hopeless += seen.gated // Kueue takes its gates away soon, or never
	}
	switch {
	case seen.made >= wanted && seen.bound == seen.made:
		return Scheduled, true
	case seen.quiet < calm:
		return Unknown, false
	case seen.made >= wanted && seen.bound+seen.hopeless == seen.made && seen.bound == 0:
		return Pending, true
	case seen.made >= wanted && seen.bound+seen.hopeless == seen.made:
		return Partly, true
	case seen.made < wanted && seen.failures > 0 && seen.quiet > 2*calm:
		return NeverMade, true
	case c.queued && seen.made == 0 && seen.quiet > 3*calm && heldByKueue(r.api, c):
		return NeverMade, true
	}
	return Unknown, seen.quiet > silence
}

// daemons is how many pods the DaemonSet is to have, or -1 if its controller has not said yet.
func (r *Referee) daemons(c *Case) int {
	var set object
	if r.api.Get(c.Kind.path()+"/"+c.id, &set) != nil || harness.Dig(set, "status", "observedGeneration") == nil {
		return -1
	}
	wanted, _ := harness.Dig(set, "status", "desiredNumberScheduled").(float64)
	return int(wanted)
}

// clear deletes the object and returns when its pods are gone.
func (r *Referee) clear(c *Case) {
	for {
		r.api.DeleteWithChildren(c.Kind.path() + "/" + c.id)
		if c.Kind.also != nil {
			path, made := c.Kind.also(c.Object)
			r.api.DeleteWithChildren(path + "/" + harness.Text(made, "metadata", "name"))
		}
		if c.service != nil {
			r.api.Delete(inNamespace("/api/v1/services") + "/" + harness.Text(c.service, "metadata", "name"))
		}
		for _, name := range r.lookout.end(c.id) {
			r.api.Delete("/api/v1/namespaces/" + namespace + "/pods/" + name)
		}
		for begin := time.Now(); time.Since(begin) < 2*time.Second; {
			seen, changed := r.lookout.look(c.id)
			if seen.all == 0 {
				return
			}
			select {
			case <-changed:
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
}
