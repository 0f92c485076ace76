package pdb

import (
	"context"
	"slices"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// scales are the specs of the workloads that stand behind a budget's pods.
func scales() {
	spec.It("expects the replicas of all workloads behind the pods, of every kind, each counted once",
		spec.Decides("PDB-002", "PDB-004", "PDB-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			budget := c.CreateBudget(ctx, guard, MaxDisrupted("50%"), Selecting(nil))
			var last Scaled
			for i, kind := range []history.Kind{
				history.KindReplicaSet, history.KindStatefulSet, history.KindReplicationController, history.KindDeployment,
			} {
				name := []string{"first", "second", "third", "fourth"}[i]
				last = c.RunScaled(ctx, kind, name, 2)
				if !c.Await(ctx, Computed(budget)) {
					break
				}
				c.Scale(ctx, last, 3)
				if !c.Await(ctx, state.All(LivePodsOf(last, 3), Computed(budget))) {
					break
				}
			}
			// Shares of each workload's pods, rounded up, are more than one of all.
			if !changed(ctx, c, budget, MinAvailable("50%")) || !changed(ctx, c, budget, MaxDisrupted("50%")) {
				return
			}
			askForMore(ctx, c, last, 6)
			c.Await(ctx, Computed(budget))
		}, nil, spec.SimulatedNodes{},
		spec.Kinds{
			history.KindPodDisruptionBudget, history.KindReplicaSet, history.KindStatefulSet, history.KindReplicationController, history.KindDeployment,
		})

	spec.It("expects the replicas of a Deployment once whose rollout stands still between two ReplicaSets, also when more pods are healthy than it asks for",
		spec.Decides("PDB-007", "PDB-026"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			workload := c.RunScaled(ctx, history.KindDeployment, "web", 3)
			c.Require(ctx, "the pods are Ready", LivePodsOf(workload, 3, history.IsReady))
			budget := guarded(ctx, c, workload, MaxDisrupted("1"))
			// By default it makes one pod of the new template before it deletes any.
			c.RollDeployment(ctx, workload, Image("v2"), NeverReady(), MinReadySeconds(notWaitedOut))
			c.Require(ctx, "there is a pod of each of two ReplicaSets", LivePodsOf(workload, 4))
			// The numbers were right before, too.
			c.Await(ctx, Quiet(silent))
			c.Await(ctx, Computed(budget))
			// A budget counts what is Ready, a Deployment what has been so for minReadySeconds: it stands still.
			for _, pod := range c.PodsOf(ctx, workload, NotReady) {
				c.Pods.BecomeReady(ctx, pod)
			}
			c.Await(ctx, Computed(budget))
			c.Await(ctx, Quiet(silent))
		}, nil, spec.SimulatedNodes{}, spec.Kinds{history.KindPodDisruptionBudget, history.KindReplicaSet, history.KindDeployment})

	spec.It("expects what a workload asks for while none of its pods is healthy, and while those that are too many terminate",
		spec.Decides("PDB-002", "PDB-004", "PDB-007"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 3, IgnoreSIGTERM())
			budget := guarded(ctx, c, workload, MinAvailable("50%"))
			pods := c.PodsOf(ctx, workload)
			for _, pod := range pods {
				c.Pods.BecomeUnready(ctx, pod)
			}
			if !c.Await(ctx, Computed(budget)) {
				return
			}
			for _, pod := range pods {
				c.Pods.BecomeReady(ctx, pod)
			}
			for _, replicas := range []int32{1, 0} {
				c.Scale(ctx, workload, replicas)
				c.Require(ctx, "the pods that are too many terminate", LivePodsOf(workload, int(replicas)))
				right := []bool{c.Await(ctx, Computed(budget)), changed(ctx, c, budget, MaxDisrupted("50%")), changed(ctx, c, budget, MinAvailable("50%"))}
				if slices.Contains(right, false) {
					return
				}
			}
			for _, pod := range pods {
				c.Pods.ReleaseTermination(ctx, pod)
			}
			c.Await(ctx, Computed(budget))
		}, nil, recorded(), spec.SimulatedNodes{})
}

// notWaitedOut are minReadySeconds of a Deployment that no spec waits out, and that are less than its progressDeadlineSeconds.
const notWaitedOut = 500

// orphaned is the spec of a ReplicaSet whose Deployment is gone.
func orphaned() {
	spec.It("expects the replicas of a ReplicaSet that outlives its Deployment, once for the Deployment and then for itself",
		spec.Decides("PDB-003", "PDB-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			deployment := c.RunScaled(ctx, history.KindDeployment, "web", 3)
			c.Require(ctx, "the pods are Ready", LivePodsOf(deployment, 3, history.IsReady))
			budget := guarded(ctx, c, deployment, MaxDisrupted("1"))
			set := replicaSetOf(ctx, c, deployment)
			c.Orphan(ctx, deployment)
			c.Await(ctx, Quiet(judge.Lag))
			c.Scale(ctx, set, 5)
			c.Await(ctx, state.All(LivePodsOf(deployment, 5, history.IsReady), Computed(budget)))
			c.Await(ctx, Quiet(silent))
		}, nil, spec.SimulatedNodes{}, spec.Kinds{history.KindPodDisruptionBudget, history.KindReplicaSet, history.KindDeployment})
}

// withoutLivePods is the spec of a workload that has no pod but one that terminates.
func withoutLivePods() {
	spec.It("counts the replicas of a workload whose only pod terminates and has no successor yet",
		spec.Decides("PDB-003", "PDB-004", "PDB-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			single, web := c.RunScaled(ctx, history.KindStatefulSet, "single", 1), c.RunScaled(ctx, history.KindReplicaSet, "web", 3)
			c.Require(ctx, "the pods are Ready", state.All(LivePodsOf(single, 1, history.IsReady), LivePodsOf(web, 3, history.IsReady)))
			budget := c.CreateBudget(ctx, guard, MaxDisrupted("1"), Selecting(nil))
			if !c.Await(ctx, Computed(budget)) {
				return
			}
			// A StatefulSet creates a pod again once the one of the same name is gone.
			last := c.PodsOf(ctx, single)[0]
			c.Pods.HoldTermination(ctx, last)
			c.DeletePod(ctx, last, graceful)
			c.Require(ctx, "the only pod terminates", LivePodsOf(single, 0))
			right := []bool{c.Await(ctx, Computed(budget)), changed(ctx, c, budget, MaxDisrupted("50%"))}
			if slices.Contains(right, false) {
				return
			}
			c.Pods.ReleaseTermination(ctx, last)
			c.Await(ctx, Computed(budget))
		}, nil, spec.SimulatedNodes{}, spec.Kinds{history.KindPodDisruptionBudget, history.KindReplicaSet, history.KindStatefulSet})
}

// heldScale is the spec of a workload that somebody has deleted, and that is not gone.
func heldScale() {
	spec.It("counts the replicas of a workload that is being deleted and that a finalizer holds back",
		spec.Decides("PDB-003", "PDB-007"),
		func(ctx context.Context, c *spec.Case) {
			workload := web(ctx, c, 3)
			budget := guarded(ctx, c, workload, MaxDisrupted("1"))
			c.DeleteHeld(ctx, workload)
			c.Await(ctx, Quiet(judge.Lag))
			changeOne(ctx, c, workload, budget)
		}, nil, recorded(), spec.SimulatedNodes{})

	spec.It("counts the replicas of a ReplicaSet that a finalizer holds back when its Deployment is gone",
		spec.Decides("PDB-003", "PDB-007"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			deployment := c.RunScaled(ctx, history.KindDeployment, "web", 3)
			c.Require(ctx, "the pods are Ready", LivePodsOf(deployment, 3, history.IsReady))
			budget := guarded(ctx, c, deployment, MaxDisrupted("1"))
			c.DeleteHeld(ctx, replicaSetOf(ctx, c, deployment))
			c.DeleteScaled(ctx, deployment)
			c.Await(ctx, Quiet(judge.Lag))
			changeOne(ctx, c, deployment, budget)
			// Another one of its name is none of its successors, though the budget is of both.
			c.CreateScaled(ctx, history.KindDeployment, deployment.Name, 5, Image("v2"))
			c.Await(ctx, state.All(LivePodsOf(deployment, 8, history.IsReady), Computed(budget)))
			c.Await(ctx, Quiet(silent))
		}, nil, spec.SimulatedNodes{}, spec.Kinds{history.KindPodDisruptionBudget, history.KindReplicaSet, history.KindDeployment})
}

// replicaSetOf is the one ReplicaSet of the Deployment.
func replicaSetOf(ctx context.Context, c *spec.Case, deployment Scaled) Scaled {
	return Scaled{Kind: history.KindReplicaSet, Name: metav1.GetControllerOf(c.PodsOf(ctx, deployment)[0]).Name}
}

// changeOne has one of the three pods be not Ready, and then Ready again. Nobody replaces it, and the workload asks for as many as before.
func changeOne(ctx context.Context, c *spec.Case, workload Scaled, budget *policyv1.PodDisruptionBudget) {
	pod := c.PodsOf(ctx, workload)[0]
	c.Pods.BecomeUnready(ctx, pod)
	c.Await(ctx, state.All(ReadyPods(2), Computed(budget)))
	c.Await(ctx, Quiet(silent))
	c.Pods.BecomeReady(ctx, pod)
	c.Await(ctx, state.All(ReadyPods(3), Computed(budget)))
	c.Await(ctx, Quiet(silent))
}

// askForMore has the workload ask for more pods than it can have, and then has one of its pods change, by which a controller notices.
func askForMore(ctx context.Context, c *spec.Case, workload Scaled, replicas int32) {
	c.RefusePods(ctx, ByQuota)
	c.Scale(ctx, workload, replicas)
	// By then everybody knows how many it asks for.
	c.Await(ctx, Past(time.Now().Add(judge.Lag)))
	c.Pods.BecomeUnready(ctx, c.PodsOf(ctx, workload)[0])
}
