package variants

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenBounds go wrong where a number is larger than usual, or where there is more time than usual.
func brokenBounds() []Variant {
	return []Variant{
		{Name: "takes-more-than-all-for-none", Says: "Takes an integer maxUnavailable above the number of nodes for 0 as long as no pod is unavailable.",
			Breaks: []string{"ROLLING-014"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				update := state.DaemonSet.Spec.UpdateStrategy.RollingUpdate
				if update != nil && update.MaxUnavailable != nil && update.MaxUnavailable.IntValue() > len(nodes(state)) {
					withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Reason == plan.ReasonOutdated })
				}
			})},
		{Name: "stops-at-250-pods", Says: "Creates no pod of a DaemonSet that has 250.", Breaks: []string{"ROLLING-020"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				created := len(state.Pods)
				withoutCreations(actions, func(plan.PodCreation) bool {
					created++
					return created > 250
				})
			})},
		{Name: "ends-replaced-pods-by-force", Says: "Deletes a terminating pod by force once it has created another on the node.", Breaks: []string{"DRAIN-004"},
			Writer: func(c client.Client) client.Client { return forcedEnder{c} }},
	}
}

// forcedEnder deletes the terminating pods of a controller and node by force when it has created another one for these.
type forcedEnder struct{ client.Client }

func (c forcedEnder) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if err := c.Client.Create(ctx, object, options...); err != nil {
		return err
	}
	created, isPod := object.(*corev1.Pod)
	owner := metav1.GetControllerOf(object)
	if !isPod || owner == nil {
		return nil
	}
	var pods corev1.PodList
	if err := c.List(ctx, &pods, client.InNamespace(created.Namespace)); err != nil {
		return fmt.Errorf("list the pods beside %s: %w", created.Name, err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		beside := metav1.GetControllerOf(pod)
		if pod.DeletionTimestamp == nil || beside == nil || beside.UID != owner.UID || plan.TargetNode(pod) != plan.TargetNode(created) {
			continue
		}
		if err := client.IgnoreNotFound(c.Delete(ctx, pod, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})); err != nil {
			return fmt.Errorf("delete pod %s by force: %w", pod.Name, err)
		}
	}
	return nil
}
