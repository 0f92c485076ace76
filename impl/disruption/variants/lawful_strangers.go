package variants

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// lawfulStrangers take what the requirements leave open otherwise than the reference: pods without a controller, whom Events are about, and when pods count.
func lawfulStrangers() []Variant {
	return []Variant{
		{Name: "computes-budgets-beside-bare-pods",
			Says: "Computes a budget that needs a scale of the pods with a controller where others have none, allows nothing, and says InsufficientPods.",
			Lawful: "PDB-022 asks for disruptionsAllowed 0 and for no reason, and PDB-023 for no more than that; PDB-018 and SyncFailed are for a budget that cannot be computed, and by PDB-007 this one can. " +
				"PDB-001 has disruptionsAllowed follow from the other numbers with an integer minAvailable, which this is not. PDB-017: it is 0, so the condition is False with InsufficientPods. " +
				"PDB-035: the event UnmanagedPods is emitted. EVICT-020 has the numbers decide about pods that are not Ready, and EVICT-025 is about a computation that fails.",
			Planner: computeBesideBare},
		{Name: "tells-budgets-of-pods-that-are-not-deleted",
			Says:    "Records one event NotDeleted on the budget, with all the pods in its text, and none on the pods.",
			Lawful:  "PDB-014 has the event be about the pod, or about the budget, and then name the pod. PDB-035 bounds Events of other reasons, and this one comes once for each entry.",
			Planner: doing(tellBudget)},
		{Name: "counts-pods-one-by-one-as-they-become-healthy",
			Says: "Counts one more of several pods that became healthy every 300 ms, with a write each, and all of them after two seconds. Whatever else changes has it count all at once.",
			Lawful: "PDB-026 brings the status up to date, which may take five seconds, and no requirement limits in how many writes: PDB-024 wants a change in each. " +
				"Every number of PDB-001 was right at some time, as for a watch that tells of one pod after the other.",
			Planner: remember(countGradually)},
		{Name: "says-in-other-words-what-has-no-scale",
			Says: "Says in other words than the reference, and than Kubernetes, which resource has no scale, and records Normal Events of what keeps it from computing a budget.",
			Lawful: "PDB-021 has the message say which resource does not implement the scale subresource, in no words of its own. PDB-020 and PDB-035 name the reasons of Events, and not their types, " +
				"as PDB-014 does of NotDeleted, which stays a warning. CROSS-002 follows PDB-020.",
			Planner: doing(sayOtherwise)},
	}
}

// tellBudget makes one event of those that are about pods.
func tellBudget(actions *plan.Actions, _ plan.State, _ time.Time) {
	var pods []string
	var others []plan.Event
	for _, event := range actions.Events {
		if event.Pod == nil {
			others = append(others, event)
			continue
		}
		pods = append(pods, event.Pod.Name)
	}
	if len(pods) == 0 {
		return
	}
	message := fmt.Sprintf("were to be evicted and are still there after %s, and count again: %s", plan.DeletionTimeout, strings.Join(pods, ", "))
	actions.Events = append(others, plan.Event{Type: corev1.EventTypeWarning, Reason: plan.EventNotDeleted, Message: message})
}

// nothing is the UID of a controller that there is not, and that is scaled to zero.
const nothing types.UID = "nothing"

// computeBesideBare shows pods without a controller as those of one that is scaled to zero, and allows nothing while there are some.
func computeBesideBare(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		bare := slices.DeleteFunc(selected(state), func(pod *corev1.Pod) bool { return !unmanaged(pod) || pod.DeletionTimestamp != nil || hasEnded(pod) })
		if len(bare) == 0 || !plan.NeedsScale(state.Budget) {
			return next(state, now)
		}
		seen := state
		changePods(&seen, unmanaged, func(pod *corev1.Pod) {
			pod.OwnerReferences = append(pod.OwnerReferences, metav1.OwnerReference{
				APIVersion: "example.org/v1", Kind: "Nothing", Name: string(nothing), UID: nothing, Controller: ptr.To(true),
			})
		})
		seen.Controllers = map[types.UID]plan.Controller{nothing: {UID: nothing}}
		maps.Copy(seen.Controllers, state.Controllers)
		actions := next(seen, now)
		status := actions.Status
		if status == nil {
			status = state.Budget.Status.DeepCopy()
		}
		if failed(status) {
			return next(state, now)
		}
		status.DisruptionsAllowed = 0
		// From what is stored: the planner may have changed the condition, with its time.
		status.Conditions = state.Budget.Status.DeepCopy().Conditions
		first := slices.MinFunc(bare, func(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
		message := fmt.Sprintf("pod %s has no controller: nothing is allowed beside it", first.Name)
		before := allowed(&state.Budget.Status)
		told := before != nil && before.Message == message
		apimeta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.InsufficientPodsReason, Message: message,
			ObservedGeneration: status.ObservedGeneration, LastTransitionTime: metav1.NewTime(now).Rfc3339Copy(),
		})
		if actions.Status = unlessWritten(state.Budget, status); actions.Status == nil {
			actions.Events = nil
			return actions
		}
		if !told {
			actions.Events = append(slices.Clone(actions.Events), plan.Event{Type: corev1.EventTypeWarning, Reason: plan.EventUnmanagedPods, Message: message})
		}
		return actions
	}
}

const (
	// gainStep is how long countGradually takes for a pod, and gainsWithin for all of them.
	gainStep    = 300 * time.Millisecond
	gainsWithin = 2 * time.Second
)

// gains are the pods of a budget as they were last counted, by whether they were healthy.
type gains struct {
	counted map[types.UID]bool
	// since is when the first pod was held back of those that are now; zero if none is. at is when one was last counted.
	since, at time.Time
}

func countGradually(m *memory[gains]) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			g := m.of(state)
			hidden := g.heldBack(state, now)
			changePods(&state, func(pod *corev1.Pod) bool { return hidden[pod.UID] }, func(pod *corev1.Pod) {
				for i := range pod.Status.Conditions {
					if condition := &pod.Status.Conditions[i]; condition.Type == corev1.PodReady {
						condition.Status = corev1.ConditionFalse
					}
				}
			})
			actions := next(state, now)
			if len(hidden) > 0 {
				comeBack(&actions, max(g.at.Add(gainStep).Sub(now), time.Millisecond))
			}
			return actions
		}
	}
}

// heldBack are the pods that are healthy and do not count yet. There are none if a pod was lost, the spec is another, or evictions are under way: the sum would be one
// that there never was.
func (g *gains) heldBack(state plan.State, now time.Time) map[types.UID]bool {
	healthy := map[types.UID]bool{}
	var gained []types.UID
	for _, pod := range selected(state) {
		is := plan.IsHealthy(pod)
		healthy[pod.UID] = is
		if was, known := g.counted[pod.UID]; known && !was && is {
			gained = append(gained, pod.UID)
		}
	}
	lost := false
	for uid, was := range g.counted {
		lost = lost || was && !healthy[uid]
	}
	status := state.Budget.Status
	if lost || state.Budget.Generation != status.ObservedGeneration || len(status.DisruptedPods) > 0 || len(gained) == 0 {
		g.counted, g.since = healthy, time.Time{}
		return nil
	}
	if g.since.IsZero() {
		g.since = now
	}
	count := 0
	switch {
	case now.Sub(g.since) >= gainsWithin:
		count = len(gained)
	case now.Sub(g.at) >= gainStep:
		count = 1
	}
	if count > 0 {
		g.at = now
	}
	hidden := map[types.UID]bool{}
	for _, uid := range gained[count:] {
		hidden[uid], healthy[uid] = true, false
	}
	if len(hidden) == 0 {
		g.since = time.Time{}
	}
	g.counted = healthy
	return hidden
}

// lacking is what the reference says of a resource without a scale.
var lacking = regexp.MustCompile(`\b([a-z0-9-]+)(?:\.([a-z0-9.-]+))? does not implement the scale subresource`)

// sayOtherwise changes the words of a failure, and the types of its Events.
func sayOtherwise(actions *plan.Actions, state plan.State, _ time.Time) {
	if actions.Status == nil || !failed(actions.Status) {
		return
	}
	reword := func(words string) string {
		return lacking.ReplaceAllString(words, `the resource $1 of the API group "$2" has no subresource scale`)
	}
	status := actions.Status.DeepCopy()
	own, before := allowed(status), allowed(&state.Budget.Status)
	own.Message = reword(own.Message)
	// The reference compares what is stored with its own words.
	told := before != nil && before.Reason == own.Reason && before.Message == own.Message
	var events []plan.Event
	for _, event := range actions.Events {
		if event.Reason != plan.EventNotDeleted {
			if told {
				continue
			}
			event.Type, event.Message = corev1.EventTypeNormal, reword(event.Message)
		}
		events = append(events, event)
	}
	if actions.Status, actions.Events = unlessWritten(state.Budget, status), events; actions.Status == nil {
		actions.Events = nil
	}
}
