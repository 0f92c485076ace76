package variants

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
)

// Together returns a controller that has the differences of all those variants: each is around those after it. What stands in the place of a part of the
// reference is that of the first that has any.
func Together(all ...Variant) Variant {
	result := Variant{}
	for _, v := range slices.Backward(all) {
		outer, inner := v, result
		if outer.Planner != nil {
			result.Planner = func(next plan.Planner) plan.Planner { return outer.Planner(orNext(inner.Planner, next)) }
		}
		if outer.Writer != nil {
			result.Writer = func(next client.StatusClient) client.StatusClient { return outer.Writer(orNext(inner.Writer, next)) }
		}
		if outer.Reconciler != nil {
			result.Reconciler = func(next reconcile.Reconciler, c client.Client) reconcile.Reconciler {
				if inner.Reconciler != nil {
					next = inner.Reconciler(next, c)
				}
				return outer.Reconciler(next, c)
			}
		}
		if outer.Reset != nil {
			result.Reset = outer.Reset
		}
		if outer.Concerned != nil {
			result.Concerned = outer.Concerned
		}
	}
	return result
}

// orNext returns what the wrapper makes of next; next itself if there is none.
func orNext[T any, F ~func(T) T](wrapper F, next T) T {
	if wrapper == nil {
		return next
	}
	return wrapper(next)
}
