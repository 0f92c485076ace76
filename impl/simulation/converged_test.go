package simulation

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// converged checks that a settled DaemonSet is where it should be: one updated available pod on every eligible node, none elsewhere but
// where an updated one may stay, a status that says so, and a history within its limit.
func (w *world) converged() error {
	ds := w.api.daemonSet()
	current, old := w.historyOf(ds)
	switch len(current) {
	case 0:
		return broken("HISTORY-001", "the template has a revision: got none")
	case 1:
	default:
		return broken("HISTORY-011", "one revision of the template is kept: got %d", len(current))
	}
	hash := current[0].Labels[plan.HashLabel]
	on := map[string][]*corev1.Pod{}
	for _, pod := range w.api.pods() {
		if metav1.IsControlledBy(pod, ds) {
			on[history.NodeOf(pod)] = append(on[history.NodeOf(pod)], pod)
		}
	}
	rolls := ds.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType
	var want appsv1.DaemonSetStatus
	for _, node := range w.api.nodes() {
		eligibility, pods := history.EligibilityOf(ds, node), on[node.Name]
		delete(on, node.Name)
		if eligibility.ShouldRun {
			want.DesiredNumberScheduled++
		} else if len(pods) > 0 {
			want.NumberMisscheduled++
		}
		switch {
		case eligibility.ShouldRun && len(pods) != 1, len(pods) > 1:
			return broken("SURGE-011", "an eligible node ends with exactly one pod: got %d on %s", len(pods), node.Name)
		case !eligibility.ShouldContinue && len(pods) > 0:
			return broken("DRAIN-008", "a node that repels pods ends without: got %d on %s", len(pods), node.Name)
		}
		for _, pod := range pods {
			if taint := untolerated(pod); taint != "" {
				return broken("TARGET-007", "daemon pods tolerate trouble for ever: got %s, which does not tolerate %s", pod.Name, taint)
			}
			updated := pod.Labels[plan.HashLabel] == hash || w.passesForUpdated(ds, pod)
			if updated && eligibility.ShouldRun {
				want.UpdatedNumberScheduled++
			}
			if rolls && !updated {
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
	if limit := int(*ds.Spec.RevisionHistoryLimit); len(old) > limit && slices.ContainsFunc(old, w.unused) {
		return broken("HISTORY-016", "history that no pod is of is kept within its limit of %d: got %d old revisions", limit, len(old))
	}
	if err := w.endsTold(); err != nil {
		return err
	}
	if err := w.ownersKept(); err != nil {
		return err
	}
	if collisions := ds.Status.CollisionCount; collisions != nil && *collisions > w.taken {
		return broken("HISTORY-007", "one collision counts once: got %d of %d", *collisions, w.taken)
	}
	if err := w.unstalled(ds); err != nil {
		return err
	}
	return reported(ds, want)
}

// untolerated names a taint of nodes in trouble that a pod of the controller's does not tolerate for ever.
func untolerated(pod *corev1.Pod) string {
	for _, taint := range troubles() {
		tolerates := func(t corev1.Toleration) bool {
			return t.TolerationSeconds == nil && t.ToleratesTaint(klog.Background(), &taint, false)
		}
		needs := pod.GenerateName != "" && (taint.Key != corev1.TaintNodeNetworkUnavailable || pod.Spec.HostNetwork)
		if needs && !slices.ContainsFunc(pod.Spec.Tolerations, tolerates) {
			return taint.Key
		}
	}
	return ""
}

// historyOf returns the revisions of the DaemonSet's template, and its other revisions. Where it has none of the template, one of another controller that has
// taken the name, with the same content, is as good (HISTORY-005).
func (w *world) historyOf(ds *appsv1.DaemonSet) (current, old []*appsv1.ControllerRevision) {
	var borrowed []*appsv1.ControllerRevision
	for _, revision := range w.api.revisions() {
		template, err := history.TemplateIn(revision)
		holds, its := err == nil && history.SameTemplate(template, &ds.Spec.Template), metav1.IsControlledBy(revision, ds)
		switch {
		case its && holds:
			current = append(current, revision)
		case its:
			old = append(old, revision)
		case holds && revision.Name == plan.RevisionName(ds):
			borrowed = append(borrowed, revision)
		}
	}
	if len(current) == 0 {
		current = borrowed
	}
	return current, old
}

// passesForUpdated reports whether the pod has the number of the template, and no history that says otherwise: it was made for a DaemonSet of the same name that is
// gone with its histories (HISTORY-022).
func (w *world) passesForUpdated(ds *appsv1.DaemonSet, pod *corev1.Pod) bool {
	known := slices.ContainsFunc(w.api.revisions(), func(revision *appsv1.ControllerRevision) bool {
		return revision.Labels[plan.HashLabel] == pod.Labels[plan.HashLabel]
	})
	return !known && pod.Labels[plan.GenerationLabel] == ds.Annotations[appsv1.DeprecatedTemplateGeneration]
}

// unused reports whether no pod has the label of the revision.
func (w *world) unused(revision *appsv1.ControllerRevision) bool {
	return !slices.ContainsFunc(w.api.pods(), func(pod *corev1.Pod) bool { return pod.Labels[plan.HashLabel] == revision.Labels[plan.HashLabel] })
}

// endsTold checks that events tell of pods that ended and were replaced. A cache that is behind may show a node that a pod must leave anyhow.
func (w *world) endsTold() error {
	if w.setup.Lag > 0 {
		return nil
	}
	for phase, reason := range map[corev1.PodPhase]string{corev1.PodFailed: plan.EventFailedDaemonPod, corev1.PodSucceeded: plan.EventSucceededDaemonPod} {
		if told, cleared := w.controller.events[reason], w.controller.cleared[phase]; told < cleared {
			return broken("COND-004", "an event tells of each pod that ended: got %d of %s, for %d pods", told, reason, cleared)
		}
	}
	return nil
}

// reported checks the status of a settled DaemonSet, of which want has the numbers of nodes.
func reported(ds *appsv1.DaemonSet, want appsv1.DaemonSetStatus) error {
	if ds.Status.NumberMisscheduled != want.NumberMisscheduled {
		return broken("STATUS-003", "misscheduled are the nodes with a pod that are not eligible: got %d, want %d", ds.Status.NumberMisscheduled, want.NumberMisscheduled)
	}
	want.ObservedGeneration, want.CollisionCount, want.Conditions = ds.Generation, ds.Status.CollisionCount, ds.Status.Conditions
	want.CurrentNumberScheduled, want.NumberReady, want.NumberAvailable = want.DesiredNumberScheduled, want.DesiredNumberScheduled, want.DesiredNumberScheduled
	if !apiequality.Semantic.DeepEqual(ds.Status, want) {
		return broken("STATUS-016", "the status of a finished rollout says so: got %+v, want %+v", ds.Status, want)
	}
	return nil
}
