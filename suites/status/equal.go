package status

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// equal is the spec of changes that change no number.
func equal() {
	spec.It("writes no status when nothing in it changes",
		spec.Decides("STATUS-012"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			// These are changes that a controller looks at, and that no number shows.
			c.Pods.HoldTermination(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
			c.Update(ctx, daemonSet, Edit{Says: "a label", Apply: func(d *appsv1.DaemonSet) { metav1.SetMetaDataLabel(&d.ObjectMeta, "note", "x") }})
			c.Await(ctx, Quiet(3*time.Second))
		},
		func(j *spec.Checks) { j.Decide("STATUS-012", NoEqualStatus()) })
}
