package simulation

import (
	"fmt"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenPromise is what a simulation fails with: the requirement, and how it was broken.
type brokenPromise struct {
	requirement requirements.ID
	how         string
}

func (b brokenPromise) Error() string { return b.how }

// verdicts has the judges judge everything that happened.
func (w *world) verdicts() judge.Verdicts { return judge.Run(w.api.history(w.setup.Seed), judge.All()) }

// judged returns what the judges object to, or nil. A history that they cannot judge is not one that they approve of.
func judged(verdicts judge.Verdicts) error {
	for _, verdict := range verdicts {
		if verdict.Outcome == judge.Inconclusive {
			return brokenPromise{verdict.Requirement, fmt.Sprintf("%s: inconclusive: %s", verdict.Requirement, verdict.Reason)}
		}
		if len(verdict.Violations) > 0 {
			first := verdict.Violations[0]
			return brokenPromise{verdict.Requirement, fmt.Sprintf("%s\n%s", first.Error(), story(first))}
		}
	}
	return nil
}

// story tells a violation's window, a line for each event.
func story(violation judge.Violation) string {
	var text strings.Builder
	fmt.Fprintf(&text, "  before: %s\n  after:  %s\n", violation.Before, violation.After)
	for _, entry := range violation.Window {
		fmt.Fprintf(&text, "  %10s rv %-5d %s\n", entry.Received, entry.ResourceVersion, told(entry))
	}
	return text.String()
}

func told(entry history.Entry) string {
	if entry.Stimulus != nil {
		return fmt.Sprintf("> %s %s %s", entry.Stimulus.Lever, entry.Stimulus.Name, entry.Stimulus.Detail)
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

// never returns the promises that were not.
func (e *exercise) never() []requirements.ID {
	var ids []requirements.ID
	for _, j := range judge.All() {
		if e.times[j.Requirement] == 0 {
			ids = append(ids, j.Requirement)
		}
	}
	return ids
}
