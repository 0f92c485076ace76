package variants

import (
	"slices"

	"github.com/rollcall-conformance/rollcall/impl/around"
)

// Together returns a controller that has the differences of all those variants: each is around those after it. Of what replaces a part of the reference, the
// first there is counts.
func Together(all ...Variant) Variant {
	var result Variant
	for _, v := range slices.Backward(all) {
		result.Planner = around.Join(v.Planner, result.Planner)
		result.Writer = around.Join(v.Writer, result.Writer)
		result.Reconciler = around.JoinReconcilers(v.Reconciler, result.Reconciler)
		if v.Reset != nil {
			result.Reset = v.Reset
		}
		if v.Concerned != nil {
			result.Concerned = v.Concerned
		}
	}
	return result
}
