package rollouts

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Finish makes updated pods ready, each as soon as it runs, until the DaemonSet is rolled out or no more come. It reports whether it is rolled out.
func Finish(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) bool {
	for {
		var next *corev1.Pod
		done := false
		rolledOut := RolledOut(daemonSet)
		c.Await(ctx, Condition{Text: rolledOut.Text + ", or there is an updated pod that is not Ready", Unmet: func(cluster *history.Cluster) string {
			unmet := rolledOut.Unmet(cluster)
			if done = unmet == ""; done {
				return ""
			}
			for _, pod := range cluster.UpdatedPods(daemonSet) {
				if history.IsLive(pod) && Running(pod) && NotReady(pod) {
					next = pod
					return ""
				}
			}
			return unmet
		}})
		if next == nil {
			return done
		}
		c.Pods.BecomeReady(ctx, next)
	}
}
