// Package takeover has the specs of an implementation that takes a running cluster over from kube-controller-manager, and of handing it back.
package takeover

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/expect"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What the recording knows the changes of controllers by, and what is noted besides for the matchers to look between.
const (
	takeOver   = "take over from kube-controller-manager"
	handBack   = "hand back to kube-controller-manager"
	settled    = "settled"
	promptOver = "time for a prompt reaction is over"
)

// system is where the cluster's own DaemonSets are, kube-proxy's among them.
const system = "kube-system"

// calm is how long nothing may happen for a controller to be taken to have done all that it will.
const calm = 3 * time.Second

// Specs registers the family.
func Specs() {
	standing()
	underway()
}

// standing are the specs of a change of controllers while no rollout is under way.
func standing() {
	spec.It("restarts and alters no pod and touches no history, neither by taking over nor by handing back",
		spec.Decides("TAKEOVER-001", "TAKEOVER-002", "TAKEOVER-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			c.HandBack(ctx)
			// Pods and two histories of kube-controller-manager's making.
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"))
			c.Require(ctx, "kube-controller-manager has updated every pod", Steady(updated))
			c.TakeOver(ctx)
			c.AtWork(ctx, updated)
			settle(ctx, c)
			c.HandBack(ctx)
			c.AtWork(ctx, updated)
			settle(ctx, c)
			first, second := StimulusIs(takeOver), Nth(2, StimulusIs(handBack))
			before, after := Nth(1, StimulusIs(settled)), Nth(2, StimulusIs(settled))
			for _, happens := range []Event{PodCreated(), PodDeleted(), PodAltered(), PodRestarted()} {
				touched := happens.Where("to a daemon", isDaemon)
				c.Decide("TAKEOVER-001", NeverBetween(first, before, touched))
				c.Decide("TAKEOVER-002", NeverBetween(second, after, touched))
			}
			for _, touched := range []Event{RevisionCreated(), RevisionDeleted(), RevisionRenumbered()} {
				c.Decide("TAKEOVER-003", NeverBetween(first, after, touched))
			}
			// The cluster's own pods were there to be restarted, and so were histories.
			c.Decide("TAKEOVER-001", AtLeast(2, PodCreated().Where("to a daemon of the cluster's own", func(o Occurrence) bool {
				return isDaemon(o) && o.Pod().Namespace == system
			})))
			c.Decide("TAKEOVER-003", AtLeast(2, RevisionCreated()))
		}, spec.Alone{}, spec.RealNodes{}, spec.Records{system})

	spec.It("brings the status up to date promptly after taking over, with a change that no controller has seen",
		spec.Decides("TAKEOVER-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			c.HandBack(ctx)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.TakeOver(ctx, func() { daemonSet = c.Update(ctx, daemonSet, MinReadySeconds(1)) })
			c.Await(ctx, Past(time.Now().Add(judge.Prompt)))
			c.Note(history.Stimulus{Lever: promptOver})
			observed := StatusWritten().Where("of the newest generation", func(o Occurrence) bool {
				object, ok := o.Object.(*appsv1.DaemonSet)
				return ok && object.Status.ObservedGeneration == daemonSet.Generation
			})
			c.Decide("TAKEOVER-005",
				Before(observed, StimulusIs(promptOver)),
				HoldsAtEnd("the counts in the status are right", func(cluster *history.Cluster) error {
					return counts(cluster.DaemonSets[daemonSet.UID], int32(len(nodes)))
				}))
		}, spec.Alone{})
}

// underway are the specs of a change of controllers in the middle of a rollout.
func underway() {
	spec.It("carries a surge rollout on that it finds under way, within its limit",
		spec.Decides("TAKEOVER-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			c.HandBack(ctx)
			// The first updated pod never becomes ready of itself, so the rollout is still under way whenever the implementation is ready.
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1")), Image("v2"), NeverReady())
			c.Require(ctx, "kube-controller-manager has created the first updated pod", UpdatedOn(1, updated))
			c.Await(ctx, Quiet(calm))
			c.TakeOver(ctx)
			settle(ctx, c)
			c.BecomeReadyInTurn(ctx, updated, 2)
			c.Await(ctx, RolledOut(updated))
			c.Decide("TAKEOVER-004",
				Before(PodCreated(OfVersion("v2")), StimulusIs(settled)), Before(StimulusIs(settled), PodDeleted()),
				Never(PodDeleted(OfVersion("v2"))), OnEveryNode(Exactly(1, PodCreated(OfVersion("v2")))),
				Keeps(rollout.SurgeBound()), Keeps(rollout.SurgeTwoPods()), expect.RolledOut())
		}, spec.Alone{})
}

// isDaemon tells whether a DaemonSet controls the pod, or did so until now. Static pods come and go with kube-controller-manager's own configuration.
func isDaemon(o Occurrence) bool {
	pod := o.Pod()
	if before, ok := o.Before.(*corev1.Pod); ok {
		pod = before
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == string(history.KindDaemonSet)
}

// settle waits until all is calm, and notes that.
func settle(ctx context.Context, c *spec.Case) {
	c.Await(ctx, Quiet(calm))
	c.Note(history.Stimulus{Lever: settled})
}

// counts says what is wrong with the status of a DaemonSet of which all is well on all of n nodes.
func counts(daemonSet *appsv1.DaemonSet, n int32) error {
	want := appsv1.DaemonSetStatus{
		DesiredNumberScheduled: n, CurrentNumberScheduled: n, NumberReady: n, NumberAvailable: n, UpdatedNumberScheduled: n,
		ObservedGeneration: daemonSet.Generation, CollisionCount: daemonSet.Status.CollisionCount, Conditions: daemonSet.Status.Conditions,
	}
	if got := daemonSet.Status; fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("status %+v, want %+v", got, want)
	}
	return nil
}
