package surge

import (
	"context"
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/expect"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// rollout are the specs of a surge rollout that nothing disturbs.
func rollout() {
	spec.It("creates updated pods on maxSurge nodes before it deletes an old one, and goes on to the end",
		spec.Decides("SURGE-001", "SURGE-011", "SURGE-023"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 5)
			daemonSet := c.Deploy(ctx, MaxSurge("2"))
			c.RollOut(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			c.Await(ctx, Quiet(time.Second))
			c.Decide("SURGE-001",
				Before(Nth(2, PodCreated(OfVersion("v2"))), First(PodDeleted(OfVersion("v1")))),
				Before(First(PodAvailable(OfVersion("v2"))), First(PodDeleted(OfVersion("v1")))))
			c.Decide("SURGE-011", expect.RolledOut(), OnEveryNode(Exactly(1, PodDeleted(OfVersion("v1")))))
			c.Decide("SURGE-023", Exactly(5, PodCreated(OfVersion("v2"))), Exactly(5, PodDeleted()))
		})

	spec.It("keeps what it promises for every instant, with minReadySeconds and pods that are slow to start",
		spec.Decides("SURGE-002", "SURGE-006", "SURGE-008", "SURGE-009", "SURGE-010", "SURGE-016",
			"STATUS-006", "STATUS-007", "STATUS-013", "HISTORY-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 6)
			daemonSet := c.Deploy(ctx, MaxSurge("2"), MinReadySeconds(1))
			c.RollOut(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			c.Decide("SURGE-008", expect.RolledOut())
		})

	spec.It("keeps one old and one updated pod on a node when the template changes again in mid-surge",
		spec.Decides("SURGE-009", "SURGE-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			// Two nodes have a pod of v1 and one of v2, both outdated, when v3 comes.
			daemonSet := stall(ctx, c, c.Deploy(ctx, MaxSurge("2")), 2)
			c.RollOut(ctx, daemonSet, Image("v3"), Healthy())
			c.Decide("SURGE-009", expect.RolledOut())
		})

	spec.It("deletes the old pod promptly once the updated one on its node is available",
		spec.Decides("SURGE-007"),
		func(ctx context.Context, c *spec.Case) {
			// One node after the other, so that a controller that only sometimes loses its timer is found out.
			c.AddNodes(ctx, 8)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(1))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Decide("SURGE-007", OnEveryNode(Within(judge.Prompt, PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1")))))
		})

	spec.It("pins every pod to its node from its creation on",
		spec.Decides("SURGE-026"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("100%"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Decide("SURGE-026",
				Exactly(3, PodCreated(OfVersion("v2"))),
				Exactly(3, PodCreated(OfVersion("v2")).Where("pinned to a node", func(o Occurrence) bool { return history.NodeOf(o.Pod()) != "" })),
				HoldsAtEnd("every pod runs on the node that it was pinned to", runsWherePinned))
		})

	spec.It("writes nothing once the rollout has ended",
		spec.Decides("SURGE-025"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Quiet(2*time.Second))
			c.Note(history.Stimulus{Lever: "settled"})
			c.Await(ctx, Quiet(5*time.Second))
			c.Decide("SURGE-025", Never(After(Either(Written(), Either(RevisionCreated(), RevisionDeleted())), StimulusIs("settled"))), expect.RolledOut())
		})
}

func runsWherePinned(cluster *history.Cluster) error {
	for _, pod := range cluster.Pods {
		pinned := pod.DeepCopy()
		pinned.Spec.NodeName = ""
		if node := history.NodeOf(pinned); node != "" && node != pod.Spec.NodeName {
			return fmt.Errorf("pod %s is pinned to %s and runs on %s", pod.Name, node, pod.Spec.NodeName)
		}
	}
	return nil
}
