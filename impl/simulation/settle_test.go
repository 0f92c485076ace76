package simulation

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// Bounds of a simulation: beyond them the controller goes round in circles.
const (
	patience  = 12 * time.Hour
	mostSteps = 40_000
)

func broken(id requirements.ID, format string, args ...any) error {
	return brokenPromise{id, string(id) + ": " + fmt.Sprintf(format, args...)}
}

// live lets the schedule happen to a DaemonSet that is up and running, and then checks that it converges and comes to rest.
func (w *world) live(s schedule, f flavour) error {
	w.advance(30 * time.Second)
	s.carryOut(w, f)
	if err := w.settle(); err != nil {
		return err
	}
	if err := w.converged(); err != nil {
		return err
	}
	return w.quiet()
}

// settle makes the environment kind and waits until nothing is left that could happen: no event on its way, no timer, no write.
func (w *world) settle() error {
	w.kubelets.becomeKind()
	w.controller.faults.on = false
	if w.controller.process == nil {
		w.controller.start()
	}
	return w.drain()
}

// drain lets happen what is going to happen, until there is nothing more.
func (w *world) drain() error {
	deadline := w.clock.now.Add(patience)
	for w.clock.advance(deadline) {
		if w.steps() > mostSteps {
			return broken("SURGE-025", "a kind environment does not settle: got %d steps", w.steps())
		}
	}
	if len(w.clock.queue) > 0 {
		return broken("SURGE-025", "a kind environment does not settle: something is still planned after %s", patience)
	}
	return nil
}

// quiet asks the settled controller again, first the process that there is, then a new one: neither may write anything (SURGE-025).
func (w *world) quiet() error {
	before := w.api.version
	w.controller.wake(w.controller.process, 0)
	if err := w.drain(); err != nil {
		return err
	}
	if w.api.version != before {
		return broken("SURGE-025", "nothing is left to do: got %s", w.since(before))
	}
	// Long enough after the last change for a new process not to be shown the past.
	w.advance(time.Minute)
	w.controller.start()
	if err := w.drain(); err != nil {
		return err
	}
	if w.api.version != before {
		return broken("SURGE-025", "nothing is left to do after a restart: got %s", w.since(before))
	}
	return nil
}

// since describes the first change after a resource version.
func (w *world) since(version uint64) string {
	for _, entry := range w.api.entries {
		if entry.Stimulus == nil && entry.ResourceVersion > version {
			return fmt.Sprintf("%s %s %s", entry.Type, entry.Kind, entry.Object.GetName())
		}
	}
	return "nothing"
}

// converged checks that a settled DaemonSet is where it should be: one updated available pod on every eligible node, none elsewhere but
// where an updated one may stay, a status that says so, and a history within its limit.
func (w *world) converged() error {
	ds := w.api.daemonSet()
	updatedHash := ""
	for _, revision := range w.api.revisions() {
		if template, err := history.TemplateIn(revision); err == nil && history.SameTemplate(template, &ds.Spec.Template) && metav1.IsControlledBy(revision, ds) {
			updatedHash = revision.Labels[plan.HashLabel]
		}
	}
	on := map[string][]*corev1.Pod{}
	for _, pod := range w.api.pods() {
		if metav1.IsControlledBy(pod, ds) {
			on[history.NodeOf(pod)] = append(on[history.NodeOf(pod)], pod)
		}
	}
	mustBeUpdated := ds.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType
	desired := int32(0)
	for _, node := range w.api.nodes() {
		eligibility := history.EligibilityOf(ds, node)
		pods := on[node.Name]
		delete(on, node.Name)
		if eligibility.ShouldRun {
			desired++
		}
		switch {
		case eligibility.ShouldRun && len(pods) != 1, eligibility.ShouldContinue && len(pods) > 1, !eligibility.ShouldContinue && len(pods) > 0:
			return broken("SURGE-011", "an eligible node ends with exactly one pod: got %d on %s (%+v)", len(pods), node.Name, eligibility)
		}
		for _, pod := range pods {
			if mustBeUpdated && pod.Labels[plan.HashLabel] != updatedHash {
				return broken("ROLLING-001", "a rollout replaces every pod: got %s of %s on %s", pod.Name, image(&pod.Spec), node.Name)
			}
			if eligibility.ShouldRun && !history.IsAvailable(pod, ds.Spec.MinReadySeconds, w.clock.now) {
				return broken("SURGE-011", "a rollout ends with available pods: got %s on %s", pod.Name, node.Name)
			}
		}
	}
	for node, pods := range on {
		return broken("TARGET-006", "no pod is left on a node that is gone: got %s on %q", pods[0].Name, node)
	}
	return w.reported(ds, desired, mustBeUpdated)
}

// reported checks status and history of a settled DaemonSet.
func (w *world) reported(ds *appsv1.DaemonSet, desired int32, mustBeUpdated bool) error {
	got := ds.Status
	want := appsv1.DaemonSetStatus{
		ObservedGeneration: ds.Generation, DesiredNumberScheduled: desired, CurrentNumberScheduled: desired, NumberReady: desired,
		NumberAvailable: desired, NumberUnavailable: 0, UpdatedNumberScheduled: desired,
		NumberMisscheduled: got.NumberMisscheduled, CollisionCount: got.CollisionCount,
	}
	if !mustBeUpdated {
		want.UpdatedNumberScheduled = got.UpdatedNumberScheduled
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return broken("STATUS-016", "the status of a finished rollout says so: got %+v, want %+v", got, want)
	}
	old := 0
	for _, revision := range w.api.revisions() {
		template, err := history.TemplateIn(revision)
		if err == nil && metav1.IsControlledBy(revision, ds) && !history.SameTemplate(template, &ds.Spec.Template) {
			old++
		}
	}
	if limit := int(*ds.Spec.RevisionHistoryLimit); mustBeUpdated && old > limit && got.NumberMisscheduled == 0 {
		return broken("HISTORY-016", "history is kept within its limit of %d: got %d old revisions", limit, old)
	}
	return nil
}
