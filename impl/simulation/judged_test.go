package simulation

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenPromise is what a simulation fails with: the requirement, and how it was broken.
type brokenPromise struct {
	requirement requirements.ID
	how         string
}

func (b brokenPromise) Error() string { return b.how }

func broken(id requirements.ID, format string, args ...any) error {
	return brokenPromise{id, string(id) + ": " + fmt.Sprintf(format, args...)}
}

// simulation is all that rapid draws for one.
type simulation struct {
	setup    setup
	schedule schedule
}

// standing are the rules about what there is in a simulation.
func standing() []judge.Rule {
	return slices.DeleteFunc(rules.All(), func(rule judge.Rule) bool {
		return slices.ContainsFunc(rule.Needs, func(kind history.Kind) bool { return !slices.Contains(kinds(), kind) })
	})
}

// judged lets the schedule happen, has everything judged, and returns every promise that was broken, as the judges and the end of the simulation
// show.
func (w *world) judged(s schedule, f flavour) ([]error, judge.Verdicts) {
	end := w.live(s, f)
	verdicts := judge.Run(w.api.history(w.setup.Seed), standing())
	objections := objectionsOf(verdicts)
	if end != nil {
		objections = append(objections, end)
	}
	return objections, verdicts
}

// objectionsOf returns the first violation of each promise. A history that cannot be judged is not one that is approved of.
func objectionsOf(verdicts judge.Verdicts) []error {
	var objections []error
	for _, verdict := range verdicts {
		switch {
		case verdict.Outcome == judge.Inconclusive:
			objections = append(objections, broken(verdict.Requirement, "inconclusive: %s", verdict.Reason))
		case len(verdict.Violations) > 0:
			first := verdict.Violations[0]
			objections = append(objections, brokenPromise{verdict.Requirement, fmt.Sprintf("%s\n%s", first.Error(), story(first))})
		}
	}
	return objections
}

// story tells a violation's window, a line for each event.
func story(violation judge.Violation) string {
	var text strings.Builder
	fmt.Fprintf(&text, "  before: %s\n  after:  %s\n", violation.Before, violation.After)
	for _, entry := range violation.Window {
		fmt.Fprintf(&text, "  %10s rv %-5d %s\n", entry.Received, entry.ResourceVersion, tell(entry))
	}
	return text.String()
}

// tell describes an entry in one line.
func tell(entry history.Entry) string {
	switch {
	case entry.Outcome != nil:
		return fmt.Sprintf("> end of act %d", entry.Outcome.Stimulus)
	case entry.Stimulus != nil:
		return fmt.Sprintf("> %s %s %s", entry.Stimulus.Act, entry.Stimulus.Name, entry.Stimulus.Detail)
	}
	line := fmt.Sprintf("%s %s %s", entry.Type, entry.Kind, entry.Object.GetName())
	switch object := entry.Object.(type) {
	case *corev1.Pod:
		line += fmt.Sprintf(": %s on %s, hash %s, %s, ready %t", image(&object.Spec), history.NodeOf(object), object.Labels[plan.HashLabel],
			object.Status.Phase, history.IsReady(object))
		if ready := history.Ready(object); ready != nil {
			line += " since " + ready.LastTransitionTime.Sub(epoch).String()
		}
		if object.DeletionTimestamp != nil {
			line += ", terminating"
		}
	case *appsv1.DaemonSet:
		line += fmt.Sprintf(": generation %d, %s, %+v", object.Generation, image(&object.Spec.Template.Spec), object.Status)
	case *appsv1.ControllerRevision:
		line += fmt.Sprintf(": revision %d, hash %s", object.Revision, object.Labels[plan.HashLabel])
	}
	return line
}

// exercise counts, over all simulations, how often each promise was put to the test.
type exercise struct {
	mu    sync.Mutex
	times map[requirements.ID]int
}

func (e *exercise) add(verdicts judge.Verdicts) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, verdict := range verdicts {
		if verdict.Exercised {
			e.times[verdict.Requirement]++
		}
	}
}

// never returns the promises that were not. What the simulation comes to rarely, or not at all, is left out.
func (e *exercise) never() []requirements.ID {
	rare := []requirements.ID{
		"AVAIL-006", "COND-003", "DRAIN-002", "DRAIN-006", "INPLACE-011", "ROLLING-007", "SURGE-013", "SURGE-018",
		"SURGE-024", "TARGET-010", "UNREADY-002", "UNREADY-003",
	}
	var ids []requirements.ID
	for _, rule := range standing() {
		if e.times[rule.Requirement] == 0 && !slices.Contains(rare, rule.Requirement) {
			ids = append(ids, rule.Requirement)
		}
	}
	return ids
}
