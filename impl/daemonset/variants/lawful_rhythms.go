package variants

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulRhythms do the same things at other times, and number by the time.
func lawfulRhythms() []Variant {
	const prompt = "A reaction may take five seconds."
	return []Variant{
		{Name: "deletes-in-turns", Says: "Deletes pods at times two seconds apart, all at once that are due then.", Lawful: prompt, Planner: remember(deleteInTurns)},
		{Name: "creates-no-pod-beside-an-unbound-one", Says: "Creates no further pod while one of its pods is not bound, for two seconds at most for each.",
			Lawful: prompt, Planner: remember(awaitBinding)},
		{Name: "numbers-histories-by-the-clock", Says: "Gives histories the milliseconds since 1970 as numbers.",
			Lawful: "HISTORY-001 and -003 ask for numbers above 0 and above all others.",
			Planner: making(func(revision *appsv1.ControllerRevision, _ plan.State) {
				revision.Revision = max(revision.Revision, time.Now().UnixMilli())
			})},
		{Name: "binds-every-other-pod", Says: "Binds every other pod that it creates to its node itself, and leaves the others to the scheduler.",
			Lawful: "SURGE-026 names both ways.", Planner: remember(bindEveryOther)},
	}
}

func deleteInTurns(m *memory[written]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if len(actions.DeletePods) == 0 {
			return
		}
		last := m.of(state)
		wait := last.at.Add(2 * time.Second).Sub(now)
		if wait <= 0 {
			last.at = now
			return
		}
		actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(event plan.Event) bool {
			return slices.ContainsFunc(actions.DeletePods, func(deletion plan.PodDeletion) bool { return deletion.Pod == event.Pod })
		})
		actions.DeletePods, actions.Backoff = nil, nil
		comeBack(actions, wait)
	})
}

func awaitBinding(m *memory[holding]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if len(actions.CreatePods) == 0 {
			return
		}
		h, unbound, wait := m.of(state), map[string]bool{}, false
		for _, pod := range state.Pods {
			if pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodPending || !metav1.IsControlledBy(pod, state.DaemonSet) {
				continue
			}
			unbound[string(pod.UID)] = true
			wait = h.held(string(pod.UID), 2*time.Second, now, actions) || wait
		}
		h.only(unbound)
		if wait {
			actions.CreatePods = nil
		}
	})
}

// turns counts.
type turns struct{ taken int }

func bindEveryOther(m *memory[turns]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		count := m.of(state)
		for _, creation := range actions.CreatePods {
			if count.taken++; count.taken%2 == 0 {
				creation.Pod.Spec.NodeName = creation.Node
			}
		}
	})
}
