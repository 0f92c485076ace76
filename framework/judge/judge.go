// Package judge holds the standing invariants: promises that every recording must keep, whatever its scenario was about.
//
// A judge is pure: it watches a history being replayed and returns what broke its promise. Each promise has a file of its own; its
// error is the promise in words. The package knows no cluster, no clock and no Ginkgo, so the same judges serve the in-memory
// simulation, the embedded control plane, kind, and a recording that somebody sends in.
package judge

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// Lag is how old a fact must be before an implementation is held to know it. A controller sees the cluster through watches that
// deliver each kind on its own; what somebody else changed less than Lag ago excuses a decision based on the state before. What
// the implementation did itself is never excused.
const Lag = time.Second

// Prompt is the longest reaction that counts as prompt: UNREADY-008 allows 5 s.
const Prompt = 5 * time.Second

// Violation is one broken promise.
type Violation struct {
	// Requirement that was broken.
	Requirement requirements.ID
	// Promise is the guarantee in words, the same for every violation of a judge.
	Promise string
	// Node on which it was broken; empty if it is not about one node.
	Node string
	// ResourceVersion and Time of the first event that broke it.
	ResourceVersion uint64
	Time            time.Time
	// Got says what was seen instead, with the numbers.
	Got string
	// Before and After are the state that the event changed, in words.
	Before, After string
	// Window holds the smallest run of entries that shows the violation, in order.
	Window []history.Entry
}

// Error is the violation in one line: the promise, then what was got, where and when.
func (v Violation) Error() string {
	where := ""
	if v.Node != "" {
		where = " on node " + v.Node
	}
	return fmt.Sprintf("%s: %s: got %s%s at resourceVersion %d", v.Requirement, v.Promise, v.Got, where, v.ResourceVersion)
}

// Observer follows one replay for one judge.
type Observer interface {
	// Observe is called after every entry and returns what the entry broke. Requirement, Promise, ResourceVersion and Time are filled in
	// by Run.
	Observe(*Scene) []Violation
	// Exercised tells whether there was anything to decide so far. A promise that nothing put to the test was not kept, only not broken.
	Exercised() bool
}

// Judge is one standing invariant.
type Judge struct {
	// Requirement that it decides.
	Requirement requirements.ID
	// Promise in words.
	Promise string
	// Needs are the kinds without which it cannot decide.
	Needs []history.Kind
	// New starts an observer for one replay of a history with this header.
	New func(history.Header) Observer
}

// exercised is the part that all observers share.
type exercised struct{ yes bool }

// Exercised implements Observer.
func (e *exercised) Exercised() bool { return e.yes }
