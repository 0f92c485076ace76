package variants

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulDeletions delete in other ways, or later.
func lawfulDeletions() []Variant {
	const ways = "No requirement says with which options a pod is deleted, as long as it gets its own time to end."
	return []Variant{
		{Name: "foreground-deletion", Says: "Deletes pods with foreground propagation.", Lawful: ways,
			Writer: deletingPods(func(*corev1.Pod) client.DeleteOption {
				return client.PropagationPolicy(metav1.DeletePropagationForeground)
			})},
		{Name: "orphan-deletion", Says: "Deletes pods with orphan propagation.", Lawful: ways,
			Writer: deletingPods(func(*corev1.Pod) client.DeleteOption { return client.PropagationPolicy(metav1.DeletePropagationOrphan) })},
		{Name: "explicit-grace", Says: "Deletes pods with an explicit grace period, the pod's own.", Lawful: ways,
			Writer: deletingPods(func(pod *corev1.Pod) client.DeleteOption {
				if seconds := pod.Spec.TerminationGracePeriodSeconds; seconds != nil {
					return client.GracePeriodSeconds(*seconds)
				}
				return &client.DeleteOptions{}
			})},
		{Name: "deletes-by-uid-alone", Says: "Deletes pods whatever their resourceVersion, with their UID as the only precondition.", Lawful: ways,
			Writer: func(c client.Client) client.Client { return uidDeleter{c} }},
		{Name: "keeps-replaced-pods-for-a-while", Says: "Deletes a pod three seconds after it became superfluous, and creates none meanwhile.",
			Lawful:  "SURGE-007 asks for the deletion promptly, and three seconds are within what promptly means.",
			Planner: creatingNothingMeanwhile(holdDeletions(3*time.Second, deletedFor(plan.ReasonReplaced)))},
	}
}

// uidDeleter drops the resourceVersion from the preconditions of deletions.
type uidDeleter struct{ client.Client }

func (c uidDeleter) Delete(ctx context.Context, object client.Object, _ ...client.DeleteOption) error {
	uid := object.GetUID()
	return c.Client.Delete(ctx, object, client.Preconditions{UID: &uid})
}
