package unready

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// readiness are the specs of old pods that stop being Ready. UNREADY-001 is in every one of them, by its rule.
func readiness() {
	spec.It("makes updated pods on all nodes at once when all old pods stop being Ready",
		spec.Decides("UNREADY-009", "UNREADY-006", "UNREADY-001"),
		func(ctx context.Context, c *spec.Case) {
			const nodes = 8
			updated, old := loseOn(ctx, c, nodes, nodes-1, rollouts.TolerateDown())
			c.NodeDown(ctx, history.NodeOf(old[0]))
			rollouts.LoseReadiness(ctx, c, updated, rollouts.Untouched(ctx, c, updated, nodes-1)...)
			c.Await(ctx, UpdatedOn(nodes, updated))
		},
		func(j *spec.Checks) {
			// At once is for each as soon as the controller comes to it: one that creates them one after another is at work, which the rule knows.
			j.Decide("UNREADY-009", Keeps("UNREADY-001"))
			for _, node := range j.BoundAll(lost) {
				j.Decide("UNREADY-009", AtLeast(1, After(updatedPod(node), PodUnready(OfVersion("v1")).On(node))))
			}
		}, spec.SimulatedNodes{}, spec.MainPath{})

	spec.It("makes an updated pod at once on a node that has been down for a while when its old pod stops being Ready",
		spec.Decides("UNREADY-001"),
		func(ctx context.Context, c *spec.Case) {
			updated, old := loseOn(ctx, c, 2, 1, rollouts.TolerateDown())
			node := history.NodeOf(old[0])
			c.NodeDown(ctx, node)
			c.Require(ctx, "the node is tainted", state.When("node "+node+" is tainted as unreachable", func(cluster *history.Cluster) bool {
				return slices.ContainsFunc(cluster.Nodes[node].Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == corev1.TaintNodeUnreachable })
			}))
			// By then everybody knows of the taints.
			c.Await(ctx, Quiet(judge.Lag))
			c.Pods.BecomeUnready(ctx, old[0])
			c.Await(ctx, UpdatedOn(2, updated))
		}, nil, spec.SimulatedNodes{})

	spec.It("replaces unavailable old pods of a DaemonSet on 20 nodes within 5 s",
		spec.Decides("UNREADY-008"),
		func(ctx context.Context, c *spec.Case) {
			const nodes, unready = 20, 5
			updated, old := loseOn(ctx, c, nodes, unready)
			for i, pod := range old {
				c.Pods.BecomeUnready(ctx, pod)
				c.Await(ctx, UpdatedOn(2+i, updated))
			}
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lost) {
				j.Decide("UNREADY-008", Within(spec.AtOnce, PodUnready(OfVersion("v1")).On(node), updatedPod(node)))
			}
			nodes := j.BoundAll(lost)
			j.Observe(func(h *history.History) string { return "updated pods were created " + delays(h, nodes) })
		}, spec.SimulatedNodes{})

	spec.It("makes an updated pod at once beside an old one that is not Ready and whose status changes again and again",
		spec.Decides("UNREADY-001"),
		func(ctx context.Context, c *spec.Case) {
			updated, old := loseOn(ctx, c, 2, 1)
			c.Pods.BecomeUnready(ctx, old[0])
			since := time.Now()
			for i := range 2 * int(spec.AtOnce/time.Second) {
				status := []corev1.ConditionStatus{corev1.ConditionUnknown, corev1.ConditionFalse}[i%2]
				rollouts.WriteReady(ctx, c, old[0], history.BecomeUnready, status, since, "Ready "+string(status))
				c.Await(ctx, Past(time.Now().Add(time.Second)))
			}
			c.Await(ctx, UpdatedOn(2, updated))
		}, nil, spec.SimulatedNodes{})

	spec.It("makes an updated pod at once beside an old one that stops being Ready while a pod of another node is labelled again and again",
		spec.Decides("UNREADY-001", "PAUSE-005"),
		func(ctx context.Context, c *spec.Case) {
			updated, old := loseOn(ctx, c, 3, 2)
			lapsing, labelled := old[0], old[1]
			c.Bind(lapsed, history.NodeOf(lapsing))
			c.Mark(restless)
			label := func(i int) {
				c.LabelPod(ctx, labelled, map[string]string{"note": strconv.Itoa(i)})
				c.Await(ctx, Past(time.Now().Add(100*time.Millisecond)))
			}
			next, from := 0, time.Now()
			for ; time.Since(from) < judge.Lag; next++ {
				label(next)
			}
			c.Pods.BecomeUnready(ctx, lapsing)
			// It goes on for longer than a controller may take.
			for from = time.Now(); time.Since(from) < 2*spec.AtOnce && !c.Holds(ctx, UpdatedOn(1, updated, OnNode(history.NodeOf(lapsing)))); next++ {
				label(next)
			}
			c.Await(ctx, UpdatedOn(1, updated, OnNode(history.NodeOf(lapsing))))
		},
		func(j *spec.Checks) {
			node := j.Bound(lapsed)
			j.Given(Before(Marked(restless), PodUnready(OfVersion("v1")).On(node)))
			for _, id := range []requirements.ID{"UNREADY-001", "PAUSE-005"} {
				j.Decide(id, Within(spec.AtOnce, PodUnready(OfVersion("v1")).On(node), updatedPod(node)))
			}
		}, spec.SimulatedNodes{})

	spec.It("never has a third live pod on a node whose old pod becomes Ready and unready in turn",
		spec.Decides("UNREADY-007"),
		func(ctx context.Context, c *spec.Case) {
			updated, old := loseOn(ctx, c, 3, 2)
			for range 3 {
				for _, pod := range old {
					c.Pods.BecomeUnready(ctx, pod)
				}
				for _, pod := range old {
					c.Pods.BecomeReady(ctx, pod)
				}
			}
			c.Await(ctx, UpdatedOn(3, updated))
			for _, pod := range old {
				c.Pods.BecomeUnready(ctx, pod)
			}
			c.Await(ctx, UpdatedOn(3, updated))
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(lost) {
				// A pod that is replaced at the first sight of it cannot flap.
				j.Given(AtLeast(1, PodUnready(OfVersion("v1")).On(node)))
			}
			j.Decide("UNREADY-007",
				Never(PodCreated().Where("a third live pod on its node", func(m Moment) bool { return len(m.LivePodsBeside()) > 1 })), EndsRolledOut())
		}, spec.SimulatedNodes{})
}

// What the scenario of a pod that is labelled again and again chooses, and where that begins.
const (
	lapsed                = "the node whose old pod stops being Ready meanwhile"
	restless history.Mark = "another node's pod is labelled again and again"
)

// delays says how long it took on each node from the old pod's ceasing to be Ready until the updated one was created.
func delays(h *history.History, nodes []string) string {
	var all []string
	for _, node := range nodes {
		unready, created := PodUnready(OfVersion("v1")).On(node).Find(h), updatedPod(node).Find(h)
		if len(unready) > 0 && len(created) > 0 {
			all = append(all, fmt.Sprintf("%d ms", max(created[0].At.Sub(unready[0].At), 0)/time.Millisecond))
		}
	}
	return strings.Join(all, ", ") + " after the old ones had ceased to be Ready"
}
