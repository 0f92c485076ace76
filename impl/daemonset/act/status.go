package act

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/stale"
)

// writeStatus writes status, which was planned from ds. If somebody else wrote in between, it puts the numbers
// into what the API server has now, so that conditions of others survive (COND-005); it gives up if a later generation
// has been observed there, or if the write is about a name collision, which must be counted once (HISTORY-007).
func (a *Actor) writeStatus(ctx context.Context, ds *appsv1.DaemonSet, status appsv1.DaemonSetStatus) error {
	target := ds.DeepCopy()
	target.Status = status
	collided := !apiequality.Semantic.DeepEqual(ds.Status.CollisionCount, status.CollisionCount)

	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if target == nil {
			var err error
			if target, err = a.rebase(ctx, ds, status); err != nil || target == nil {
				return err
			}
		}
		written := target
		target = nil
		err := a.Client.Status().Update(ctx, written)
		if apierrors.IsConflict(err) && collided {
			return stale.Because(fmt.Errorf("count a name collision: %v", err))
		}
		return err
	})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return classify(fmt.Errorf("write the status of DaemonSet %s/%s: %w", ds.Namespace, ds.Name, err))
	}
	return nil
}

// rebase returns the DaemonSet as it is now with the numbers of status, or nil if there is nothing to write.
func (a *Actor) rebase(ctx context.Context, ds *appsv1.DaemonSet, status appsv1.DaemonSetStatus) (*appsv1.DaemonSet, error) {
	fresh := &appsv1.DaemonSet{}
	if err := a.Live.Get(ctx, client.ObjectKeyFromObject(ds), fresh); err != nil {
		return nil, err
	}
	if fresh.UID != ds.UID || fresh.DeletionTimestamp != nil || fresh.Status.ObservedGeneration > status.ObservedGeneration {
		return nil, nil
	}
	before := fresh.Status.DeepCopy()
	conditions, collisions := fresh.Status.Conditions, fresh.Status.CollisionCount
	fresh.Status = status
	fresh.Status.Conditions, fresh.Status.CollisionCount = plan.WithStalled(conditions, status.Conditions), collisions
	if apiequality.Semantic.DeepEqual(*before, fresh.Status) {
		return nil, nil
	}
	return fresh, nil
}
