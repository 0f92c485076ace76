package variants

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
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
		{Name: "deletes-by-version-alone", Says: "Deletes pods with their resourceVersion as the only precondition.", Lawful: ways,
			Writer: func(c client.Client) client.Client { return versionDeleter{c} }},
		{Name: "deletes-by-collection", Says: "Deletes each pod by a collection that the pod's name selects.", Lawful: ways,
			Writer: func(c client.Client) client.Client { return collectionDeleter{c} }},
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

// versionDeleter drops the UID from the preconditions of deletions.
type versionDeleter struct{ client.Client }

func (c versionDeleter) Delete(ctx context.Context, object client.Object, _ ...client.DeleteOption) error {
	version := object.GetResourceVersion()
	return c.Client.Delete(ctx, object, client.Preconditions{ResourceVersion: &version})
}

// collectionDeleter deletes pods by collections of one. What is gone is no error then.
type collectionDeleter struct{ client.Client }

func (c collectionDeleter) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return c.Client.Delete(ctx, object, options...)
	}
	selected := client.DeleteAllOfOptions{ListOptions: client.ListOptions{
		Namespace: pod.Namespace, FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, pod.Name),
	}}
	selected.DeleteOptions.ApplyOptions(options)
	return c.DeleteAllOf(ctx, &corev1.Pod{}, &selected)
}
