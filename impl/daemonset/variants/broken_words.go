package variants

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenWords say wrongly in words what they do, or take others' words away.
func brokenWords() []Variant {
	return []Variant{
		{Name: "does-not-report-ended-pods", Says: "Records no event about pods that failed or succeeded.",
			Breaks:  []string{"COND-004"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) { actions.Events = nil })},
		{Name: "reports-one-failed-pod-of-a-node", Says: "Does not say why it deletes a pod that failed on a node where one had failed before.",
			Breaks: []string{"UNREADY-004"}, Planner: remember(reportOnce)},
		{Name: "reports-the-first-failure-on-a-node", Says: "Records no event about a pod that failed on a node where one had failed before.", Breaks: []string{"COND-004"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(event plan.Event) bool {
					return event.Reason == plan.EventFailedDaemonPod && state.Backoff[plan.TargetNode(event.Pod)].Delay > 0
				})
			})},
		{Name: "reports-one-failed-pod-of-a-pass", Says: "Records one event for all pods that it sees to have failed at the same time.", Breaks: []string{"COND-004"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				told := false
				actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(event plan.Event) bool {
					again := told && event.Reason == plan.EventFailedDaemonPod
					told = told || event.Reason == plan.EventFailedDaemonPod
					return again
				})
			})},
		{Name: "drops-the-conditions-of-others", Says: "Writes the status without conditions.",
			Breaks:  []string{"COND-005"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, _ plan.State, _ time.Time) { status.Conditions = nil })},
		{Name: "puts-conditions-back", Says: "Writes the status whatever others have written since it read it.",
			Breaks: []string{"COND-005"}, Writer: func(c client.Client) client.Client { return statusOverwriter{c} }},
	}
}

// nodesReported are the nodes of whose ended pods one was reported.
type nodesReported map[string]bool

func reportOnce(m *memory[nodesReported]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		reported := m.of(state)
		if *reported == nil {
			*reported = nodesReported{}
		}
		actions.Events = slices.DeleteFunc(slices.Clone(actions.Events), func(event plan.Event) bool {
			if event.Reason != plan.EventFailedDaemonPod || event.Pod == nil {
				return false
			}
			node := plan.TargetNode(event.Pod)
			known := (*reported)[node]
			(*reported)[node] = true
			return known
		})
		// The event of a deletion has its reason.
		for i := range actions.DeletePods {
			if actions.DeletePods[i].Reason == plan.ReasonFailed {
				actions.DeletePods[i].Reason = plan.ReasonOutdated
			}
		}
	})
}

// statusOverwriter writes the status of DaemonSets without a resourceVersion, and late.
type statusOverwriter struct{ client.Client }

// Status implements client.Client.
func (c statusOverwriter) Status() client.SubResourceWriter { return overwritten{c.Client.Status()} }

type overwritten struct{ client.SubResourceWriter }

// Update implements client.SubResourceWriter.
func (w overwritten) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	// As long as a condition of somebody else's takes to come in between.
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(300 * time.Millisecond):
	}
	object.SetResourceVersion("")
	return w.SubResourceWriter.Update(ctx, object, options...)
}
