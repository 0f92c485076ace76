package variants

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulPods make other pods, or change them once they are there.
func lawfulPods() []Variant {
	const more = "What the requirements ask for is there; none forbids more."
	return []Variant{
		{Name: "annotates-pods-late", Says: "Writes an annotation on every pod three seconds after it became Ready.", Lawful: more, Reconciler: annotateLate(3 * time.Second)},
		{Name: "pods-tolerate-everything", Says: "Creates pods that tolerate every taint, and deletes them itself where the template does not.",
			Lawful: "By SURGE-004 further tolerations of its pods count for nothing, and DRAIN-008 does not say who deletes them.",
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for _, creation := range actions.CreatePods {
					creation.Pod.Spec.Tolerations = append(creation.Pod.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
				}
			})},
		{Name: "gates-pods", Says: "Creates pods with a scheduling gate, which it takes away once it has seen them.",
			Lawful: "SURGE-026 asks what pods are bound to, and no requirement when they are scheduled.",
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for _, creation := range actions.CreatePods {
					creation.Pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: seenGate}}
				}
			}),
			Reconciler: before(openGates)},
		{Name: "cordoned-nodes-last", Says: "Goes over the nodes that are cordoned after all others.",
			Lawful: "No requirement says which of several healthy nodes comes first.",
			Planner: seeing(func(state *plan.State, _ time.Time) {
				state.Nodes = slices.Clone(state.Nodes)
				slices.SortStableFunc(state.Nodes, func(a, b *corev1.Node) int { return cordoned(a) - cordoned(b) })
			})},
	}
}

func cordoned(node *corev1.Node) int {
	if node.Spec.Unschedulable {
		return 1
	}
	return 0
}

const seenGate = "example.com/seen"

func gated(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.SchedulingGates, func(gate corev1.PodSchedulingGate) bool { return gate.Name == seenGate })
}

func openGates(ctx context.Context, c client.Client, request reconcile.Request) error {
	return eachPod(ctx, c, request, func(pod *corev1.Pod) bool { return gated(pod) && pod.DeletionTimestamp == nil }, func(pod *corev1.Pod) {
		pod.Spec.SchedulingGates = slices.DeleteFunc(pod.Spec.SchedulingGates, func(gate corev1.PodSchedulingGate) bool { return gate.Name == seenGate })
	})
}

// annotateLate annotates pods that have been Ready for a while, before each pass, and comes back for the others.
func annotateLate(after time.Duration) func(reconcile.Reconciler, client.Client) reconcile.Reconciler {
	return func(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
		return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			var wait time.Duration
			err := eachPod(ctx, c, request, func(pod *corev1.Pod) bool {
				owner, condition := metav1.GetControllerOf(pod), ready(pod)
				if owner == nil || owner.Kind != "DaemonSet" || owner.Name != request.Name || pod.DeletionTimestamp != nil ||
					condition == nil || condition.Status != corev1.ConditionTrue || pod.Annotations[seenReady] != "" {
					return false
				}
				left := time.Until(condition.LastTransitionTime.Add(after))
				if left > 0 && (wait == 0 || left < wait) {
					wait = left
				}
				return left <= 0
			}, func(pod *corev1.Pod) { metav1.SetMetaDataAnnotation(&pod.ObjectMeta, seenReady, "true") })
			if err != nil {
				return reconcile.Result{}, err
			}
			result, err := inner.Reconcile(ctx, request)
			if err == nil && wait > 0 && (result.RequeueAfter == 0 || wait < result.RequeueAfter) {
				result.RequeueAfter = wait
			}
			return result, err
		})
	}
}
