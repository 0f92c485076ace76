package plan

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// problem is one reason why a budget cannot be computed.
type problem struct {
	event Event
	// message is the condition's.
	message string
}

func (p *pass) problem(eventType, reason, told, message string) {
	p.problems = append(p.problems, problem{event: Event{Type: eventType, Reason: reason, Message: told}, message: message})
	p.comeBack(p.now.Add(ScaleRecheck))
}

// uncountable notes that the number of pods that there should be is not known (PDB-020, PDB-021).
func (p *pass) uncountable(err error) {
	p.problem(corev1.EventTypeWarning, EventCalculateExpectedPodCountFailed, "Failed to calculate the number of expected pods: "+err.Error(), err.Error())
}

// unmanaged notes that pods have no controller, in the order of their names (PDB-022).
func (p *pass) unmanaged(pods []*corev1.Pod) {
	named := "pod " + pods[0].Name
	if more := len(pods) - 1; more > 0 {
		named += fmt.Sprintf(" (and %d more)", more)
	}
	message := named + " has no controller, so it is not known how many pods there should be: set minAvailable to an integer, or select no such pods"
	p.problem(corev1.EventTypeWarning, EventUnmanagedPods, "Some of the selected pods are unmanaged: "+message, message)
}

// report sets the condition DisruptionAllowed in status, which is complete otherwise (PDB-017, PDB-018), and tells of problems that the budget did not have
// before by events. Conditions of other types are left alone (PDB-031).
func (p *pass) report(status *policyv1.PodDisruptionBudgetStatus) {
	condition := metav1.Condition{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.InsufficientPodsReason,
		ObservedGeneration: status.ObservedGeneration, LastTransitionTime: metav1.NewTime(p.now).Rfc3339Copy(),
	}
	switch {
	case len(p.problems) > 0:
		var messages []string
		for _, each := range p.problems {
			messages = append(messages, each.message)
		}
		condition.Reason, condition.Message = policyv1.SyncFailedReason, strings.Join(messages, "; ")
	case status.DisruptionsAllowed > 0:
		condition.Status, condition.Reason = metav1.ConditionTrue, policyv1.SufficientPodsReason
	}
	before := apimeta.FindStatusCondition(status.Conditions, condition.Type)
	if before == nil || before.Reason != condition.Reason || before.Message != condition.Message {
		for _, each := range p.problems {
			p.events = append(p.events, each.event)
		}
	}
	// It keeps the time of the transition if there is none.
	apimeta.SetStatusCondition(&status.Conditions, condition)
}

func compareNames(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) }
