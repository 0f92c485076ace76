package status

import (
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// field is a number of the status, as the function of the state that it has to be.
type field struct {
	name  string
	value func(appsv1.DaemonSetStatus) int32
	// counts reports whether the node counts, surely and possibly: where the documents leave it open, the two differ. From is when it does by the clock.
	counts func(s *judge.Scene, w *judge.Workload, n *judge.Node) (surely, possibly bool, from time.Time)
	// leaves: that the number follows when a node is deleted is STATUS-014.
	leaves bool
}

// settling is how much longer than judge.Prompt a status may take. The documents give no bound, and a controller that writes it in batches, or not while
// it waits to see its own writes, may have to come by twice.
const settling = 2 * judge.Prompt

// follows is the rule that the field follows the state.
func follows(id requirements.ID, promise string, f field) judge.Rule {
	return judge.Rule{
		Requirement: id,
		Kind:        judge.Obligation,
		Promise:     promise,
		Needs:       []history.Kind{history.KindPod, history.KindDaemonSet, history.KindNode},
		Situations:  followed(),
		New: counting(f, func(c *count, s *judge.Scene) (judge.Due, bool) {
			c.spoil(s, f)
			if c.spoiled() {
				return judge.Due{}, false
			}
			due, owed := c.correction(f, s.Now)
			c.right = !owed
			return due, owed
		}),
	}
}

// correction is what is owed for the field; false if its number is right.
func (c *count) correction(f field, now time.Time) (judge.Due, bool) {
	got := int(f.value(c.w.Object.Status))
	if most := c.soon(now); got > most && !c.nodeLeft {
		return judge.Due{About: "too many ", Extra: settling, Undone: fmt.Sprintf("%s %d, want %d,", f.name, got, most)}, true
	}
	if got >= c.surely && got <= c.possibly || c.nodeLeft {
		return judge.Due{}, false
	}
	return judge.Due{Extra: settling, From: c.from, Undone: fmt.Sprintf("%s %d, want %s,", f.name, got, c.wanted())}, true
}

// count is a field's of one DaemonSet.
type count struct {
	w      *judge.Workload
	nodes  map[*judge.Node]contribution
	surely int
	// possibly includes those that the documents leave open.
	possibly int
	// changes counts changes of a node's contribution; from is the latest time by which one counts.
	changes int
	from    time.Time
	// nodeLeft: the last change was that a node was deleted, which is STATUS-014's.
	nodeLeft bool
	// number is the field's of the status; right says that nothing was owed for it.
	number int32
	right  bool
	// spoiledAt is when somebody else wrote a number in the place of a right one, and nothing of the pods has changed since; zero if that is not so.
	spoiledAt time.Time
}

// contribution is what a node counts, by the clock from then on; what it possibly counts it may count before.
type contribution struct {
	surely, possibly bool
	from             time.Time
}

// wanted is what the field has to be, in words.
func (c *count) wanted() string {
	if c.surely != c.possibly {
		return fmt.Sprintf("%d to %d", c.surely, c.possibly)
	}
	return strconv.Itoa(c.surely)
}

// soon is how many nodes may count by when a status that is wrong now is overdue.
func (c *count) soon(now time.Time) int {
	until := now.Add(judge.Lag + judge.Prompt + settling)
	if !c.from.After(until) {
		return c.possibly
	}
	number := 0
	for _, node := range c.nodes {
		number += one(node.possibly || node.surely && !node.from.After(until))
	}
	return number
}

// counting is an obligation about a count.
func counting(f field, condition func(*count, *judge.Scene) (judge.Due, bool)) func(history.Header) judge.Observer {
	return func(header history.Header) judge.Observer {
		counts := map[*judge.Workload]*count{}
		return judge.DueOnDaemonSets(func(s *judge.Scene, w *judge.Workload, _ *judge.Node) (judge.Due, bool) {
			c := counts[w]
			if c == nil {
				c = &count{w: w, nodes: map[*judge.Node]contribution{}}
				counts[w] = c
			}
			c.follow(s, f)
			due, owed := condition(c, s)
			if !owed {
				return judge.Due{}, false
			}
			due.About += strconv.Itoa(c.changes)
			due.Done = func(s *judge.Scene) bool { return s.Status != nil && s.Status.Workload == w }
			return due, true
		})(header)
	}
}

func (c *count) follow(s *judge.Scene, f field) {
	for w, n := range s.TouchedNodes() {
		if w != c.w {
			continue
		}
		// What a node's deletion leaves wrong of the others is owed once anything of the pods changes.
		c.nodeLeft = c.nodeLeft && (f.leaves || s.Change.Kind == history.KindNode)
		before := c.nodes[n]
		surely, possibly, from := f.counts(s, w, n)
		c.nodes[n] = contribution{surely, possibly, from}
		if from.After(c.from) {
			c.from = from
		}
		most, mostBefore := possibly || surely, before.possibly || before.surely
		if surely == before.surely && most == mostBefore {
			continue
		}
		c.surely += one(surely) - one(before.surely)
		c.possibly += one(most) - one(mostBefore)
		c.changes++
		c.nodeLeft = s.Change.Kind == history.KindNode && s.Change.Type == watch.Deleted
	}
}

// spoil takes note of who wrote the number.
func (c *count) spoil(s *judge.Scene, f field) {
	for w := range s.TouchedNodes() {
		if w == c.w {
			c.spoiledAt = time.Time{}
		}
	}
	number := f.value(c.w.Object.Status)
	switch {
	case number == c.number:
	case s.Status != nil && s.Status.Workload == c.w:
		c.spoiledAt = time.Time{}
	case c.right:
		c.spoiledAt = s.Now
	}
	c.number = number
}

// spoiled reports whether the number is somebody else's, and no pod has changed since, nor become available by the clock: nobody has to watch a status of their own
// (STATUS-001).
func (c *count) spoiled() bool { return !c.spoiledAt.IsZero() && !c.from.After(c.spoiledAt) }

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
