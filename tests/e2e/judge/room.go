package judge

import (
	"slices"
	"sync"
)

// room deals out cases and nodes, so that no workload is Pending because of another one: a case
// takes one node for each of its pods from every set of nodes on which they may land.
type room struct {
	mutex   sync.Mutex
	freed   *sync.Cond
	total   map[Pair]int
	free    map[Pair]int
	waiting []*Case
}

func newRoom(total map[Pair]int, cases []*Case) *room {
	r := &room{total: total, free: map[Pair]int{}, waiting: slices.Clone(cases)}
	r.freed = sync.NewCond(&r.mutex)
	for pair, nodes := range total {
		r.free[pair] = nodes
	}
	return r
}

// next takes the first case for which there is room, and its nodes; nil when no case is left.
func (r *room) next() *Case {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for len(r.waiting) > 0 {
		if i := slices.IndexFunc(r.waiting, r.fits); i >= 0 {
			c := r.waiting[i]
			r.waiting = slices.Delete(r.waiting, i, i+1)
			r.change(c, -1)
			return c
		}
		r.freed.Wait()
	}
	return nil
}

// giveBack frees the nodes of the case.
func (r *room) giveBack(c *Case) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.change(c, 1)
	r.freed.Broadcast()
}

// close drops the cases that still wait.
func (r *room) close() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.waiting = nil
	r.freed.Broadcast()
}

func (r *room) fits(c *Case) bool {
	for _, pair := range c.lands {
		if r.free[pair] < r.wanted(c, pair) {
			return false
		}
	}
	return true
}

func (r *room) change(c *Case, sign int) {
	for _, pair := range c.lands {
		r.free[pair] += sign * r.wanted(c, pair)
	}
}

func (r *room) wanted(c *Case, pair Pair) int {
	if c.alone {
		return r.total[pair]
	}
	return min(c.pods, r.total[pair])
}
