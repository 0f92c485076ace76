package gate

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// unset is the spec of DaemonSets that the feature is nothing to.
func unset() {
	spec.It("rolls out without a second pod on any node where maxSurge is not set",
		spec.Decides("GATE-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			c.RollOut(ctx, c.Deploy(ctx, Edit{Says: "no limits", Apply: func(d *appsv1.DaemonSet) {
				d.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType}
			}}), Image("v2"))
		},
		func(j *spec.Checks) {
			j.Decide("GATE-001", Never(PodCreated().BesideLivePod()), EndsRolledOut(), Keeps("ROLLING-002"))
		})
}

// off are the specs of rollouts that begin while the gate is off.
func off() {
	spec.It("ignores maxSurge while the gate is off, as if the limits were 0 and 1",
		spec.Decides("GATE-002", "GATE-003", "GATE-008", "GATE-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxSurge("2"), Edit{Says: "maxUnavailable 0%", Apply: func(d *appsv1.DaemonSet) {
				none := intstr.FromString("0%")
				d.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = &none
			}})
			switchOff(ctx, c)
			rollouts.Finish(ctx, c, rollouts.Stall(ctx, c, daemonSet, "v2", 1))
		},
		func(j *spec.Checks) {
			alone := []Matcher{Never(PodCreated().BesideLivePod()), EndsRolledOut()}
			one := AtLeast(1, PodDeleted(OfVersion("v1")).LastAvailable())
			j.Decide("GATE-002", alone...)
			j.Decide("GATE-003", append(alone, one, Keeps("ROLLING-002"))...)
			j.Decide("GATE-008", append(alone, one, Keeps("ROLLING-002"))...)
			j.Decide("GATE-010", alone...)
		}, spec.Alone{}, spec.SimulatedNodes{}, spec.MainPath{})

	spec.It("waits for old pods that are on their way out while the gate is off, as if maxSurge were 0",
		spec.Decides("GATE-002", "GATE-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			old := c.LivePods(ctx, daemonSet)
			for _, pod := range old {
				c.Pods.HoldTermination(ctx, pod)
			}
			switchOff(ctx, c)
			updated := c.Update(ctx, daemonSet, Image("v2"))
			c.Require(ctx, "an old pod is on its way out", state.When("a pod is terminating", func(cluster *history.Cluster) bool {
				return slices.ContainsFunc(old, func(pod *corev1.Pod) bool {
					return cluster.Pods[pod.UID] != nil && cluster.Pods[pod.UID].DeletionTimestamp != nil
				})
			}))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			for _, pod := range old {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			beside := PodCreated(OfVersion("v2")).Where("beside one that is on its way out", func(m Moment) bool {
				return slices.ContainsFunc(m.PodsBeside(), func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil && !history.IsTerminal(pod) })
			})
			j.Given(Before(First(PodDeleted(OfVersion("v1"))), Began(history.ReleaseTermination)))
			for _, id := range []requirements.ID{"GATE-002", "GATE-003"} {
				j.Decide(id, Never(beside), EndsRolledOut())
			}
		}, spec.Alone{}, spec.SimulatedNodes{})

	spec.It("surges again by itself when the gate is on again, and restarts no pod for the gate alone",
		spec.Decides("GATE-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			switchOff(ctx, c)
			// Something for it to look at.
			c.RequireReconciled(ctx, daemonSet)
			switchOn(ctx, c)
			c.RequireReconciled(ctx, daemonSet)
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			c.RollOut(ctx, daemonSet, Image("v2"))
		},
		func(j *spec.Checks) {
			j.Decide("GATE-006",
				OnEveryNode(UpTo(1, PodCreated(OfVersion("v1")))), NeverBetween(Marked(switchedOff), TemplateChanged(), PodDeleted()),
				OnEveryNode(AtLeast(1, PodCreated(OfVersion("v2")).BesideLivePod())), Never(PodDeleted(OfVersion("v1")).LastAvailable()), EndsRolledOut())
		}, spec.Alone{})
}

// back are the specs of templates that come back.
func back() {
	spec.It("surges when the gate is on again and a template comes back that was rolled out without surge",
		spec.Decides("GATE-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			switchOff(ctx, c)
			c.RollOut(ctx, daemonSet, Image("v2"))
			switchOn(ctx, c)
			c.RollOut(ctx, daemonSet, Image("v3"))
			c.RollOut(ctx, daemonSet, Image("v2"))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, After(PodCreated(OfVersion("v3")), Marked(switchedOn))))
			j.Decide("GATE-006",
				OnEveryNode(AtLeast(1, After(PodCreated(OfVersion("v2")), Marked(switchedOn)).BesideLivePod())),
				Never(PodDeleted(OfVersion("v3")).LastAvailable()), EndsRolledOut())
		}, spec.Alone{})
}

// leaving are the specs of pods that were on their way out when the gate was switched on again.
func leaving() {
	spec.It("makes an updated pod beside one that has been on its way out since the gate was off, once it is on again",
		spec.Decides("GATE-006", "UNREADY-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			held := c.LivePods(ctx, daemonSet)
			for _, pod := range held {
				c.Pods.HoldTermination(ctx, pod)
			}
			switchOff(ctx, c)
			endOnceOn(ctx, c, c.Update(ctx, daemonSet, Image("v2")), held...)
		},
		func(j *spec.Checks) {
			node := j.Bound(left)
			j.Given(AtLeast(1, PodDeleted(OfVersion("v1")).On(node)), NeverBetween(TemplateChanged(), Marked(switchedOn), PodCreated(OfVersion("v2"))))
			for _, id := range []requirements.ID{"GATE-006", "UNREADY-002"} {
				j.Decide(id, Before(PodCreated(OfVersion("v2")).On(node), Began(history.ReleaseTermination)), EndsRolledOut())
			}
		}, spec.Alone{}, spec.SimulatedNodes{})

	spec.It("makes the replacement of a deleted pod beside it that has been on its way out since the gate was off, once it is on again",
		spec.Decides("GATE-006", "DRAIN-002", "GATE-002", "DRAIN-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			pod := c.LivePods(ctx, daemonSet)[0]
			c.Pods.HoldTermination(ctx, pod)
			switchOff(ctx, c)
			c.DeletePod(ctx, pod, 30*time.Second)
			endOnceOn(ctx, c, daemonSet, pod)
		},
		func(j *spec.Checks) {
			node := j.Bound(left)
			created, alone := After(PodCreated(), Marked(switchedOff)).On(node), NeverBetween(Marked(switchedOff), Marked(switchedOn), PodCreated())
			j.Given(AtLeast(1, After(PodDeleted(), Marked(switchedOff)).On(node)))
			for _, id := range []requirements.ID{"GATE-002", "DRAIN-003"} {
				j.Decide(id, alone)
			}
			for _, id := range []requirements.ID{"GATE-006", "DRAIN-002"} {
				j.Decide(id, Tested(alone), Before(created, Began(history.ReleaseTermination)), EndsRolledOut())
			}
		}, spec.Alone{}, spec.SimulatedNodes{})
}

// left is the node whose pod is on its way out when the gate is switched on.
const left = "the node whose pod is on its way out"

// endOnceOn switches the gate on while one of the held pods is on its way out, and lets them end once its node has another one, or could have.
func endOnceOn(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, held ...*corev1.Pod) {
	node := ""
	c.Require(ctx, "a pod is on its way out", state.When("a pod is terminating", func(cluster *history.Cluster) bool {
		for _, pod := range held {
			if now := cluster.Pods[pod.UID]; now != nil && now.DeletionTimestamp != nil {
				node = history.NodeOf(now)
			}
		}
		return node != ""
	}))
	c.Bind(left, node)
	// Longer than a controller may be late.
	c.Await(ctx, Quiet(3*time.Second))
	switchOn(ctx, c)
	c.AwaitAfter(ctx, spec.AtOnce, UpdatedOn(1, daemonSet, OnNode(node)))
	for _, pod := range held {
		c.Pods.ReleaseTermination(ctx, pod)
	}
	c.Await(ctx, RolledOut(daemonSet))
}

// flipped are the specs of a gate that is switched in the middle of a rollout.
func flipped() {
	spec.It("keeps the available pod of each node that has two when the gate is switched off, and goes on with one node at a time",
		spec.Decides("GATE-007", "GATE-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			updated := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("2")), "v2", 2)
			switchOff(ctx, c)
			rollouts.Settle(ctx, c, updated, PodsPerNode(updated, 1))
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodCreated(OfVersion("v2")).BesideLivePod()))
			for _, id := range []requirements.ID{"GATE-003", "GATE-007"} {
				j.Decide(id,
					Never(After(PodCreated().BesideLivePod(), Marked(switchedOff))), AtLeast(1, After(PodDeleted(OfVersion("v1")).LastAvailable(), Marked(switchedOff))),
					EndsRolledOut(), Keeps("ROLLING-002"))
			}
		}, spec.Alone{}, spec.SimulatedNodes{})

	spec.It("takes down one node at a time where updated pods have failed beside the old ones when the gate is switched off",
		spec.Decides("GATE-007", "GATE-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			updated := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("2")), "v2", 2)
			// Nobody has replaced them when the next process begins.
			c.Kill(ctx)
			for _, pod := range c.LivePods(ctx, updated) {
				if history.MatchesTemplate(pod, &updated.Spec.Template) {
					c.Pods.Fail(ctx, pod)
				}
			}
			switchOff(ctx, c)
			rollouts.Settle(ctx, c, updated, UpdatedOn(1, updated))
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodFailed(OfVersion("v2"))))
			for _, id := range []requirements.ID{"GATE-003", "GATE-007"} {
				j.Decide(id, Never(After(PodCreated().BesideLivePod(), Marked(switchedOff))), EndsRolledOut(), Keeps("ROLLING-002"))
			}
		}, spec.Alone{}, spec.SimulatedNodes{})

	spec.It("leaves at most one pod on each node that has two of which none is available when the gate is switched off",
		spec.Decides("GATE-007"),
		func(ctx context.Context, c *spec.Case) {
			// So many seconds do not pass.
			const never = 1000
			c.AddNodes(ctx, 3)
			updated := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxSurge("1")), "v2", 1)
			for _, node := range rollouts.Untouched(ctx, c, updated, 2) {
				c.Pods.SetReadySince(ctx, c.LivePodOn(ctx, updated, node), time.Now().Add(-2*never*time.Second))
			}
			// The old pod of the node that surges is Ready still, and not available any more.
			waiting := c.Update(ctx, updated, MinReadySeconds(never))
			rollouts.Settle(ctx, c, waiting, Processed(waiting))
			switchOff(ctx, c)
			rollouts.Settle(ctx, c, waiting, PodsPerNode(waiting, 1))
			c.Mark(settledOff)
			rollouts.Finish(ctx, c, c.Update(ctx, waiting, MinReadySeconds(0)))
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(switchedOff, twoPodsOnANode()))
			j.Decide("GATE-007", HoldsAtMark(settledOff, noTwoPodsOnANode()), Never(After(PodCreated().BesideLivePod(), Marked(switchedOff))), EndsRolledOut())
		}, spec.Alone{}, spec.SimulatedNodes{})

	spec.It("gives up no available pod for one that is not when the gate is switched on in the middle of a rollout",
		spec.Decides("GATE-006"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 4)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			switchOff(ctx, c)
			updated := rollouts.Stall(ctx, c, daemonSet, "v2", 1)
			switchOn(ctx, c)
			rollouts.Settle(ctx, c, updated, UpdatedOn(3, updated))
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Decide("GATE-006",
				AtLeast(1, After(PodCreated(OfVersion("v2")).BesideLivePod(), Marked(switchedOn))), Never(After(PodDeleted(OfVersion("v1")).LastAvailable(), Marked(switchedOn))), EndsRolledOut())
		}, spec.Alone{}, spec.SimulatedNodes{})
}

// settledOff is when the nodes have come to have one pod each, or could have, since the gate is off.
const settledOff history.Mark = "the nodes have had time to come to one pod each"

// mostLive is how many live pods the node has that has the most.
func mostLive(cluster *history.Cluster) int {
	live, most := map[string]int{}, 0
	for _, pod := range cluster.Pods {
		if history.IsLive(pod) {
			live[history.NodeOf(pod)]++
			most = max(most, live[history.NodeOf(pod)])
		}
	}
	return most
}

func twoPodsOnANode() Condition {
	return state.When("a node has two live pods", func(cluster *history.Cluster) bool { return mostLive(cluster) == 2 })
}

func noTwoPodsOnANode() Condition {
	return state.When("no node has two live pods", func(cluster *history.Cluster) bool { return mostLive(cluster) < 2 })
}
