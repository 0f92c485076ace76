package variants

import (
	"slices"

	"github.com/rollcall-conformance/rollcall/impl/around"
)

// Together returns a controller that has the differences of all those variants: each is around those after it.
func Together(all ...Variant) Variant {
	var result Variant
	for _, v := range slices.Backward(all) {
		result.Planner = around.Join(v.Planner, result.Planner)
		result.United = around.Join(v.United, result.United)
		result.Writer = around.Join(v.Writer, result.Writer)
		result.Live = around.Join(v.Live, result.Live)
		result.Reconciler = around.JoinReconcilers(v.Reconciler, result.Reconciler)
		result.Args = append(result.Args, v.Args...)
	}
	return result
}
