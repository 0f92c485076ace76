package variants

import (
	"context"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenKept do not get on with an API server that refuses to delete their pods.
func brokenKept() []Variant {
	return []Variant{
		{Name: "kept-pods-cost-nothing", Says: "Does not hold an old pod that is not available against maxUnavailable once it has asked for its deletion.",
			Breaks: []string{"ROLLING-007"}, Planner: remember(forgiveAsked)},
		{Name: "writes-no-status-once-a-pod-was-kept", Says: "Writes no status from when it could not delete a pod until it has deleted one.",
			Breaks: []string{"STATUS-011"}, Writer: func(c client.Client) client.Client { return &mute{Client: c} }},
		{Name: "asks-for-a-deletion-once", Says: "Does not ask again for the deletion of a pod that was refused.",
			Breaks: []string{"RECOVERY-014"}, Planner: remember(askOnce)},
	}
}

// asked are the pods whose deletion has been planned.
type asked struct{ pods sets.Set[types.UID] }

func (a *asked) note(actions plan.Actions) {
	if a.pods == nil {
		a.pods = sets.New[types.UID]()
	}
	for _, deletion := range actions.DeletePods {
		a.pods.Insert(deletion.Pod.UID)
	}
}

// forgiveAsked raises maxUnavailable by the nodes whose old pod is not available and was to be deleted in an earlier pass.
func forgiveAsked(m *memory[asked]) Around {
	forgive := lenient(maxUnavailable, func(n *node, state plan.State, now time.Time) bool {
		return n.unavailable(state, now) && len(n.olds) > 0 && m.of(state).pods.Has(n.olds[0].UID)
	})
	return both(doing(func(actions *plan.Actions, state plan.State, _ time.Time) { m.of(state).note(*actions) }), forgive)
}

// askOnce drops deletions that were planned in an earlier pass.
func askOnce(m *memory[asked]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		before := m.of(state)
		withoutDeletions(actions, func(d plan.PodDeletion) bool { return before.pods.Has(d.Pod.UID) })
		before.note(*actions)
	})
}

// mute writes no status while the last deletion has failed.
type mute struct {
	client.Client
	refused atomic.Bool
}

// Delete implements client.Client.
func (c *mute) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	err := c.Client.Delete(ctx, object, options...)
	if _, isPod := object.(*corev1.Pod); isPod {
		c.refused.Store(err != nil)
	}
	return err
}

// Status implements client.Client.
func (c *mute) Status() client.SubResourceWriter { return withheld{c.Client.Status(), &c.refused} }
