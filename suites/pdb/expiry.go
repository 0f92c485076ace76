package pdb

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// left is what remains of the two minutes of what these specs write, which is of the past. More than judge.Lag and the second to which times are rounded.
const left = 5 * time.Second

// early is before any of that has passed, by more than clocks may differ.
const early = left - 2*time.Second

// longLeft is what remains where the controller is started again meanwhile: who was killed in a cluster has first to wait for its own lease to end.
const longLeft = 40 * time.Second

// later is how long after the other the second of two pods was to be evicted: longer than a controller may be late.
const later = promptly + 2*time.Second

// expiry are the specs of what is taken back after two minutes, if what it announces has not come about.
func expiry() {
	spec.It("gives up after two minutes, by itself, on each pod that was to be evicted and is still there",
		spec.Decides("PDB-014", "PDB-015", "PDB-034"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 4)
			budget := guarded(ctx, c, workload, MinAvailable("1"))
			c.Await(ctx, Quiet(time.Second))
			pods := c.PodsOf(ctx, workload)
			// Neither the first by name nor the last is the first to be given up.
			c.Bind(unmoved, pods[1].Name, pods[0].Name, pods[3].Name)
			c.Bind(spared, pods[2].Name)
			// This disruption is overdue already: its condition is reset once, and that of the next disruption again.
			c.Disrupt(ctx, pods[2], time.Now().Add(-history.DisruptedTimeout))
			c.Await(ctx, taken(pods[2].Name))
			c.Disrupt(ctx, pods[2], time.Now().Add(left-history.DisruptedTimeout))
			granted := time.Now().Add(left - history.DisruptedTimeout)
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(pods[1].Name, granted), ListDisrupted(pods[0].Name, granted.Add(later)), ListDisrupted(pods[3].Name, granted.Add(later)))
			c.AwaitAfter(ctx, left+later, state.All(state.Budget(guard, "it counts all pods", counts(4)), reset(pods[2].Name)))
		},
		func(j *spec.Checks) {
			listed := written(guard, "the pods are listed", func(status policyv1.PodDisruptionBudgetStatus) bool { return len(status.DisruptedPods) == 3 })
			j.Given(AtLeast(1, listed))
			for i, pod := range j.BoundAll(unmoved) {
				// The first is due before the two others.
				turn := min(i, 1)
				after := time.Duration(turn) * later
				dropped := written(guard, "pod "+pod+" is listed no more, and counts", countsAgain(pod, int32(2+turn)))
				givenUp(j, pod, First(listed), after, dropped)
				j.Decide("PDB-015", Within(left+after+promptly, First(listed), dropped), Tested(NotWithin(early+after, First(listed), dropped)))
			}
			spared := j.Bound(spared)
			first, second := First(Began(history.SetDisruption)), Nth(2, Began(history.SetDisruption))
			j.Decide("PDB-034", Within(promptly, first, PodSpared(Named(spared))),
				Within(left+promptly, second, PodSpared(Named(spared))), NotWithin(early, second, PodSpared(Named(spared))))
		}, recorded(), spec.Alone{}, spec.SimulatedNodes{})

	spec.It("gives up after two minutes on a pod that was to be evicted while the budget cannot be computed",
		spec.Decides("PDB-014"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			// A Job has no scale.
			job := c.RunScaled(ctx, history.KindJob, "job", 3)
			c.Require(ctx, "the pods are Ready", LivePodsOf(job, 3, history.IsReady))
			budget := c.CreateBudget(ctx, guard, MaxDisrupted("1"), Selecting(job.Labels()))
			c.Require(ctx, "the budget cannot be computed", state.Budget(guard, "it failed", failed))
			c.Await(ctx, Quiet(time.Second))
			pod := c.PodsOf(ctx, job)[0]
			c.Bind(unmoved, pod.Name)
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(pod.Name, time.Now().Add(left-history.DisruptedTimeout)))
			c.AwaitAfter(ctx, left, state.Budget(guard, "no pod is listed", func(status policyv1.PodDisruptionBudgetStatus) bool { return len(status.DisruptedPods) == 0 }))
		},
		func(j *spec.Checks) {
			listed := written(guard, "the pod is listed", func(status policyv1.PodDisruptionBudgetStatus) bool { return len(status.DisruptedPods) == 1 })
			j.Given(AtLeast(1, listed))
			pod := j.Bound(unmoved)
			givenUp(j, pod, First(listed), 0, written(guard, "pod "+pod+" is listed no more", countsAgain(pod, 0)))
		}, recorded(), spec.Alone{}, spec.SimulatedNodes{})

	spec.It("gives up in time on a pod of a custom resource that was to be evicted, though it may look at the scale later",
		spec.Decides("PDB-015"),
		func(ctx context.Context, c *spec.Case) {
			_, pods := keep(ctx, c, 4, 3)
			budget := c.CreateBudget(ctx, guard, MaxDisrupted("50%"), Selecting(kept().Labels()))
			if !learns(ctx, c, pods[0], scaled(), ofKeeper) {
				return
			}
			c.Await(ctx, Quiet(time.Second))
			c.Bind(unmoved, pods[1].Name)
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(pods[1].Name, time.Now().Add(left-history.DisruptedTimeout)))
			c.AwaitAfter(ctx, left, state.Budget(guard, "it counts all pods", counts(3)))
		},
		func(j *spec.Checks) {
			listed := First(written(guard, "the pod is listed", func(status policyv1.PodDisruptionBudgetStatus) bool { return len(status.DisruptedPods) == 1 }))
			j.Given(HoldsAtMark(ofKeeper, scaled()), AtLeast(1, listed))
			pod := j.Bound(unmoved)
			dropped := written(guard, "pod "+pod+" is listed no more, and counts", countsAgain(pod, 3))
			j.Decide("PDB-015", Within(left+promptly, listed, dropped), Tested(NotWithin(early, listed, dropped)))
		}, recorded(), spec.SimulatedNodes{})

	spec.It("gives up in time on a pod that was to be evicted, and on one that was to be disrupted, before the controller was started again",
		spec.Decides("PDB-015", "PDB-034"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 2)
			budget := guarded(ctx, c, workload, MinAvailable("1"))
			c.Await(ctx, Quiet(time.Second))
			pods := c.PodsOf(ctx, workload)
			c.Bind(unmoved, pods[0].Name)
			c.Bind(spared, pods[1].Name)
			since := time.Now().Add(longLeft - history.DisruptedTimeout)
			c.Disrupt(ctx, pods[1], since)
			c.WriteBudgetStatus(ctx, budget, ListDisrupted(pods[0].Name, since))
			// By then it knows what is listed.
			c.Await(ctx, Quiet(judge.Lag))
			c.Kill(ctx)
			c.Restart(ctx)
			c.AwaitAfter(ctx, longLeft, state.All(state.Budget(guard, "it counts all pods", counts(2)), reset(pods[1].Name)))
			c.Await(ctx, Quiet(spec.Prompt))
		},
		func(j *spec.Checks) {
			listed := First(written(guard, "the pod is listed", func(status policyv1.PodDisruptionBudgetStatus) bool { return len(status.DisruptedPods) == 1 }))
			// Whatever it does at its start, the time has not come by then.
			j.Given(Within(longLeft-promptly, listed, Done(history.RestartImplementation)))
			pod := j.Bound(unmoved)
			dropped := written(guard, "pod "+pod+" is listed no more, and counts", countsAgain(pod, 2))
			j.Decide("PDB-015", Within(longLeft+promptly, listed, dropped), Tested(NotWithin(longLeft-2*time.Second, listed, dropped)))
			// Its time is the same, and it is written a moment before.
			disrupted, other := First(Began(history.SetDisruption)), PodSpared(Named(j.Bound(spared)))
			j.Decide("PDB-034", Within(longLeft+promptly, disrupted, other), NotWithin(longLeft-2*time.Second, disrupted, other))
		}, recorded(), spec.Alone{}, spec.SimulatedNodes{}, spec.Long{})
}

// waiting is the spec of a pod that was to be disrupted before it ever ran.
func waiting() {
	spec.It("no longer says of a pod that is Pending that it is about to be disrupted, when that is overdue",
		spec.Decides("PDB-034"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			pod := c.PodsOf(ctx, c.RunScaled(ctx, history.KindReplicaSet, "web", 1, UnpullableImage()))[0]
			c.Require(ctx, "the pod waits for its image", state.When("a container waits", func(cluster *history.Cluster) bool {
				now := cluster.Pods[pod.UID]
				return now != nil && now.Status.Phase == corev1.PodPending && Waiting(now)
			}))
			c.Bind(spared, pod.Name)
			c.Disrupt(ctx, pod, time.Now().Add(-history.DisruptedTimeout))
			c.Await(ctx, taken(pod.Name))
			c.Await(ctx, Quiet(spec.Prompt))
		},
		func(j *spec.Checks) {
			j.Decide("PDB-034", Within(promptly, First(Began(history.SetDisruption)), PodSpared(Named(j.Bound(spared)))))
		}, recorded(), spec.SimulatedNodes{})

	spec.It("no longer says of a pod that it is about to be disrupted, where nothing says since when, after two minutes at the latest",
		spec.Decides("PDB-034"),
		func(ctx context.Context, c *spec.Case) {
			pod := c.PodsOf(ctx, web(ctx, c, 1))[0]
			c.Bind(spared, pod.Name)
			c.Disrupt(ctx, pod, time.Time{})
			// Whoever sees it now for the first time may count from now.
			c.AwaitAfter(ctx, history.DisruptedTimeout, taken(pod.Name))
			c.Await(ctx, Quiet(spec.Prompt))
		},
		func(j *spec.Checks) {
			j.Decide("PDB-034", Within(history.DisruptedTimeout+promptly, First(Began(history.SetDisruption)), PodSpared(Named(j.Bound(spared)))))
		}, recorded(), spec.SimulatedNodes{})
}

// givenUp asks that the controller gives up on the pod when what is left of its two minutes has passed, and so much more, and says so: in an Event about the pod, or about
// the budget.
func givenUp(j *spec.Checks, pod string, listed Event, after time.Duration, dropped Event) {
	inTime, atOnce := Within(left+after+promptly, listed, dropped), Within(early, listed, dropped)
	// Whoever takes it off at once may have seen that the pod is younger than the entry, and so another one; not if it says that the pod was not deleted.
	notEarly := NotWithin(early+after, listed, dropped)
	notDeleted := func(event *corev1.Event) bool {
		about := event.InvolvedObject.Name == pod || event.InvolvedObject.Name == guard && strings.Contains(event.Message, pod)
		return about && event.Reason == "NotDeleted" && event.Type == corev1.EventTypeWarning
	}
	j.Decide("PDB-014", inTime, OneOf(notEarly, All(atOnce, ReportedAtMost(0, "NotDeleted about the pod", listed, notDeleted))),
		OneOf(Reported("NotDeleted about the pod", notDeleted), atOnce), Tested(notEarly))
}

// What the scenario chooses.
const (
	unmoved = "the pods that are listed and not deleted"
	spared  = "the pod that was to be disrupted and was not"
)

// counts is the predicate of a status that counts that many healthy pods, none of them on its way.
func counts(healthy int32) func(policyv1.PodDisruptionBudgetStatus) bool {
	return func(status policyv1.PodDisruptionBudgetStatus) bool {
		return status.CurrentHealthy == healthy && len(status.DisruptedPods) == 0
	}
}

// countsAgain is the predicate of a status that does not list the pod, and counts at least that many healthy pods.
func countsAgain(pod string, healthy int32) func(policyv1.PodDisruptionBudgetStatus) bool {
	return func(status policyv1.PodDisruptionBudgetStatus) bool {
		_, listed := status.DisruptedPods[pod]
		return !listed && status.CurrentHealthy >= healthy
	}
}

// taken holds when the pod was said to be disrupted and is not any more.
func taken(name string) Condition {
	return state.When("pod "+name+" was about to be disrupted, and is not any more", func(cluster *history.Cluster) bool {
		for _, pod := range cluster.Pods {
			if pod.Name == name {
				return !history.IsDisruptionTarget(pod) && slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
					return condition.Type == corev1.DisruptionTarget
				})
			}
		}
		return false
	})
}

// reset holds when the pod is not said to be disrupted.
func reset(name string) Condition {
	return state.When("pod "+name+" is not about to be disrupted", func(cluster *history.Cluster) bool {
		for _, pod := range cluster.Pods {
			if pod.Name == name {
				return !history.IsDisruptionTarget(pod)
			}
		}
		return false
	})
}
