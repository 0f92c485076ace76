package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// Outcome is what a history says about a promise.
type Outcome string

// The outcomes. Holds on its own is not yet a pass: see Verdict.Exercised.
const (
	Holds        Outcome = "holds"
	Broken       Outcome = "broken"
	Inconclusive Outcome = "inconclusive"
)

// Verdict is one rule's on one history.
type Verdict struct {
	Requirement requirements.ID
	Promise     string
	Outcome     Outcome
	// Exercised reports whether the history put the promise to the test. A promise that holds untested must not count as a pass.
	Exercised bool
	// Situations are the names of the rule's in which it was put to the test and kept, in the rule's order.
	Situations []string
	// Reason says why the outcome is Inconclusive.
	Reason string
	// Violations in the order of the history.
	Violations []Violation
}

// Verdicts are those of several rules on one history, in the order of the rules.
type Verdicts []Verdict

// Of returns the verdict on the requirement.
func (v Verdicts) Of(id requirements.ID) (Verdict, bool) {
	i := slices.IndexFunc(v, func(verdict Verdict) bool { return verdict.Requirement == id })
	if i < 0 {
		return Verdict{}, false
	}
	return v[i], true
}

// Violations returns all, rule by rule: of what one event broke, the most specific cause comes first if the rules are in that order.
func (v Verdicts) Violations() []Violation {
	var all []Violation
	for _, verdict := range v {
		all = append(all, verdict.Violations...)
	}
	return all
}

// Run replays the history once, before all rules, and before others that want to see the same replay.
//
// A rule stops at the first gap in a kind that it needs: what it found before stands, and without it the verdict is Inconclusive. So it is where
// a kind was not recorded, and where the recording is damaged or was not caught up. What only a standstill may have broken is Inconclusive, too.
func Run(h *history.History, rules []Rule, observers ...func(*history.Cluster, history.Change)) Verdicts {
	r, times := newReplay(h, rules), h.Times()
	h.Replay(func(cluster *history.Cluster, change history.Change) {
		r.observe(cluster, change, h.Entries[r.steps])
		for _, observe := range observers {
			observe(cluster, change)
		}
		r.memory.pass()
		if r.steps < len(times) {
			r.elapse(h.Entries[r.steps].ResourceVersion, times[r.steps])
		}
	})
	verdicts := make(Verdicts, len(rules))
	for i := range r.seats {
		verdicts[i] = r.seats[i].verdict(h)
	}
	return verdicts
}

// replay is one before rules.
type replay struct {
	seats  []seat
	doubt  doubt
	memory *memory
	// scene is that of the last step, steps how many there were.
	scene *Scene
	steps int
}

func newReplay(h *history.History, rules []Rule) *replay {
	r := &replay{doubt: newDoubt(h), memory: newMemory(h)}
	for _, rule := range rules {
		r.seats = append(r.seats, newSeat(h, rule))
	}
	return r
}

// observe takes the next step: the change, and the entry as it was recorded.
func (r *replay) observe(cluster *history.Cluster, change history.Change, recorded history.Entry) {
	r.scene = r.memory.see(cluster, change, moment{recorded, r.steps})
	r.steps++
	for i := range r.seats {
		r.seats[i].observe(r.scene, r.doubt)
	}
}

// elapse lets the time pass until the next entry's.
func (r *replay) elapse(version uint64, next time.Time) {
	for i := range r.seats {
		r.seats[i].elapse(r.scene, version, next, r.doubt)
	}
}

// seat is a rule's at a replay.
type seat struct {
	Observer
	rule       Rule
	h          *history.History
	until      uint64
	violations []Violation
	parts      []*Exercise
	// overshadowed is a standstill that may explain what would else be a violation.
	overshadowed *history.Standstill
}

func newSeat(h *history.History, rule Rule) seat {
	observer := rule.New(h.Header)
	s := seat{Observer: observer, rule: rule, h: h, until: judgeable(h, rule.Needs), parts: observer.exercises()}
	for _, part := range s.parts {
		part.all = rule.Situations
	}
	return s
}

func (s *seat) observe(scene *Scene, doubt doubt) {
	change := scene.Change
	if change.ResourceVersion > s.until {
		return
	}
	violations := s.Observe(scene)
	for _, part := range s.parts {
		part.settle(scene, len(violations) == 0)
	}
	for _, violation := range violations {
		if doubt.about(change.Entry, s.rule.Needs) || s.excused(scene.Now) {
			continue
		}
		violation.ResourceVersion, violation.Time = change.ResourceVersion, change.Time
		s.add(violation)
	}
}

// elapse lets the time until the next entry pass, whose resource version is given too: where events may be missing before it, nothing can be said
// not to have been done.
func (s *seat) elapse(scene *Scene, version uint64, next time.Time, doubt doubt) {
	timed, ok := s.Observer.(Timed)
	if !ok || version > s.until {
		return
	}
	violations := timed.Elapse(scene, next)
	for _, part := range s.parts {
		part.settle(scene, false)
	}
	for _, violation := range violations {
		if doubt.aboutSilence(violation.Time) || s.excused(violation.Time) {
			continue
		}
		violation.ResourceVersion = scene.Change.ResourceVersion
		s.add(violation)
	}
}

// excused reports whether a standstill may explain what was done, or left undone, at the instant.
func (s *seat) excused(instant time.Time) bool {
	standstill := s.h.Overshadowing(instant)
	if standstill != nil {
		s.overshadowed = standstill
	}
	return standstill != nil
}

func (s *seat) add(violation Violation) {
	violation.Requirement, violation.Promise = s.rule.Requirement, s.rule.Promise
	s.violations = append(s.violations, violation)
}

func (s *seat) verdict(h *history.History) Verdict {
	verdict := Verdict{Requirement: s.rule.Requirement, Promise: s.rule.Promise, Exercised: s.Exercised(), Violations: s.violations, Outcome: Holds}
	var seen situations
	overshadowed := s.overshadowed
	for _, part := range s.parts {
		seen |= part.seen
		overshadowed = cmp.Or(overshadowed, part.doubted)
	}
	verdict.Situations = seen.names(s.rule.Situations)
	if len(s.violations) > 0 {
		verdict.Outcome = Broken
	} else if reason := Incomplete(h, s.rule.Needs...); reason != "" {
		verdict.Outcome, verdict.Reason = Inconclusive, reason
	} else if overshadowed != nil {
		verdict.Outcome, verdict.Reason = Inconclusive, "what seems to break it may be due to a standstill: "+overshadowed.String()
	}
	return verdict
}

// Incomplete returns why the recording does not show everything that happened to the kinds; empty if it does.
func Incomplete(h *history.History, kinds ...history.Kind) string {
	for _, kind := range kinds {
		if !slices.Contains(h.Kinds, kind) {
			return fmt.Sprintf("%s was not recorded", kind)
		}
		for _, gap := range h.Gaps {
			if gap.Kind == kind {
				return fmt.Sprintf("events of %s may be missing after resourceVersion %d: %s", kind, gap.After, gap.Reason)
			}
		}
	}
	if h.Damage != "" {
		return h.Damage
	}
	if !h.CaughtUp {
		return "the recording was not proven complete: it ended before it was caught up"
	}
	return ""
}

// judgeable returns the last resource version before the first gap in one of the kinds; 0 if one was not recorded.
func judgeable(h *history.History, kinds []history.Kind) uint64 {
	until := uint64(math.MaxUint64)
	for _, kind := range kinds {
		if !slices.Contains(h.Kinds, kind) {
			return 0
		}
		for _, gap := range h.Gaps {
			if gap.Kind == kind {
				until = min(until, gap.After)
			}
		}
	}
	return until
}
