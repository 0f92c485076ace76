package variants

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenEvents take no notice of changes that they take for their own, or for ones that mean nothing.
func brokenEvents() []Variant {
	return []Variant{
		{Name: "writes-each-status-once", Says: "Does not write a status again that it has seen to be written, though somebody else has written another since.",
			Breaks: []string{"STATUS-001", "STATUS-005"}, Planner: remember(writeOnce)},
	}
}

// statusSeen is the last status that needed no writing; nil if the last one did.
type statusSeen struct{ status *appsv1.DaemonSetStatus }

func writeOnce(m *memory[statusSeen]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		seen := m.of(state)
		switch {
		case actions.Status == nil:
			seen.status = state.DaemonSet.Status.DeepCopy()
		case seen.status != nil && apiequality.Semantic.DeepEqual(seen.status, actions.Status):
			actions.Status = nil
		default:
			seen.status = nil
		}
	})
}
