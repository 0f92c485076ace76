package avail

import (
	"context"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// due is where the controller has made a decision a second or more after the pod became available, and has had the time to carry it out.
const due history.Mark = "a decision made a second after has been carried out"

// carryOut is how long a controller may take for what it has decided, once a status shows the decision.
const carryOut = 3 * time.Second

// boundary is the spec of the instant from which a pod is available.
func boundary() {
	spec.It("counts a pod as available once minReadySeconds have passed since its transition, not a second earlier",
		spec.Decides("AVAIL-003"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			daemonSet := deployLongAvailable(ctx, c, MaxSurge("100%"))
			updated := c.Update(ctx, daemonSet, Image("v2"))
			pod, other := readyPodOn(ctx, c, updated, nodes[0]), readyPodOn(ctx, c, updated, nodes[1])
			c.Bind("pod", pod.Name)
			c.Bind("other", other.Name)
			c.Bind("nodes", nodes...)
			instant := time.Now().Truncate(time.Second).Add(6 * time.Second)
			c.Pods.SetReadySince(ctx, other, time.Now().Add(-(hour+1)*time.Second))
			c.Pods.SetReadySince(ctx, pod, instant.Add(-hour*time.Second))
			// What is asked is what a decision takes the pod for, so one is made to be due a second before and a second after. That it was made
			// shows in the status; one more, seconds before, is for a controller whose status comes late.
			c.Await(ctx, Past(instant.Add(-4*time.Second)))
			early := nudge(ctx, c, updated)
			c.Bind("early", strconv.FormatInt(early.Generation, 10))
			c.Await(ctx, Past(instant.Add(-time.Second)))
			nudge(ctx, c, updated)
			c.Await(ctx, Past(instant.Add(time.Second)))
			late := nudge(ctx, c, updated)
			c.Require(ctx, "the controller has seen the second change", Processed(late))
			c.Await(ctx, state.Any(RolledOut(late), Past(time.Now().Add(carryOut))))
			c.Mark(due)
			c.Await(ctx, RolledOut(late))
		},
		func(j *spec.Checks) {
			nodes, pod, other := j.BoundAll("nodes"), Named(j.Bound("pod")), Named(j.Bound("other"))
			j.Given(Before(decided(j.Bound("early")), PodAvailable(pod)))
			deleted := PodDeleted(OfVersion("v1")).On(nodes[0])
			j.Decide("AVAIL-003",
				Before(PodAvailable(pod), deleted),
				Before(deleted, Marked(due)),
				Within(spec.AtOnce, PodAvailable(other).BesideLivePod(), PodDeleted(OfVersion("v1")).On(nodes[1])))
		}, spec.SimulatedNodes{})
}

// decided happens when the controller writes a status that has seen that generation of the DaemonSet, or a later one.
func decided(generation string) Event {
	return StatusWritten().Where("for generation "+generation, func(m Moment) bool {
		daemonSet, ok := m.Object.(*appsv1.DaemonSet)
		want, err := strconv.ParseInt(generation, 10, 64)
		return ok && err == nil && daemonSet.Status.ObservedGeneration >= want
	})
}

// nudge gives the controller a reason to look at the DaemonSet, one that the status shows it has seen: a change that means nothing else.
func nudge(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) *appsv1.DaemonSet {
	return c.Update(ctx, daemonSet, Edit{Says: "revisionHistoryLimit one more, so that a decision is due", Apply: func(d *appsv1.DaemonSet) {
		*d.Spec.RevisionHistoryLimit++
	}})
}
