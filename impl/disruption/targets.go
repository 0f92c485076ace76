package disruption

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption/act"
	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// targets resets the condition DisruptionTarget of pods that are not deleted after all (PDB-034).
type targets struct {
	cache client.Reader
	reset plan.Resetter
	clock clock.PassiveClock
	actor *act.Actor
}

// mayBeStale lets by those events after which a condition may have to be reset.
func mayBeStale() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(object client.Object) bool {
		pod, isPod := object.(*corev1.Pod)
		return isPod && plan.MayBeStale(pod)
	})
}

// Reconcile looks at one pod.
func (t *targets) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	pod := &corev1.Pod{}
	if err := t.cache.Get(ctx, request.NamespacedName, pod); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	actions := t.reset(pod, t.clock.Now())
	if err := t.actor.Reset(ctx, pod, actions); err != nil {
		return outdated(ctx, err)
	}
	return reconcile.Result{RequeueAfter: actions.RequeueAfter}, nil
}
