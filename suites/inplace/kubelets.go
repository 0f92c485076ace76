package inplace

import (
	"context"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// kubelets is the spec of what only a kubelet shows.
func kubelets() {
	spec.It("has kubelets restart the containers whose images changed, and no others",
		spec.Decides("INPLACE-016", "INPLACE-017"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := begin(ctx, c, 2, Sidecar())
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.RollOut(ctx, daemonSet, Image("v3"))
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-016", Tested(OnEveryNode(AtLeast(2, restartedIn("daemon")))), Never(restartedIn("sidecar")))
			j.Decide("INPLACE-017", append(stayed(begun), EndsRolledOut(), OnEveryNode(AtLeast(2, restartedIn("daemon"))))...)
		}, spec.RealNodes{})
}
