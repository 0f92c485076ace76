package pdb

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/relay"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// custom are the specs of pods of a custom resource, whose scale no watch of a built-in workload tells.
func custom() {
	spec.It("counts pods of a custom resource by its scale subresource, also when that has changed, beside those of a ReplicaSet of the same name that it controls",
		spec.Decides("PDB-007", "PDB-008", "PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			owner, pods := keep(ctx, c, 4, 3)
			budget := c.CreateBudget(ctx, guard, MaxDisrupted("50%"), Selecting(kept().Labels()))
			if !learns(ctx, c, pods[0], scaled(), ofKeeper) {
				return
			}
			// Its pods are told by another label.
			c.GiveToCustom(ctx, c.RunScaled(ctx, history.KindReplicaSet, keeper, 2), owner)
			c.UpdateBudget(ctx, budget, Selecting(nil))
			if !learns(ctx, c, pods[0], besideAnother(), ofBoth) {
				return
			}
			c.ScaleCustom(ctx, owner, 7)
			// By then everybody can know how many it asks for. Nobody has to look before a pod changes.
			c.Await(ctx, Past(time.Now().Add(judge.Lag)))
			c.LabelPod(ctx, pods[0], map[string]string{"looked": "again"})
			follows(ctx, c, scaledAgain(), ofMore)
		},
		func(j *spec.Checks) {
			j.Decide("PDB-007", HoldsAtMark(ofBoth, besideAnother()))
			j.Decide("PDB-008", HoldsAtMark(ofKeeper, scaled()), HoldsAtMark(ofBoth, besideAnother()), HoldsAtMark(ofMore, scaledAgain()))
			j.Decide("PDB-026", HoldsAtMark(ofMore, scaledAgain()))
		}, recorded(), spec.SimulatedNodes{})

	spec.It("takes a share of a scale as large as scales can be",
		spec.Decides("PDB-002", "PDB-004", "PDB-005"),
		func(ctx context.Context, c *spec.Case) {
			_, pods := keep(ctx, c, largestScale, 3)
			budget := c.CreateBudget(ctx, guard, MinAvailable("50%"), Selecting(kept().Labels()))
			if !learns(ctx, c, pods[0], largest(), ofKeeper) {
				return
			}
			follows(ctx, c, largely(largestScale/2+1), ofHalf)
			budget = c.UpdateBudget(ctx, budget, MinAvailable("100%"))
			follows(ctx, c, largely(largestScale), ofAll)
			c.UpdateBudget(ctx, budget, MaxDisrupted("50%"))
			follows(ctx, c, largely(largestScale/2), ofOtherHalf)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(ofKeeper, largest()))
			j.Decide("PDB-002", HoldsAtMark(ofHalf, largely(largestScale/2+1)))
			j.Decide("PDB-004", HoldsAtMark(ofOtherHalf, largely(largestScale/2)))
			j.Decide("PDB-005", HoldsAtMark(ofAll, largely(largestScale)))
		}, recorded(), spec.SimulatedNodes{})

	spec.It("takes the scale that a custom resource has by then for a budget that is changed, though it has just read the one of before for another budget",
		spec.Decides("PDB-008", "PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			owner, pods := keep(ctx, c, 4, 3)
			budget := c.CreateBudget(ctx, guard, MaxDisrupted("50%"), Selecting(kept().Labels()))
			if !learns(ctx, c, pods[0], scaled(), ofKeeper) {
				return
			}
			const beside = "beside"
			other := c.CreateBudget(ctx, beside, MaxDisrupted("1"), Selecting(kept().Labels()))
			asks := func(desired int32) Condition {
				return state.Budget(beside, fmt.Sprintf("it asks for %d pods", desired), func(status policyv1.PodDisruptionBudgetStatus) bool { return status.DesiredHealthy == desired })
			}
			c.Await(ctx, asks(3))
			// Whoever keeps for some time what was read reads anew for the other budget.
			c.Await(ctx, Quiet(15*time.Second))
			c.UpdateBudget(ctx, other, MaxDisrupted("2"))
			c.Await(ctx, asks(2))
			c.ScaleCustom(ctx, owner, 7)
			c.Await(ctx, Past(time.Now().Add(judge.Lag)))
			c.UpdateBudget(ctx, budget, MaxDisrupted("2"))
			follows(ctx, c, scaledBeside(), ofMore)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(ofKeeper, scaled()))
			j.Decide("PDB-008", HoldsAtMark(ofMore, scaledBeside()))
			j.Decide("PDB-026", HoldsAtMark(ofMore, scaledBeside()))
		}, recorded(), spec.SimulatedNodes{})

	spec.It("counts pods of a custom resource once that has come to have a scale subresource",
		spec.Decides("PDB-008"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			owner := c.RunCustomUnscaled(ctx, keeper, 4)
			pods := keepPods(ctx, c, node, owner, 3)
			c.CreateBudget(ctx, guard, MaxDisrupted("50%"), Selecting(kept().Labels()))
			if !learns(ctx, c, pods[0], state.Budget(guard, "it failed", failed), ofNobody) {
				return
			}
			c.AddScale(ctx, owner)
			learns(ctx, c, pods[0], scaled(), ofKeeper)
		},
		func(j *spec.Checks) {
			j.Given(HoldsAtMark(ofNobody, state.Budget(guard, "it failed", failed)))
			j.Decide("PDB-008", HoldsAtMark(ofKeeper, scaled()))
		}, recorded(), spec.SimulatedNodes{})

	spec.It("lets nothing be evicted by the numbers of before while the scale of a custom resource cannot be read, and has numbers again when it can",
		spec.Decides("PDB-008", "PDB-018", "EVICT-025"),
		func(ctx context.Context, c *spec.Case) {
			_, pods := keep(ctx, c, 3, 3)
			unready, ready := pods[0], pods[1]
			c.Pods.BecomeUnready(ctx, unready)
			c.CreateBudget(ctx, guard, MaxDisrupted("2"), Selecting(kept().Labels()))
			if !learns(ctx, c, ready, oneAllowed(), ofKeeper) {
				return
			}
			c.SetFaults(ctx, relay.Fault{
				Of:    relay.Selector{Verbs: []string{"get"}, Resource: CustomResource, Subresource: "scale"},
				Count: relay.Always, Effect: relay.Refused{Code: http.StatusInternalServerError},
			})
			c.LabelPod(ctx, ready, map[string]string{"looked": "again"})
			// Who does not say so by then has not failed yet, or goes on with what it knew.
			c.Await(ctx, state.Any(state.Budget(guard, "it failed", failed), Past(time.Now().Add(judge.Lag+promptly))))
			_ = c.TryEvict(ctx, unready)
			_ = c.TryEvict(ctx, ready)
			c.Await(ctx, Quiet(silent))
			c.SetFaults(ctx)
			c.LabelPod(ctx, pods[2], map[string]string{"looked": "again"})
			follows(ctx, c, ofThree(), ofAgain)
		},
		func(j *spec.Checks) {
			refusal := First(Done(history.RefuseRequest))
			j.Given(HoldsAtMark(ofKeeper, oneAllowed()), AtLeast(1, refusal))
			j.Decide("PDB-018", Within(promptly, refusal, written(guard, "it failed", failed)))
			for _, evicted := range []struct {
				id        requirements.ID
				pod, says string
			}{{"EVICT-025", keptPod(0), "a pod that is not Ready"}, {"PDB-018", keptPod(1), "a Ready pod"}} {
				j.Decide(evicted.id, Answers("evicting "+evicted.says+" while a scale cannot be read", Answered(history.EvictPod, evicted.pod),
					WithCode(http.StatusTooManyRequests), WithCause(policyv1.DisruptionBudgetCause)), Never(PodDeleted(Named(evicted.pod))))
			}
			j.Decide("PDB-008", HoldsAtMark(ofAgain, ofThree()))
		}, recorded(), spec.Alone{Relay: true}, spec.OneCause{}, spec.SimulatedNodes{})
}

// keeper is the name of the custom resource, and of the workload beside it.
const keeper = "keeper"

// kept tells the pods of the custom resource.
func kept() Scaled { return Scaled{Name: "kept"} }

// keptPod is the name of one of them.
func keptPod(i int) string { return "kept-" + strconv.Itoa(i) }

// keep makes a custom resource that asks for that many pods, and so many Ready ones that it controls. Their first owner is another one, which does not.
func keep(ctx context.Context, c *spec.Case, replicas int64, count int) (metav1.OwnerReference, []*corev1.Pod) {
	node := c.AddNodes(ctx, 1)[0]
	owner := c.RunCustom(ctx, keeper, replicas)
	return owner, keepPods(ctx, c, node, owner, count)
}

// keepPods makes the pods of keep.
func keepPods(ctx context.Context, c *spec.Case, node string, owner metav1.OwnerReference, count int) []*corev1.Pod {
	bystander := metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: node}
	c.Look(ctx, func(cluster *history.Cluster) { bystander.UID = cluster.Nodes[node].UID })
	for i := range count {
		c.MakePod(ctx, keptPod(i), node, kept().Labels(), func(pod *corev1.Pod) { pod.OwnerReferences = []metav1.OwnerReference{bystander, owner} })
	}
	c.Require(ctx, "the pods are Ready", LivePodsOf(kept(), count, history.IsReady))
	return c.PodsOf(ctx, kept())
}

// learning is how long a controller may take to know an API that has just been defined.
const learning = 40 * time.Second

// learns waits until the condition holds, puts the mark, and reports whether it holds. A controller may know of a new API late, and look for it again only when
// something happens: the pod changes now and then.
func learns(ctx context.Context, c *spec.Case, pod *corev1.Pod, condition Condition, mark history.Mark) bool {
	came := false
	for began := time.Now(); !came && time.Since(began) < learning; {
		c.Await(ctx, state.Any(condition, Past(time.Now().Add(spec.Prompt))))
		if came = c.Holds(ctx, condition); !came {
			c.LabelPod(ctx, pod, map[string]string{"looked": time.Now().Format("150405")})
		}
	}
	return follows(ctx, c, condition, mark)
}

// follows waits until the condition holds, for as long as a controller may take that has just been woken, puts the mark, and reports whether it holds.
func follows(ctx context.Context, c *spec.Case, condition Condition, mark history.Mark) bool {
	c.Await(ctx, state.Any(condition, Past(time.Now().Add(promptly))))
	came := c.Holds(ctx, condition)
	if !came {
		c.Await(ctx, Quiet(promptly))
	}
	c.Mark(mark)
	return came
}

// largestScale is what a scale can ask for at most, an odd number.
const largestScale = math.MaxInt32

// largest holds when the budget expects as many pods.
func largest() Condition {
	return state.Budget(guard, "it expects as many pods as a scale can ask for", func(status policyv1.PodDisruptionBudgetStatus) bool { return status.ExpectedPods == largestScale })
}

// largely holds when the budget wants so many pods of the largest scale, and allows no disruption.
func largely(desired int32) Condition {
	return tallied(history.Tally{Expected: largestScale, Desired: desired, Healthy: 3})
}

// Marks of the scenarios, in their order: there was time for each.
const (
	ofNobody    history.Mark = "the custom resource has no scale"
	ofKeeper    history.Mark = "the custom resource counts"
	ofHalf      history.Mark = "half of the largest scale is wanted"
	ofAll       history.Mark = "all of it is wanted"
	ofOtherHalf history.Mark = "half of it may be disrupted"
	ofBoth      history.Mark = "the workload of the same name counts, too"
	ofMore      history.Mark = "the custom resource counts with more replicas"
	ofAgain     history.Mark = "the custom resource counts again"
)

// scaled holds when the budget counts 3 pods of 4 replicas, half of which may be disrupted.
func scaled() Condition {
	return tallied(history.Tally{Expected: 4, Desired: 2, Healthy: 3, Allowed: 1})
}

// besideAnother holds when it counts the 2 pods of 2 replicas of another workload, too.
func besideAnother() Condition {
	return tallied(history.Tally{Expected: 6, Desired: 3, Healthy: 5, Allowed: 2})
}

// scaledAgain holds when the custom resource counts with 7 replicas.
func scaledAgain() Condition {
	return tallied(history.Tally{Expected: 9, Desired: 4, Healthy: 5, Allowed: 1})
}

// scaledBeside holds when 3 of 7 replicas are Ready, of which 2 may be disrupted.
func scaledBeside() Condition {
	return tallied(history.Tally{Expected: 7, Desired: 5, Healthy: 3})
}

// oneAllowed holds when two of 3 replicas are Ready, and two may be disrupted.
func oneAllowed() Condition {
	return tallied(history.Tally{Expected: 3, Desired: 1, Healthy: 2, Allowed: 1})
}

// ofThree holds when the budget expects and wants what it does of 3 replicas, however many there are. A status that says that it failed may keep these numbers.
func ofThree() Condition {
	return state.Budget(guard, "3 pods are expected, 1 desired, and nothing failed", func(status policyv1.PodDisruptionBudgetStatus) bool {
		return status.ExpectedPods == 3 && status.DesiredHealthy == 1 && recovered(status)
	})
}
