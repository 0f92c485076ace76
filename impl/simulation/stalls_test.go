package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// stallReported lets time pass, and checks what the status says of a stall then. No standing rule can: any condition will do for COND-001, and
// docs/conditions.md says which one this is.
func (w *world) stallReported(lasts time.Duration) {
	controller, process := w.controller, w.controller.process
	w.advance(lasts)
	// What happens at the end of it is too late to be known.
	begun := w.clock.now.Add(-20 * time.Second)
	if process == nil || controller.process != process || controller.faults.on || w.changedSince(begun) || w.objection != nil {
		return
	}
	w.objection = w.stallIs(w.expectedStall())
}

// changedSince reports whether anything but the status has changed.
func (w *world) changedSince(since time.Time) bool {
	for _, entry := range slices.Backward(w.api.entries) {
		switch {
		case entry.Time.Before(since):
			return false
		case entry.Kind != history.KindDaemonSet:
			return true
		}
	}
	return true
}

// expected is what a DaemonSet has to say of stalls.
type expected struct {
	// reason is that of the first node that has one, word what the message needs, more how many other nodes wait; no reason if nothing is stalled.
	reason, word string
	more         int
	// done: every node has an available updated pod, and no other.
	done bool
}

// expectedStall returns what the pods show. It is not certain where something may yet happen by itself.
func (w *world) expectedStall() (want expected, certain bool) {
	ds := w.api.daemonSet()
	current, _ := w.historyOf(ds)
	if len(current) != 1 || ds.DeletionTimestamp != nil || ds.Spec.UpdateStrategy.Type != appsv1.RollingUpdateDaemonSetStrategyType {
		return want, false
	}
	want.done = true
	moving := false
	for _, node := range w.api.nodes() {
		if !history.EligibilityOf(ds, node).ShouldRun {
			continue
		}
		on := w.causeOn(ds, node.Name, current[0].Labels[plan.HashLabel])
		if on.unknown {
			return want, false
		}
		moving, want.done = moving || on.moving, want.done && on.done
		switch {
		case on.reason == "":
		case want.reason == "":
			want.reason, want.word = on.reason, on.word
		default:
			want.more++
		}
	}
	if moving {
		want = expected{}
	}
	return want, true
}

// onNodeIs is what there is to say of an eligible node: it has an available updated pod alone, its updated pod may become available by itself, there is a
// reason why that is not so, or nobody knows. It may also wait for its turn.
type onNodeIs struct {
	done, moving, unknown bool
	reason, word          string
}

// causeOn looks at an eligible node.
func (w *world) causeOn(ds *appsv1.DaemonSet, node, hash string) onNodeIs {
	var pods, updated []*corev1.Pod
	for _, pod := range w.api.pods() {
		if !metav1.IsControlledBy(pod, ds) || history.NodeOf(pod) != node {
			continue
		}
		pods = append(pods, pod)
		if pod.Labels[plan.HashLabel] == hash {
			updated = append(updated, pod)
		}
	}
	process := w.controller.process
	_, kept := process.refusedDeletions[node]
	switch {
	case kept && len(pods) == len(updated)+1 && (len(updated) == 0 || history.IsAvailable(updated[0], ds.Spec.MinReadySeconds, w.clock.now) || !slices.ContainsFunc(pods, history.IsReady)):
		return onNodeIs{reason: plan.StalledDeletionRefused, word: node}
	case w.controller.keptOn[node]:
		return onNodeIs{unknown: true}
	case len(pods) == 1 && len(updated) == 1 && history.IsTerminal(pods[0]) && w.clock.now.Before(process.backoff[node].Until()):
		return onNodeIs{reason: plan.StalledFailing, word: node}
	case slices.ContainsFunc(pods, func(pod *corev1.Pod) bool { return !history.IsLive(pod) }), process.backoff[node].Delay > 0, len(updated) > 1:
		return onNodeIs{unknown: true}
	case len(pods) == 0:
		return onNodeIs{reason: plan.StalledCreationRefused, word: node, unknown: !w.controller.refuses(node)}
	case len(updated) == 0 && process.refusedUpdates[node].Words != "":
		return onNodeIs{reason: plan.StalledUpdateRefused, word: pods[0].Name}
	case len(updated) == 0:
		// Its updated pod may be what the API server refuses.
		return onNodeIs{unknown: w.controller.refuses(node)}
	case history.IsAvailable(updated[0], ds.Spec.MinReadySeconds, w.clock.now):
		return onNodeIs{done: len(pods) == 1}
	}
	return causeOf(updated[0], w.clock.now)
}

// wantsPort reports whether a container of the pod wants a port of the host.
func wantsPort(spec *corev1.PodSpec) bool {
	return slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers), func(container corev1.Container) bool {
		return slices.ContainsFunc(container.Ports, func(port corev1.ContainerPort) bool { return port.HostPort != 0 })
	})
}

// causeOf is why a pod is not available.
func causeOf(pod *corev1.Pod, now time.Time) onNodeIs {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			if strings.Contains(condition.Message, "ports") && wantsPort(&pod.Spec) {
				return onNodeIs{reason: plan.StalledHostPortConflict, word: pod.Name}
			}
			return onNodeIs{reason: plan.StalledUnschedulable, word: condition.Message[:min(len(condition.Message), 100)]}
		}
	}
	for _, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		switch {
		case container.State.Waiting != nil && container.State.Waiting.Reason == "CrashLoopBackOff":
			return onNodeIs{reason: plan.StalledCrashLoop, word: pod.Name}
		case container.State.Waiting != nil:
			return onNodeIs{reason: plan.StalledImagePull, word: container.Image}
		}
	}
	since := pod.CreationTimestamp.Time
	ready := history.Ready(pod)
	if ready != nil {
		since = ready.LastTransitionTime.Time
	}
	switch waits := now.Sub(since); {
	case ready != nil && ready.Status == corev1.ConditionTrue:
		// Its time will come.
		return onNodeIs{moving: true}
	case waits > 11*time.Minute:
		return onNodeIs{reason: plan.StalledNotReady, word: pod.Name}
	case waits < 9*time.Minute:
		return onNodeIs{moving: true}
	}
	return onNodeIs{unknown: true}
}

// stallIs checks the condition.
func (w *world) stallIs(want expected, certain bool) error {
	if !certain {
		return nil
	}
	stalled := stalledIn(w.api.daemonSet())
	isTrue := stalled != nil && stalled.Status == corev1.ConditionTrue
	more := ""
	if want.more > 0 {
		more = fmt.Sprintf("more nodes that wait: %d", want.more)
	}
	switch {
	case want.reason == "" && isTrue:
		return broken("COND-003", "a rollout that may go on is not stalled: got %s, %s", stalled.Reason, stalled.Message)
	case want.reason == "" && stalled != nil && (stalled.Reason == plan.StalledRolledOut) != want.done:
		return broken("COND-003", "a condition that is False says whether the rollout is finished: got %s, finished %t", stalled.Reason, want.done)
	case want.reason == "":
		return nil
	case !isTrue:
		return broken("COND-001", "a stall is reported: got %v, want %s of %s", stalled, want.reason, want.word)
	case stalled.Reason != want.reason || !strings.Contains(stalled.Message, want.word):
		return broken("COND-001", "a stall is reported with its cause: got %s, %s, want %s of %s", stalled.Reason, stalled.Message, want.reason, want.word)
	case !strings.HasSuffix(stalled.Message, more) || more == "" && strings.Contains(stalled.Message, "more nodes"):
		return broken("COND-001", "a stall is reported with how many more nodes wait: got %s, want %d", stalled.Message, want.more)
	}
	return nil
}

func stalledIn(ds *appsv1.DaemonSet) *appsv1.DaemonSetCondition {
	for i := range ds.Status.Conditions {
		if ds.Status.Conditions[i].Type == plan.ConditionStalled {
			return &ds.Status.Conditions[i]
		}
	}
	return nil
}

// unstalled checks what a settled DaemonSet says of stalls: none, by a condition that changed its time with its status alone, events of either change, and
// what somebody else wrote is still there.
func (w *world) unstalled(ds *appsv1.DaemonSet) error {
	rolls := ds.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType
	if now := stalledIn(ds); now != nil && (now.Status != corev1.ConditionFalse || rolls && now.Reason != plan.StalledRolledOut) {
		return broken("COND-003", "a finished rollout is not stalled: got %s, %s", now.Status, now.Reason)
	}
	if w.foreign && !slices.ContainsFunc(ds.Status.Conditions, func(c appsv1.DaemonSetCondition) bool { return c.Type == foreignCondition }) {
		return broken("COND-005", "conditions of others survive: got %v", ds.Status.Conditions)
	}
	var before *appsv1.DaemonSetCondition
	// Who does not know what was written last, or could not write it, may tell again, and have an earlier time.
	knows := w.setup.Lag == 0 && w.controller.started == 1 && !w.controller.faults.ever
	// since is when the status became what it is: whoever changes it again has decided so later.
	var since time.Time
	changes := map[string]int{}
	for _, entry := range w.api.entries {
		daemonSet, is := entry.Object.(*appsv1.DaemonSet)
		if !is {
			continue
		}
		now := stalledIn(daemonSet)
		switch {
		case now == nil:
		case before != nil && before.Status == now.Status:
			if !before.LastTransitionTime.Equal(&now.LastTransitionTime) {
				return broken("COND-001", "the time of the transition changes with the status only: got %s after %s", now.LastTransitionTime, before.LastTransitionTime)
			}
		case now.LastTransitionTime.IsZero():
			return broken("COND-001", "a condition says since when: got none")
		case knows && before != nil && now.LastTransitionTime.Time.Before(since.Truncate(time.Second)):
			return broken("COND-001", "the time of the transition changes with the status: got %s, of before %s", now.LastTransitionTime, since)
		default:
			changes[map[corev1.ConditionStatus]string{corev1.ConditionTrue: plan.EventRolloutStalled, corev1.ConditionFalse: plan.EventRolloutResumed}[now.Status]]++
			since = entry.Time
		}
		before = now
	}
	for _, reason := range []string{plan.EventRolloutStalled, plan.EventRolloutResumed} {
		told := w.controller.events[reason]
		if told == 0 && changes[reason] > 0 {
			return broken("COND-002", "an event tells of a transition: got none of %s", reason)
		}
		if knows && told != changes[reason] {
			return broken("COND-002", "only transitions are told: got %d of %s, for %d", told, reason, changes[reason])
		}
	}
	return nil
}
