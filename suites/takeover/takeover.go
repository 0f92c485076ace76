// Package takeover has the specs of an implementation that takes a running cluster over from kube-controller-manager, and of handing it back.
package takeover

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What the checks look between.
const (
	takenOver  history.Mark = "nothing more happens after taking over"
	handedBack history.Mark = "nothing more happens after handing back"
	promptOver history.Mark = "the time for a prompt reaction is over"
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
			c.RequireReconciled(ctx, updated)
			c.Await(ctx, Quiet(calm))
			c.Mark(takenOver)
			c.HandBack(ctx)
			c.RequireReconciled(ctx, updated)
			c.Await(ctx, Quiet(calm))
			c.Mark(handedBack)
		},
		func(j *spec.Checks) {
			first, second := Began(history.TakeOver), Nth(2, Began(history.HandBack))
			for _, happens := range []Event{PodCreated(), PodDeleted(), PodAltered(), PodRestarted()} {
				touched := happens.Where("of a DaemonSet", isDaemon)
				j.Decide("TAKEOVER-001", NeverBetween(first, Marked(takenOver), touched))
				j.Decide("TAKEOVER-002", NeverBetween(second, Marked(handedBack), touched))
			}
			for _, touched := range []Event{RevisionCreated(), RevisionDeleted(), RevisionRenumbered()} {
				j.Decide("TAKEOVER-003", NeverBetween(first, Marked(handedBack), touched))
			}
			// The cluster's own pods were there to be restarted, and so were histories.
			j.Decide("TAKEOVER-001", Tested(AtLeast(2, PodCreated().Where("of a DaemonSet of the cluster's own", func(m Moment) bool {
				return isDaemon(m) && m.Pod().Namespace == system
			}))))
			j.Decide("TAKEOVER-003", Tested(AtLeast(2, RevisionCreated())))
		}, spec.AppsV1{}, spec.Alone{}, spec.RealNodes{}, spec.Records{system}, spec.MainPath{})

	spec.It("brings the status up to date promptly after taking over, with a change that no controller has seen",
		spec.Decides("TAKEOVER-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			c.HandBack(ctx)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.TakeOver(ctx, func() { c.Update(ctx, daemonSet, MinReadySeconds(1)) })
			// What came in time may be heard of late.
			c.Await(ctx, Past(time.Now().Add(spec.Prompt+judge.Lag)))
			c.Mark(promptOver)
		},
		func(j *spec.Checks) {
			observed := StatusWritten().Where("that observes the change", func(m Moment) bool {
				daemonSet, ok := m.Object.(*appsv1.DaemonSet)
				return ok && daemonSet.Spec.MinReadySeconds == 1 && daemonSet.Status.ObservedGeneration == daemonSet.Generation
			})
			j.Decide("TAKEOVER-005", Before(observed, Marked(promptOver)), HoldsAtEnd(statusRight()))
		}, spec.AppsV1{}, spec.Alone{})

	spec.It("brings the status of each of many DaemonSets up to date promptly after taking over, with changes that no controller has seen",
		spec.Decides("TAKEOVER-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			c.HandBack(ctx)
			var all []*appsv1.DaemonSet
			for i := range many {
				all = append(all, c.Create(ctx, c.NewDaemonSet(nameOf(i), MaxUnavailable("1"))))
			}
			for _, daemonSet := range all {
				c.Require(ctx, "kube-controller-manager has made the pods of "+daemonSet.Name, Steady(daemonSet))
			}
			c.TakeOver(ctx, func() {
				for _, daemonSet := range all {
					c.Update(ctx, daemonSet, MinReadySeconds(1))
				}
			})
			// What came in time may be heard of late.
			c.Await(ctx, Past(time.Now().Add(spec.Prompt+judge.Lag)))
			c.Mark(promptOver)
		},
		func(j *spec.Checks) {
			for i := range many {
				observed := StatusWritten().Where("that observes the change of "+nameOf(i), func(m Moment) bool {
					daemonSet, ok := m.Object.(*appsv1.DaemonSet)
					return ok && daemonSet.Name == nameOf(i) && daemonSet.Spec.MinReadySeconds == 1 && daemonSet.Status.ObservedGeneration == daemonSet.Generation
				})
				j.Decide("TAKEOVER-005", Before(observed, Marked(promptOver)))
			}
			j.Decide("TAKEOVER-005", HoldsAtEnd(statusRight()))
		}, spec.AppsV1{}, spec.Alone{})
}

// many DaemonSets are so many that one after another does not do.
const many = 12

func nameOf(i int) string { return fmt.Sprintf("daemon-%d", i) }

// underway are the specs of a change of controllers in the middle of a rollout.
func underway() {
	spec.It("carries a surge rollout on that it finds under way, within its limit",
		spec.Decides("TAKEOVER-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			c.HandBack(ctx)
			// The first updated pod never becomes ready of itself, so the rollout is still under way whenever the implementation is ready. Old pods linger,
			// so that a third pod on their node is seen.
			updated := c.Update(ctx, c.Deploy(ctx, MaxSurge("1"), DrainFor(time.Second)), Image("v2"), NeverReady())
			c.Require(ctx, "kube-controller-manager has created the first updated pod", UpdatedOn(1, updated))
			c.Await(ctx, Quiet(calm))
			c.TakeOver(ctx)
			c.Await(ctx, Quiet(calm))
			c.Mark(takenOver)
			c.BecomeReadyInTurn(ctx, updated, 2)
			c.Await(ctx, RolledOut(updated))
		},
		func(j *spec.Checks) {
			j.Decide("TAKEOVER-004",
				NeverBetween(Began(history.TakeOver), Marked(takenOver), PodDeleted()),
				// maxSurge is used up by a pod that the implementation did not create, which SURGE-002 does not hold against it.
				NeverBetween(Began(history.TakeOver), Marked(takenOver), PodCreated()),
				Never(PodDeleted(OfVersion("v2"))), OnEveryNode(AtMost(1, PodCreated(OfVersion("v2")))),
				Keeps("SURGE-002"), Keeps("SURGE-009"), EndsRolledOut())
		}, spec.AppsV1{}, spec.Alone{})

	spec.It("carries out a rollback in the middle of a surge rollout that no controller has seen yet",
		spec.Decides("TAKEOVER-004"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			c.HandBack(ctx)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			updated := c.Update(ctx, daemonSet, Image("v2"), NeverReady())
			c.Require(ctx, "kube-controller-manager has created the first updated pod", UpdatedOn(1, updated))
			c.Await(ctx, Quiet(calm))
			c.TakeOver(ctx, func() { updated = c.Update(ctx, daemonSet, Image("v1"), Healthy()) })
			c.Await(ctx, RolledOut(updated))
			c.Await(ctx, Quiet(calm))
			c.Mark(takenOver)
		},
		func(j *spec.Checks) {
			j.Decide("TAKEOVER-004",
				NeverBetween(Began(history.TakeOver), Marked(takenOver), PodDeleted(Updated())),
				NeverBetween(Began(history.TakeOver), Marked(takenOver), PodCreated()),
				EndsRolledOut())
		}, spec.AppsV1{}, spec.Alone{})
}

// isDaemon reports whether a DaemonSet controls the pod, or did so until now. Static pods come and go with kube-controller-manager's own configuration.
func isDaemon(m Moment) bool {
	pod := m.Pod()
	if before, ok := m.Before.(*corev1.Pod); ok {
		pod = before
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == string(history.KindDaemonSet)
}

// statusRight holds while the status of every DaemonSet counts all of its nodes as having a pod that is updated and available.
func statusRight() state.Condition {
	return state.Right("the counts in the status are right", func(cluster *history.Cluster) error {
		for _, daemonSet := range cluster.DaemonSets {
			n := int32(cluster.Desired(daemonSet.UID))
			want := appsv1.DaemonSetStatus{
				DesiredNumberScheduled: n, CurrentNumberScheduled: n, NumberReady: n, NumberAvailable: n, UpdatedNumberScheduled: n,
				ObservedGeneration: daemonSet.Generation, CollisionCount: daemonSet.Status.CollisionCount, Conditions: daemonSet.Status.Conditions,
			}
			if got := daemonSet.Status; !equality.Semantic.DeepEqual(got, want) {
				return fmt.Errorf("status %+v, want %+v", got, want)
			}
		}
		return nil
	})
}
