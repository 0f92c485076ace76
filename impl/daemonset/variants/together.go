package variants

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	unitedplan "github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// Together returns a controller that has the differences of all those variants: each is around those after it.
func Together(all ...Variant) Variant {
	var result Variant
	for _, v := range slices.Backward(all) {
		inner := result
		if v.Planner != nil {
			result.Planner = func(next plan.Planner) plan.Planner { return v.Planner(orNext(inner.Planner, next)) }
		}
		if v.United != nil {
			result.United = func(next unitedplan.Planner) unitedplan.Planner { return v.United(orNext(inner.United, next)) }
		}
		if v.Writer != nil {
			result.Writer = func(next client.Client) client.Client { return v.Writer(orNext(inner.Writer, next)) }
		}
		if v.Live != nil {
			result.Live = func(next client.Reader) client.Reader { return v.Live(orNext(inner.Live, next)) }
		}
		if v.Reconciler != nil {
			result.Reconciler = func(next reconcile.Reconciler, c client.Client) reconcile.Reconciler {
				if inner.Reconciler != nil {
					next = inner.Reconciler(next, c)
				}
				return v.Reconciler(next, c)
			}
		}
		result.Args = append(result.Args, v.Args...)
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
