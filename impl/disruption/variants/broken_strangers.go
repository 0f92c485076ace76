package variants

import (
	"context"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// brokenStrangers are of an author who knows the documents and the reference alone: each is right as long as objects look as they mostly do.
func brokenStrangers() []Variant {
	bereft := &bereft{sets: map[types.UID]bool{}}
	return []Variant{
		{Name: "takes-a-failure-that-it-finds-for-its-own",
			Says:   "Leaves desiredHealthy and expectedPods of a budget that cannot be computed where the status said before that it cannot, whoever wrote that.",
			Breaks: []string{"EVICT-025"}, Planner: reporting(keepNumbersOfFailure)},
		{Name: "looks-for-the-deployment-of-a-replica-set-alone",
			Says:   "Takes a ReplicaSet whose Deployment is gone for one that does not exist, also while the ReplicaSet is there.",
			Breaks: []string{"PDB-007", "PDB-003"}, Reconciler: bereft.look, Planner: seeing(bereft.leaveOut)},
		{Name: "resets-no-targets-without-a-time",
			Says:   "Leaves the condition DisruptionTarget that does not say since when it is True.",
			Breaks: []string{"PDB-034"},
			Reset: func(pod *corev1.Pod, now time.Time) plan.TargetActions {
				if target := conditionOf(pod, corev1.DisruptionTarget); target != nil && target.LastTransitionTime.IsZero() {
					return plan.TargetActions{}
				}
				return plan.Reset(pod, now)
			}},
	}
}

// keepNumbersOfFailure makes the numbers zero when a failure begins, and takes them to be that while it lasts.
func keepNumbersOfFailure(status *policyv1.PodDisruptionBudgetStatus, state plan.State, _ time.Time) {
	stored := &state.Budget.Status
	if !failed(status) || !failed(stored) || stored.ObservedGeneration != state.Budget.Generation {
		return
	}
	status.DesiredHealthy, status.ExpectedPods = stored.DesiredHealthy, stored.ExpectedPods
}

// bereft are the ReplicaSets that a Deployment controls which does not exist.
type bereft struct {
	mu   sync.Mutex
	sets map[types.UID]bool
}

// look takes note of them before each pass.
func (b *bereft) look(next reconcile.Reconciler, c client.Client) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		sets, deployments, err := replicaSetsAndDeployments(ctx, c, request.Namespace)
		if err != nil {
			return reconcile.Result{}, err
		}
		there := map[types.UID]bool{}
		for i := range deployments {
			there[deployments[i].UID] = true
		}
		b.mu.Lock()
		for i := range sets {
			above := metav1.GetControllerOfNoCopy(&sets[i])
			b.sets[sets[i].UID] = above != nil && isDeployment(above) && !there[above.UID]
		}
		b.mu.Unlock()
		return next.Reconcile(ctx, request)
	})
}

// leaveOut shows them as gone.
func (b *bereft) leaveOut(state *plan.State, _ time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	changeControllers(state, func(reference types.UID, c plan.Controller) plan.Controller {
		c.Gone = c.Gone || b.sets[reference]
		return c
	})
}

// replicaSetsAndDeployments are those of the namespace.
func replicaSetsAndDeployments(ctx context.Context, c client.Reader, namespace string) ([]appsv1.ReplicaSet, []appsv1.Deployment, error) {
	var sets appsv1.ReplicaSetList
	var deployments appsv1.DeploymentList
	for _, list := range []client.ObjectList{&sets, &deployments} {
		if err := c.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return nil, nil, err
		}
	}
	return sets.Items, deployments.Items, nil
}

func isDeployment(reference *metav1.OwnerReference) bool {
	kind := schema.FromAPIVersionAndKind(reference.APIVersion, reference.Kind)
	return kind.Group == appsv1.GroupName && kind.Kind == "Deployment"
}
