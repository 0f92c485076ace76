package variants

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenWithKubelets differ only in what real kubelets do.
func brokenWithKubelets() []Variant {
	return []Variant{
		{Name: "waits-for-every-node", Says: "Does nothing while any node is not Ready.",
			Breaks: []string{"KUBELET-006"}, NeedsKubelets: true,
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				for _, node := range state.Nodes {
					if notReady(node) {
						actions.CreatePods, actions.DeletePods = nil, nil
					}
				}
			})},
		{Name: "gives-nodes-up", Says: "Does nothing more on a node that was not Ready once.",
			Breaks: []string{"KUBELET-007"}, NeedsKubelets: true,
			Planner: remember(func(m *memory[map[string]bool]) Around {
				return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
					lost := m.of(state)
					if *lost == nil {
						*lost = map[string]bool{}
					}
					for _, node := range state.Nodes {
						(*lost)[node.Name] = (*lost)[node.Name] || notReady(node)
					}
					withoutCreations(actions, func(c plan.PodCreation) bool { return (*lost)[c.Node] })
					withoutDeletions(actions, func(d plan.PodDeletion) bool { return (*lost)[d.Node] })
				})
			})},
		{Name: "clock-without-readiness", Says: "Takes a pod for available once minReadySeconds have passed since its Ready condition changed, to whatever.",
			Breaks: []string{"KUBELET-002"}, NeedsKubelets: true,
			Planner: seeing(func(state *plan.State, _ time.Time) {
				clocked := state.DaemonSet.Spec.MinReadySeconds > 0
				changePods(state, func(pod *corev1.Pod) bool { return clocked && ready(pod) != nil }, func(pod *corev1.Pod) {
					ready(pod).Status = corev1.ConditionTrue
				})
			})},
		{Name: "scheduled-is-ready", Says: "Takes a pod for Ready once it is scheduled.",
			Breaks:        []string{"KUBELET-001", "KUBELET-003", "KUBELET-004", "KUBELET-008", "KUBELET-009"},
			NeedsKubelets: true,
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changePods(state, func(pod *corev1.Pod) bool { return condition(pod, corev1.PodScheduled) != nil }, func(pod *corev1.Pod) {
					if scheduled := condition(pod, corev1.PodScheduled); scheduled.Status == corev1.ConditionTrue {
						setReady(pod, scheduled.LastTransitionTime.Time)
					}
				})
			})},
		{Name: "cuts-drains-short", Says: "Gives deleted pods a second to end, whatever their spec gives them.",
			Breaks: []string{"KUBELET-005"}, NeedsKubelets: true,
			Writer: deletingPods(func(*corev1.Pod) client.DeleteOption { return client.GracePeriodSeconds(1) })},
	}
}

func notReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status != corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// deletingPods deletes every pod with one more option.
func deletingPods(option func(*corev1.Pod) client.DeleteOption) func(client.Client) client.Client {
	return func(c client.Client) client.Client { return podDeleter{Client: c, option: option} }
}

type podDeleter struct {
	client.Client
	option func(*corev1.Pod) client.DeleteOption
}

func (c podDeleter) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	if pod, isPod := object.(*corev1.Pod); isPod {
		options = append(options, c.option(pod))
	}
	return c.Client.Delete(ctx, object, options...)
}
