package plan

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

const (
	// DeletionTimeout is how long a pod whose eviction was granted is expected to be deleted, and left out of the healthy ones (PDB-014).
	DeletionTimeout = 2 * time.Minute
	// ScaleRecheck is how often a scale is read again that nothing tells the changes of, and how often a budget that cannot be computed is tried again.
	ScaleRecheck = time.Minute
)

// Planner is Plan, or a function in its place.
type Planner func(state State, now time.Time) Actions

// Plan says what to do about the budget of state at now. now is compared with the times in disruptedPods.
func Plan(state State, now time.Time) Actions {
	p := &pass{state: state, now: now}
	status := *state.Budget.Status.DeepCopy()
	// All of the status is of this generation, also where it says that it is not known (PDB-011).
	status.ObservedGeneration = state.Budget.Generation
	selected, err := Selected(state.Budget, state.Pods)
	if err != nil {
		p.problem(corev1.EventTypeWarning, EventNoPods, "Failed to get pods: "+err.Error(), err.Error())
	}
	status.DisruptedPods = p.disrupted(selected)
	status.CurrentHealthy = healthy(selected, status.DisruptedPods)
	status.ExpectedPods, status.DesiredHealthy = p.aim(selected)
	status.DisruptionsAllowed = 0
	if status.ExpectedPods > 0 {
		status.DisruptionsAllowed = max(0, status.CurrentHealthy-status.DesiredHealthy)
	}
	if len(p.problems) > 0 {
		failSafe(&status)
	}
	p.report(&status)
	if !apiequality.Semantic.DeepEqual(status, state.Budget.Status) {
		p.actions.Status = &status
		if len(selected) == 0 && err == nil {
			p.events = append(p.events, Event{Type: corev1.EventTypeNormal, Reason: EventNoPods, Message: "No matching pods found"})
		}
		p.actions.Events = p.events
	}
	return p.actions
}

// pass is one call of Plan.
type pass struct {
	state   State
	now     time.Time
	actions Actions
	// events are those for a status that is written.
	events []Event
	// problems are why the budget cannot be computed.
	problems []problem
}

// failSafe leaves nothing in status by which a pod could be evicted (PDB-018): with disruptionsAllowed zero the API server evicts no Ready pod, and
// with desiredHealthy zero none that is not Ready, which numbers from before the failure could let through (EVICT-025).
func failSafe(status *policyv1.PodDisruptionBudgetStatus) {
	status.DisruptionsAllowed, status.ExpectedPods, status.DesiredHealthy = 0, 0, 0
}

// comeBack makes sure that there is a pass at the given time.
func (p *pass) comeBack(at time.Time) {
	// Never zero, which would mean "no need".
	wait := max(at.Sub(p.now), time.Millisecond)
	if p.actions.RequeueAfter == 0 || wait < p.actions.RequeueAfter {
		p.actions.RequeueAfter = wait
	}
}
