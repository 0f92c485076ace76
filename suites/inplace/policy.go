package inplace

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// policy are the specs of what a DaemonSet can ask for.
func policy() {
	spec.It("has the API server accept the two pod update policies, and reject all others",
		spec.Decides("INPLACE-001"),
		func(ctx context.Context, c *spec.Case) {
			for name, edit := range ByName(map[string]Edit{
				"in-place": c.InPlaceIfPossible(), "recreate": c.Recreate(), "unknown": c.PodUpdatePolicy("InPlaceAlways"),
				"empty": c.PodUpdatePolicy(""), "lower-case": c.PodUpdatePolicy("inplaceifpossible"),
			}) {
				_, _ = c.TryCreate(ctx, c.NewDaemonSet(name, edit))
			}
			if daemonSet, err := c.TryCreate(ctx, c.NewDaemonSet("updated", c.InPlaceIfPossible())); err == nil {
				_, _ = c.TryUpdate(ctx, daemonSet, c.PodUpdatePolicy("OnlyInPlace"))
			}
		},
		func(j *spec.Checks) {
			j.Given(Accepted("a policy", Answered(history.CreateDaemonSet, "updated")))
			for _, name := range []string{"in-place", "recreate"} {
				j.Decide("INPLACE-001", Accepted("a policy", Answered(history.CreateDaemonSet, name)))
			}
			for _, name := range []string{"unknown", "empty", "lower-case"} {
				j.Decide("INPLACE-001", Refused("a policy that there is not", Answered(history.CreateDaemonSet, name)))
			}
			j.Decide("INPLACE-001", Refused("a policy that there is not", Answered(history.UpdateDaemonSet, "updated")))
		})

	spec.It("recreates pods without a pod update policy and with Recreate, and with OnDelete whatever the policy",
		spec.Decides("INPLACE-002", "INPLACE-011"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.RollOut(ctx, daemonSet, c.Recreate(), Image("v3"))
			c.Mark(next)
			updated := c.Update(ctx, daemonSet, c.InPlaceIfPossible(), OnDelete())
			updated = c.Update(ctx, updated, Image("v4"))
			c.Await(ctx, Processed(updated))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			for _, pod := range c.LivePods(ctx, updated) {
				c.DeletePod(ctx, pod, time.Duration(*pod.Spec.TerminationGracePeriodSeconds)*time.Second)
			}
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-002", Never(PodPatched(OfVersion("v2"))), Never(PodPatched(OfVersion("v3"))),
				OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))), OnEveryNode(Exactly(1, PodCreated(OfVersion("v3")))))
			j.Decide("INPLACE-011", Never(After(PodPatched(), Marked(next))), OnEveryNode(Exactly(1, PodCreated(OfVersion("v4")))))
		})

	spec.It("goes by the policy that the DaemonSet has when its pods are updated",
		spec.Decides("INPLACE-003", "INPLACE-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			c.RollOut(ctx, daemonSet, c.InPlaceIfPossible(), Image("v2"))
			c.Mark(next)
			c.RollOut(ctx, daemonSet, c.Recreate(), Image("v3"))
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-003", EndsRolledOut(), OnEveryNode(Exactly(1, PodPatched(OfVersion("v2")))), Never(PodCreated(OfVersion("v2"))))
			j.Decide("INPLACE-002", Never(After(PodPatched(), Marked(next))), OnEveryNode(Exactly(1, PodCreated(OfVersion("v3")))))
		})
}

// restartedIn is the restart of a container of that name.
func restartedIn(container string) Event {
	return PodRestarted().Where("container "+container, func(m Moment) bool {
		before, _ := m.Before.(*corev1.Pod)
		return before != nil && count(m.Pod(), container) > count(before, container)
	})
}

func count(pod *corev1.Pod, container string) int32 {
	for _, status := range pod.Status.ContainerStatuses {
		if status.Name == container {
			return status.RestartCount
		}
	}
	return 0
}
