// Package evict has the specs of the eviction subresource of pods.
package evict

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	requests()
	options()
	unguarded()
	refusals()
	bookkeeping()
	finished()
	unready()
	spared()
	drained()
	failing()
	leftBehind()
	contended()
	concurrent()
	restarted()
	halted()
	unobserved()
	raced()
}

// budgets has a spec record PodDisruptionBudgets.
var budgets = spec.Kinds{history.KindPodDisruptionBudget}

// guarded are the labels of pods that the budget selects.
var guarded = map[string]string{"app": "guarded"}

// The ways in which a pod may fare, as edits of what is made.
func neverReady(pod *corev1.Pod) {
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, stages.Readiness, "false")
}

// nowhere keeps the pod Pending: no node has the label.
func nowhere(pod *corev1.Pod) {
	pod.Spec.NodeName, pod.Spec.NodeSelector = "", map[string]string{"rollcall.dev/nowhere": "yes"}
}

// pods makes a pod of each name with these labels on the node, in the order of the names, and returns when all run, and are Ready unless an edit says
// otherwise.
func pods(ctx context.Context, c *spec.Case, node string, labels map[string]string, names []string, edits ...func(*corev1.Pod)) []*corev1.Pod {
	made := make([]*corev1.Pod, len(names))
	for i, name := range names {
		made[i] = c.MakePod(ctx, name, node, labels, edits...)
	}
	waits := make([]Condition, len(made))
	for i, pod := range made {
		waits[i] = comeUp(pod)
	}
	c.Require(ctx, "the pods have come up", state.All(waits...))
	return made
}

// comeUp holds once the pod runs, and is Ready if it is to be; a pod that no node fits need only exist.
func comeUp(pod *corev1.Pod) Condition {
	return state.When("pod "+pod.Name+" has come up", func(cluster *history.Cluster) bool {
		now := cluster.Pods[pod.UID]
		switch {
		case now == nil:
			return false
		case pod.Spec.NodeName == "":
			return true
		case pod.Annotations[stages.Readiness] == "false":
			return Running(now)
		}
		return history.IsReady(now)
	})
}

// guard makes a budget of that name over the labels, and waits until its status allows that many disruptions and counts that many healthy pods.
func guard(ctx context.Context, c *spec.Case, name string, labels map[string]string, allows, healthy int32, edits ...BudgetEdit) *policyv1.PodDisruptionBudget {
	budget := c.CreateBudget(ctx, name, append(edits, Selecting(labels))...)
	c.Require(ctx, "the budget is computed", BudgetStatus(budget, "it counts the pods", func(status policyv1.PodDisruptionBudgetStatus) bool {
		return status.DisruptionsAllowed == allows && status.CurrentHealthy == healthy
	}))
	return budget
}

// evicted are the answers to the evictions of the pod, dry those to dry runs.
func evicted(pod string) Event { return Answered(history.EvictPod, pod) }

func dry(pod string) Event { return Answered(history.DryRunEviction, pod) }

// gone asks that the pod was deleted if its eviction was accepted, stays that it was not deleted.
func gone(pod string) Matcher { return Effected(PodDeleted(Named(pod)), evicted(pod)) }

func stays(pod string) Matcher { return Never(PodDeleted(Named(pod))) }

// named are that many names that begin with the prefix.
func named(prefix string, count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = prefix + "-" + string(rune('a'+i))
	}
	return names
}
