package rollout

import (
	"fmt"
	"strconv"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// stage is where a node is in a rollout.
type stage int

const (
	// apart: the node is not eligible.
	apart stage = iota
	// through: it has one pod, which is updated and available, or will be when its minReadySeconds have run out.
	through
	// waiting: it has one pod, which is old.
	waiting
	// waitingUnserved: waiting, and the old pod is not available.
	waitingUnserved
	// takesNothing: an old and an updated pod, neither of them available. With maxSurge that takes nothing of the limit (SURGE-013).
	takesNothing
	// moving: anything else. Something has been done about it, or has to be done whatever the limit.
	moving
)

// rolloutState counts the nodes of one DaemonSet by stage. Limits are upper bounds: nobody has to use one up. But as long as a rollout is not through, nothing
// is moving and a node waits, the next act is due.
type rolloutState struct {
	w      *judge.Workload
	stages map[*judge.Node]stage
	count  map[stage]int
	// froms are when the pods become available that are counted as such, by their nodes.
	froms map[*judge.Node]time.Time
	// changes counts changes of a node's stage.
	changes int
	// until is the earliest time at which a pod becomes available that is not counted as such.
	until time.Time
}

// progress is an obligation about the rollout as a whole.
func progress(condition func(*rolloutState, *judge.Scene) (judge.Due, bool)) func(history.Header) judge.Observer {
	return func(header history.Header) judge.Observer {
		states := map[*judge.Workload]*rolloutState{}
		return judge.DueOnDaemonSets(func(s *judge.Scene, w *judge.Workload, _ *judge.Node) (judge.Due, bool) {
			state := states[w]
			if state == nil {
				state = &rolloutState{w: w, stages: map[*judge.Node]stage{}, froms: map[*judge.Node]time.Time{}, count: map[stage]int{}}
				states[w] = state
			}
			state.follow(s)
			due, owed := condition(state, s)
			if !owed {
				return judge.Due{}, false
			}
			due.About, due.From, due.Rolls = strconv.Itoa(state.changes), state.from(), true
			return due, true
		})(header)
	}
}

// follow takes a step in.
func (r *rolloutState) follow(s *judge.Scene) {
	for w, n := range s.TouchedNodes() {
		if w != r.w {
			continue
		}
		delete(r.froms, n)
		before, now := r.stages[n], r.stageOf(s, n)
		if before == now {
			continue
		}
		r.changes++
		r.count[before]--
		r.count[now]++
		r.stages[n] = now
	}
	if r.count[takesNothing] == 0 {
		r.until = time.Time{}
	}
}

func (r *rolloutState) stageOf(s *judge.Scene, n *judge.Node) stage {
	old, updated := split(s, n)
	live := len(old) + len(updated)
	switch {
	case !n.Exists && len(n.Pods) > 0:
		// Until somebody removes what was on a node that is gone, whether the rollout goes on is TARGET-006, which is not a core one.
		return moving
	case !n.Eligible && leaving(n) != nil:
		// Something is under way there. That it does not hold the others back is TARGET-005.
		return moving
	case !n.Eligible:
		return apart
	case live != len(n.Pods) || live == 0:
		return moving
	case live == 1 && len(updated) == 1:
		return r.ifAvailable(n, updated[0], through, moving)
	case live == 1 && n.Ended == 0:
		return r.ifAvailable(n, old[0], waiting, waitingUnserved)
	case len(old) == 1 && len(updated) == 1 && r.unserved(s, old[0]) && r.unserved(s, updated[0]):
		return takesNothing
	}
	return moving
}

// unserved reports whether the pod is not available, and takes note of when it will be.
func (r *rolloutState) unserved(s *judge.Scene, pod *judge.Pod) bool {
	from, ok := pod.AvailableFrom(r.w.Settings.MinReady)
	if !ok {
		return !pod.Undated(r.w.Settings.MinReady)
	}
	if !from.After(s.Now) {
		return false
	}
	if r.until.IsZero() || from.Before(r.until) {
		r.until = from
	}
	return true
}

// ifAvailable returns one stage if the node's pod is available, or will be with time, and another if not.
func (r *rolloutState) ifAvailable(n *judge.Node, pod *judge.Pod, is, not stage) stage {
	from, ok := pod.AvailableFrom(r.w.Settings.MinReady)
	if !ok {
		return not
	}
	r.froms[n] = from
	return is
}

// from is the latest time at which a pod becomes available that is counted as such.
func (r *rolloutState) from() time.Time {
	var last time.Time
	for _, from := range r.froms {
		if from.After(last) {
			last = from
		}
	}
	return last
}

// surging is the condition that a rollout with maxSurge can go on, and nothing is in its way.
func (r *rolloutState) surging(*judge.Scene) (judge.Due, bool) {
	settings := r.w.Settings
	if !settings.ZeroDowntime() || settings.Surge == 0 || r.count[waiting] == 0 || r.count[moving] > 0 || r.count[waitingUnserved] > 0 {
		return judge.Due{}, false
	}
	return judge.Due{
		Creates: true,
		Undone: fmt.Sprintf("%d of %d nodes wait for an updated pod, nothing is under way, maxSurge is %d, and nothing was done",
			r.count[waiting], r.w.Desired, settings.Surge),
	}, true
}

// rolling is the condition that a rollout with maxUnavailable can go on, and nothing is in its way.
func (r *rolloutState) rolling(*judge.Scene) (judge.Due, bool) {
	settings := r.w.Settings
	left := r.count[waiting] + r.count[waitingUnserved]
	if !settings.Rolling || settings.Surging || left == 0 || r.count[waitingUnserved] > settings.Unavailable || r.count[moving] > 0 || r.count[takesNothing] > 0 {
		return judge.Due{}, false
	}
	return judge.Due{
		Undone: fmt.Sprintf("%d of %d nodes have an old pod, nothing is under way, maxUnavailable is %d, and nothing was done",
			left, r.w.Desired, settings.Unavailable),
	}, true
}

// refill is the condition that a node has lost its pod and has none, with such a strategy.
func refill(with func(judge.Settings) bool) judge.Condition {
	return func(s *judge.Scene, w *judge.Workload, n *judge.Node) (judge.Due, bool) {
		if !n.Eligible || !n.Served || !with(w.Settings) || len(n.Pods) > 0 || s.OrphanLeaving(w, n) {
			return judge.Due{}, false
		}
		return creation(n, "empty", "no pod created on the node, which is eligible and has none any more,"), true
	}
}

// withoutSurge is a rolling update that deletes first.
func withoutSurge(is judge.Settings) bool { return is.Rolling && !is.Surging }
