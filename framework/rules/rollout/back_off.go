package rollout

import (
	"fmt"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// What tells a delay that grows from one that does not. Times are heard late, by a second or more, so no single delay is compared with the next.
const (
	// mostRetries within retriesWithin are more than anybody needs who backs off: with delays that double from 100 ms there are 9 retries in a minute, from
	// 1 s there are 5. A constant delay needs 5 s to stay below.
	mostRetries   = 12
	retriesWithin = time.Minute
	// noDelay is less than three delays in a row come to after manyRetries, if they have grown by half each time, from 100 ms. It catches pods that take
	// long to fail.
	noDelay, manyRetries = 3 * time.Second, 10
	// growth is by what factor the last of three delays in a row, growthAfter delays later, must exceed the first three where those are long enough for
	// lateness not to matter, and not yet at a limit.
	growth, growthAfter = 1.5, 8
	certain, capped     = 6 * time.Second, 5 * time.Minute
	// recovery is for how long an updated pod has to be available for the failures before it to be forgotten. One that fails soon afterwards keeps failing.
	recovery = 10 * time.Second
	// mostEnded are more pods that have ended and that nobody has deleted than a node ever needs to hold for a DaemonSet.
	mostEnded = 10
)

func backingOff(applies func(judge.Settings) bool) func(history.Header) judge.Observer {
	return func(history.Header) judge.Observer { return &backOff{applies: applies, rows: map[*judge.Node]*row{}} }
}

type backOff struct {
	judge.Exercise
	applies func(judge.Settings) bool
	rows    map[*judge.Node]*row
}

// row are the pods of one node that failed one after the other.
type row struct {
	since time.Time
	// servedSince is from when the node has had an available updated pod; zero if it has none. That an old one is available beside those that fail says nothing of them.
	servedSince time.Time
	// failures seen, the last at failedAt; retries are the creations after one, delays how long each took.
	failures int
	failedAt time.Time
	retries  []time.Time
	delays   []time.Duration
}

// Observe implements judge.Observer.
func (o *backOff) Observe(s *judge.Scene) []judge.Violation {
	for w, n := range s.TouchedNodes() {
		o.follow(s, w, n)
	}
	if s.Created == nil || !o.applies(s.Created.Pod.Workload.Settings) {
		return nil
	}
	n := s.Created.Pod.Node
	r := o.rows[n]
	if r == nil || len(r.retries) >= r.failures {
		// It takes the place of no pod that failed: somebody deleted the one before.
		return nil
	}
	r.retries, r.delays = append(r.retries, s.Now), append(r.delays, s.Now.Sub(r.failedAt))
	if len(r.retries) >= 3 {
		o.PutToTest()
	}
	got := r.wrong(n)
	if got == "" {
		return nil
	}
	delete(o.rows, n)
	return s.OnNode(s.Created.Pod.Workload, n, got)
}

// follow counts the node's failures. The row ends where whoever backs off may forget: with another spec, another process, and an updated pod that stayed available.
func (o *backOff) follow(s *judge.Scene, w *judge.Workload, n *judge.Node) {
	r := o.rows[n]
	if r == nil {
		if n.Failures == 0 {
			return
		}
		r = &row{since: s.Now}
		o.rows[n] = r
	}
	served := slices.ContainsFunc(n.Pods, func(pod *judge.Pod) bool {
		return s.Cluster.IsUpdated(pod.Object) && pod.Available(w.Settings.MinReady, s.Now)
	})
	recovered := !r.servedSince.IsZero() && s.Now.Sub(r.servedSince) >= recovery
	switch {
	case !served:
		r.servedSince = time.Time{}
	case r.servedSince.IsZero():
		r.servedSince = s.Now
	}
	if n.Failures < r.failures || s.WorkingSince().After(r.since) || recovered {
		delete(o.rows, n)
		return
	}
	if n.Failures > r.failures {
		r.failures, r.failedAt = n.Failures, s.Now
	}
}

// wrong says what shows that the delays do not grow, or nothing.
func (r *row) wrong(n *judge.Node) string {
	retries := len(r.retries)
	if retries > mostRetries {
		if took := r.retries[retries-1].Sub(r.retries[retries-1-mostRetries]); took < retriesWithin {
			return fmt.Sprintf("%d pods created within %s, each after one that failed", mostRetries+1, took.Round(time.Millisecond))
		}
	}
	if retries >= manyRetries && sum(r.delays[retries-3:]) < noDelay {
		return fmt.Sprintf("delays of %s on average after %d pods that failed one after the other", sum(r.delays[retries-3:])/3, retries)
	}
	if retries >= growthAfter {
		first, last := sum(r.delays[retries-growthAfter:][:3]), sum(r.delays[retries-3:])
		if first > certain && last < capped && float64(last) < growth*float64(first) {
			return fmt.Sprintf("delays of %s and, %d retries later, of %s", first/3, growthAfter-3, last/3)
		}
	}
	kept := 0
	for _, pod := range n.Pods {
		if pod.Object.DeletionTimestamp == nil && history.IsTerminal(pod.Object) {
			kept++
		}
	}
	if kept > mostEnded {
		return fmt.Sprintf("%d pods that have ended on the node, and another created", kept)
	}
	return ""
}

func sum(delays []time.Duration) time.Duration {
	var all time.Duration
	for _, delay := range delays {
		all += delay
	}
	return all
}
