// Package judge replays a history before rules: promises that every recording must keep, whatever its scenario was about.
//
// A rule is pure: it watches a history being replayed and returns what broke its promise. The package holds the engine and the facts that rules decide
// by: who created and deleted which pod, what the implementation must have known, and what is due. The rules themselves are in packages by subject
// under framework/rules. None knows a cluster, a clock or Ginkgo, so the same rules serve the in-memory simulation, the embedded control plane, kind,
// and a recording that somebody sends in.
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

// Prompt is the longest reaction that counts as prompt: UNREADY-008 allows 5 s. It counts from when the implementation is held to know what calls for
// the reaction, so that something is overdue when it was due for Lag and Prompt.
const Prompt = 5 * time.Second

// ReportWithin is how long after a pod shows the cause a rollout that cannot go on has to be reported: COND-001, COND-002.
const ReportWithin = 20 * time.Second

// Violation is one broken promise.
type Violation struct {
	// Requirement that was broken.
	Requirement requirements.ID
	// Promise is the guarantee in words, the same for every violation of a rule.
	Promise string
	// Node on which it was broken; empty if it is not about one node.
	Node string
	// ResourceVersion and Time of the first event that broke it. Where something was not done, the time is the deadline, and the resource version
	// that of the last event before it.
	ResourceVersion uint64
	Time            time.Time
	// Got says what was seen instead, with the numbers.
	Got string
	// Before and After are the state that the event changed, in words; where nothing was done, the state when it became due, and at the deadline.
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

// Observer follows one replay for one rule.
type Observer interface {
	// Observe is called after every entry and returns what the entry broke. Requirement, Promise, ResourceVersion and Time are filled in
	// by Run.
	Observe(*Scene) []Violation
	// Exercised reports whether there was anything to decide so far. A promise that nothing put to the test was not kept, only not broken.
	Exercised() bool
	// exercises are those that an observer has by embedding Exercise, or several by Both.
	exercises() []*Exercise
}

// Timed is an Observer to which the passing of time alone means something.
type Timed interface {
	Observer
	// Elapse is called between two entries, with the state that the first left and the time of the second, and returns what was due before that and
	// was not done. Requirement, Promise and ResourceVersion are filled in by Run; Time is the deadline.
	Elapse(scene *Scene, next time.Time) []Violation
}

// Kind is what a rule says about the implementation.
type Kind string

// The kinds of rules. A Prohibition names acts that nothing which the implementation could know allows. An Obligation names acts that are due within a
// bound while a condition holds that the implementation must know of; its limits, pauses and back-offs are part of the condition. A rule of either kind
// may forbid what contradicts its obligation.
const (
	Prohibition Kind = "prohibition"
	Obligation  Kind = "obligation"
)

// Rule decides one requirement, or a part of it, in every history.
type Rule struct {
	// Requirement that it decides.
	Requirement requirements.ID
	// Kind of the rule.
	Kind Kind
	// Promise in words.
	Promise string
	// Needs are the kinds without which it cannot decide.
	Needs []history.Kind
	// Situations in which it can be put to the test, at most MostSituations.
	Situations []Situation
	// New starts an observer for one replay of a history with this header.
	New func(history.Header) Observer
}
