package variants

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenNumbers miscount histories and collisions once there are many.
func brokenNumbers() []Variant {
	return []Variant{
		{Name: "counts-collisions-up-to-one", Says: "Never raises the number of collisions above one.",
			Breaks: []string{"HISTORY-006"},
			Planner: reporting(func(status *appsv1.DaemonSetStatus, _ plan.State, _ time.Time) {
				if collisions := status.CollisionCount; collisions != nil && *collisions > 1 {
					one := int32(1)
					status.CollisionCount = &one
				}
			})},
		{Name: "numbers-histories-by-how-many-there-are", Says: "Gives a new history a number one above the number of histories.",
			Breaks: []string{"HISTORY-003"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if actions.CreateRevision != nil {
					actions.CreateRevision.Revision = int64(len(state.Revisions) + 1)
				}
			})},
		{Name: "trims-histories-by-their-age", Says: "Deletes beyond the limit the histories that were created first.",
			Breaks: []string{"HISTORY-019"}, Planner: trimming(byAge)},
		{Name: "trims-histories-by-the-prefix-of-their-names", Says: "Counts histories towards the limit whose names begin with its own, whoever controls them.",
			Breaks: []string{"HISTORY-018"}, Reconciler: before(trimByPrefix)},
	}
}

func byAge(a, b *appsv1.ControllerRevision) int {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
}

func trimByPrefix(ctx context.Context, c client.Client, request reconcile.Request) error {
	ds := &appsv1.DaemonSet{}
	if err := c.Get(ctx, request.NamespacedName, ds); err != nil || ds.DeletionTimestamp != nil || ds.Spec.RevisionHistoryLimit == nil {
		return client.IgnoreNotFound(err)
	}
	var all appsv1.ControllerRevisionList
	if err := c.List(ctx, &all, client.InNamespace(ds.Namespace)); err != nil {
		return fmt.Errorf("list histories: %w", err)
	}
	mine := slices.DeleteFunc(all.Items, func(r appsv1.ControllerRevision) bool {
		return !strings.HasPrefix(r.Name, ds.Name+"-") || r.DeletionTimestamp != nil
	})
	slices.SortFunc(mine, func(a, b appsv1.ControllerRevision) int { return cmp.Compare(a.Revision, b.Revision) })
	var errs []error
	for i := range max(0, len(mine)-int(*ds.Spec.RevisionHistoryLimit)-1) {
		if owner := mine[i].OwnerReferences; len(owner) > 0 && owner[0].UID != ds.UID {
			errs = append(errs, client.IgnoreNotFound(c.Delete(ctx, &mine[i])))
		}
	}
	return errors.Join(errs...)
}
