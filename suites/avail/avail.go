// Package avail has the specs of availability: when a pod starts and stops to count as available in a controller's decisions.
package avail

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// hour is a minReadySeconds that no spec waits out: there the levers set since when a pod is Ready.
const hour = 3600

// minReady is long enough, in seconds, for a pod to be Ready for two of them and for a kubelet's probe to fail, which has been seen to take 4.
const minReady = 10

// Specs registers the family.
func Specs() {
	spec.It("takes no pod for available that is terminating, not Ready, or not Ready for long enough",
		spec.Decides("AVAIL-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(2))
			c.RollOut(ctx, daemonSet, Image("v2"), ReadyAfter(time.Second))
			c.RollOut(ctx, daemonSet, Image("v3"), MaxUnavailable("1"))
			c.Decide("AVAIL-001",
				OnEveryNode(Before(PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1")))),
				Before(First(PodAvailable(OfVersion("v3"))), Nth(2, PodDeleted(OfVersion("v2")))),
				Before(Nth(2, PodAvailable(OfVersion("v3"))), Nth(3, PodDeleted(OfVersion("v2")))))
		})

	spec.It("without minReadySeconds takes a pod for available as soon as it is Ready",
		spec.Decides("AVAIL-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("1"))
			c.RollOut(ctx, daemonSet, Image("v2"), ReadyAfter(2*time.Second))
			c.Decide("AVAIL-002",
				OnEveryNode(Before(PodReady(OfVersion("v2")), PodDeleted(OfVersion("v1")))),
				OnEveryNode(Within(judge.Prompt, PodReady(OfVersion("v2")), PodDeleted(OfVersion("v1")))))
		})

	spec.It("takes a pod for available once minReadySeconds have passed since its transition, not a second earlier",
		spec.Decides("AVAIL-003"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := deployLongAvailable(ctx, c, MaxSurge("100%"))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			pod, other := readyPodOn(ctx, c, updated, nodes[0]), readyPodOn(ctx, c, updated, nodes[1])
			boundary := time.Now().Truncate(time.Second).Add(3 * time.Second)
			c.Pods.SetReadySince(ctx, other, time.Now().Add(-(hour+1)*time.Second))
			c.Pods.SetReadySince(ctx, pod, boundary.Add(-hour*time.Second))
			// What is asked is what a decision takes the pod for, so a decision is made to be due a second before and a second after.
			c.Await(ctx, Past(boundary.Add(-time.Second)))
			nudge(ctx, c, updated, "1s-before")
			c.Await(ctx, Past(boundary.Add(time.Second)))
			nudge(ctx, c, updated, "1s-after")
			c.Await(ctx, RolledOut(updated))
			c.Decide("AVAIL-003",
				Before(PodAvailable(Named(pod.Name)), PodDeleted(OfVersion("v1")).On(nodes[0])),
				Within(judge.Prompt+time.Second, PodAvailable(Named(pod.Name)), PodDeleted(OfVersion("v1")).On(nodes[0])),
				Within(judge.Prompt, PodAvailable(Named(other.Name)), PodDeleted(OfVersion("v1")).On(nodes[1])))
		}, spec.SimulatedNodes{})

	spec.It("starts minReadySeconds anew when a pod was not Ready in between",
		spec.Decides("AVAIL-004"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(minReady))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			pod := flap(ctx, c, updated, nodes[0])
			c.Await(ctx, func(cluster *history.Cluster) bool { return readyFor(cluster, pod, (minReady+1)*time.Second) })
			nudge(ctx, c, updated, "after-the-second-transition")
			c.Await(ctx, RolledOut(updated))
			c.Decide("AVAIL-004",
				AtLeast(2, PodReady(Named(pod.Name))),
				Before(PodAvailable(Named(pod.Name)), PodDeleted(OfVersion("v1"))))
		})

	spec.It("acts by itself when minReadySeconds have passed since a pod became Ready for the second time",
		spec.Decides("AVAIL-005"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxSurge("1"), MinReadySeconds(minReady))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			pod := flap(ctx, c, updated, nodes[0])
			c.Await(ctx, RolledOut(updated))
			c.Decide("AVAIL-005",
				AtLeast(2, PodReady(Named(pod.Name))),
				Within(judge.Prompt, PodAvailable(Named(pod.Name)), PodDeleted(OfVersion("v1"))))
		})

	spec.It("acts by itself when minReadySeconds have passed, with no event to wake it",
		spec.Decides("AVAIL-005"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxSurge("2"), MinReadySeconds(3))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.RollOut(ctx, daemonSet, Image("v3"), MaxUnavailable("1"))
			c.Decide("AVAIL-005",
				OnEveryNode(Within(judge.Prompt, PodAvailable(OfVersion("v2")), PodDeleted(OfVersion("v1")))),
				Within(judge.Prompt, First(PodAvailable(OfVersion("v3"))), Nth(2, PodDeleted(OfVersion("v2")))))
		})

	spec.It("does not take a pod for available whose Ready condition has no transition time, nor stumble over it",
		spec.Decides("AVAIL-006"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 1)
			daemonSet := deployLongAvailable(ctx, c, MaxSurge("1"))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			pod := readyPodOn(ctx, c, updated, nodes[0])
			c.Pods.SetReadySince(ctx, pod, time.Time{})
			c.Await(ctx, Quiet(2*time.Second))
			c.Note(history.Stimulus{Lever: "end of watch"})
			c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*hour*time.Second))
			c.Await(ctx, RolledOut(updated))
			c.Decide("AVAIL-006",
				NeverBetween(TemplateChanged(), StimulusIs("end of watch"), PodDeleted()),
				AtLeast(1, After(PodDeleted(OfVersion("v1")), StimulusIs("end of watch"))))
		}, spec.SimulatedNodes{})

	spec.It("applies a changed minReadySeconds to the pods that are there",
		spec.Decides("AVAIL-007"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := deployLongAvailable(ctx, c, MaxSurge("100%"))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			old, young := readyPodOn(ctx, c, updated, nodes[0]), readyPodOn(ctx, c, updated, nodes[1])
			c.Pods.SetReadySince(ctx, old, time.Now().Add(-time.Minute))
			c.Await(ctx, Quiet(time.Second))
			// The old one is available at once under the new value; the young one only later, and nothing but the clock says when.
			updated = c.Update(ctx, updated, MinReadySeconds(5))
			c.Await(ctx, RolledOut(updated))
			c.Decide("AVAIL-007",
				Within(judge.Prompt, Last(StimulusIs("update DaemonSet")), PodDeleted(OfVersion("v1")).On(nodes[0])),
				Before(PodAvailable(Named(young.Name)), PodDeleted(OfVersion("v1")).On(nodes[1])),
				Within(judge.Prompt, PodAvailable(Named(young.Name)), PodDeleted(OfVersion("v1")).On(nodes[1])))
		}, spec.SimulatedNodes{})
}

// deployLongAvailable deploys a DaemonSet with minReadySeconds of an hour whose pods have been Ready for two.
func deployLongAvailable(ctx context.Context, c *spec.Case, edits ...Edit) *appsv1.DaemonSet {
	daemonSet := c.Deploy(ctx, edits...)
	for _, pod := range c.LivePods(ctx, daemonSet) {
		c.Pods.SetReadySince(ctx, pod, time.Now().Add(-2*hour*time.Second))
	}
	daemonSet = c.Update(ctx, daemonSet, MinReadySeconds(hour))
	c.Require(ctx, "every pod is available under minReadySeconds of an hour", Steady(daemonSet))
	return daemonSet
}

// nudge gives the controller a reason to look at the DaemonSet: a change that means nothing.
func nudge(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, why string) {
	c.Update(ctx, daemonSet, Edit{Says: "a label, so that a decision is due " + why, Apply: func(d *appsv1.DaemonSet) {
		metav1.SetMetaDataLabel(&d.ObjectMeta, "nudge", why)
	}})
}

// flap lets the updated pod on the node be Ready for two seconds, then not, then again. Transitions have a resolution of one second, so the second one shows.
func flap(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, node string) *corev1.Pod {
	pod := readyPodOn(ctx, c, daemonSet, node)
	c.Await(ctx, func(cluster *history.Cluster) bool { return readyFor(cluster, pod, 2*time.Second) })
	c.Pods.BecomeUnready(ctx, pod)
	c.MustHaveBeenYoung(pod, minReady)
	c.Pods.BecomeReady(ctx, pod)
	return pod
}

// readyPodOn waits for a Ready pod of the DaemonSet's present template on the node.
func readyPodOn(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, node string) *corev1.Pod {
	return c.RequireUpdated(ctx, "an updated pod on "+node+" is Ready", daemonSet, OnNode(node), history.IsReady)
}

func readyFor(cluster *history.Cluster, pod *corev1.Pod, duration time.Duration) bool {
	now := cluster.Pods[pod.UID]
	if now == nil {
		return true
	}
	ready := history.Ready(now)
	return ready != nil && cluster.Time.Sub(ready.LastTransitionTime.Time) >= duration
}
