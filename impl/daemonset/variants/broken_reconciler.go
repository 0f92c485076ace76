package variants

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenReconcilers do what no planner is asked about.
func brokenReconcilers() []Variant {
	// There is one controller in a process.
	lost := &atomic.Bool{}
	return []Variant{
		{Name: "begins-anew-after-a-cut", Says: "Knows of no pods in the first pass after the API server has not answered for two seconds.",
			Breaks: []string{"RECOVERY-007"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				if lost.CompareAndSwap(true, false) {
					state.Pods = nil
				}
			}),
			Reconciler: func(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
				go listen(c, lost)
				return inner
			}},
		{Name: "deletes-foreign-pods", Says: "Deletes pods that fit the selector and belong to somebody else.",
			Breaks: []string{"TARGET-003", "ROLLING-019"},
			Reconciler: func(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
				return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
					if err := deleteForeign(ctx, c, request); err != nil {
						return reconcile.Result{}, err
					}
					return inner.Reconcile(ctx, request)
				})
			}},
		{Name: "does-not-come-back-from-a-cut", Says: "Does nothing more once the API server has not answered for two seconds.",
			Breaks: []string{"KUBELET-011"}, NeedsKubelets: true,
			Reconciler: func(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
				cut := &atomic.Bool{}
				go listen(c, cut)
				return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
					if cut.Load() {
						return reconcile.Result{}, nil
					}
					return inner.Reconcile(ctx, request)
				})
			}},
	}
}

func deleteForeign(ctx context.Context, c client.Client, request reconcile.Request) error {
	ds := &appsv1.DaemonSet{}
	if err := c.Get(ctx, request.NamespacedName, ds); err != nil || ds.DeletionTimestamp != nil {
		return client.IgnoreNotFound(err)
	}
	selector, err := metav1.LabelSelectorAsSelector(ds.Spec.Selector)
	if err != nil {
		return fmt.Errorf("spec.selector: %w", err)
	}
	var pods corev1.PodList
	if err := c.List(ctx, &pods, client.InNamespace(ds.Namespace), client.MatchingLabelsSelector{Selector: selector}); err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	var errs []error
	for i := range pods.Items {
		if pod := &pods.Items[i]; !metav1.IsControlledBy(pod, ds) && pod.DeletionTimestamp == nil {
			errs = append(errs, client.IgnoreNotFound(c.Delete(ctx, pod)))
		}
	}
	return errors.Join(errs...)
}

// listen asks the API server something every two seconds, and gives up for ever when there is no answer within them.
func listen(c client.Client, cut *atomic.Bool) {
	for !cut.Load() {
		brief, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		if err := c.Create(brief, &authenticationv1.SelfSubjectReview{}); err != nil {
			cut.Store(true)
		}
		<-brief.Done()
		cancel()
	}
}
