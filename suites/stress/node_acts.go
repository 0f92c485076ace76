package stress

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
)

// nodeActs are what happens to nodes.
func nodeActs() map[string]act {
	return map[string]act{
		schedule.Cordon: func(ctx context.Context, p *player, a, _ int) {
			move(ctx, p.Cordon, &p.cordoned, without(p.nodes, p.cordoned), a)
		},
		schedule.Uncordon: func(ctx context.Context, p *player, a, _ int) { back(ctx, p.Uncordon, &p.cordoned, a) },
		schedule.Taint: func(ctx context.Context, p *player, a, _ int) {
			move(ctx, p.close, &p.closed, without(p.nodes, p.closed), a)
		},
		schedule.TaintNoExecute: func(ctx context.Context, p *player, a, _ int) {
			p.taint(ctx, p.nodes[a%len(p.nodes)], corev1.TaintEffectNoExecute)
		},
		schedule.TaintPrefer: func(ctx context.Context, p *player, a, _ int) {
			p.taint(ctx, p.nodes[a%len(p.nodes)], corev1.TaintEffectPreferNoSchedule)
		},
		schedule.Untaint: func(ctx context.Context, p *player, a, _ int) { back(ctx, p.open, &p.closed, a) },
		schedule.Move: func(ctx context.Context, p *player, a, b int) {
			p.EditNode(ctx, history.LabelNode, p.nodes[a%len(p.nodes)], inPool(b))
		},
		schedule.Join:  func(ctx context.Context, p *player, _, _ int) { p.join(ctx, 1) },
		schedule.Leave: func(ctx context.Context, p *player, a, _ int) { p.remove(ctx, p.nodes[a%len(p.nodes)]) },
	}
}

func (p *player) close(ctx context.Context, node string) { rollouts.TaintNodes(ctx, p.Case, node) }
func (p *player) open(ctx context.Context, node string)  { rollouts.UntaintNodes(ctx, p.Case, node) }

// taint gives the node the taint with that effect, in place of one that it has.
func (p *player) taint(ctx context.Context, node string, effect corev1.TaintEffect) {
	p.EditNode(ctx, history.TaintNode, node, func(node *corev1.Node) {
		rollouts.Untaint(node)
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: rollouts.ClosedTaint, Effect: effect})
	})
	p.closed = append(without(p.closed, []string{node}), node)
}

func inPool(number int) func(*corev1.Node) {
	return func(node *corev1.Node) { metav1.SetMetaDataLabel(&node.ObjectMeta, poolLabel, poolOf(number)) }
}

// join adds nodes; every second one is in another pool.
func (p *player) join(ctx context.Context, count int) {
	for range count {
		p.joined++
		p.nodes = append(p.nodes, p.AddNodes(ctx, 1, inPool(p.joined))...)
	}
}

// fewest is how many nodes stay.
const fewest = 3

// remove removes a node, unless there are few, and as the pod garbage collector does in time the pods that were on it.
func (p *player) remove(ctx context.Context, node string) {
	if len(p.nodes) <= fewest {
		return
	}
	rollouts.Remove(ctx, p.Case, node)
	p.nodes, p.closed, p.cordoned = without(p.nodes, []string{node}), without(p.closed, []string{node}), without(p.cordoned, []string{node})
	p.clear(ctx, node)
}

// clear deletes the pods that are on a node that is gone.
func (p *player) clear(ctx context.Context, node string) {
	var stranded []*corev1.Pod
	p.Look(ctx, func(cluster *history.Cluster) { stranded = slices.Clone(cluster.PodsOn(p.daemonSet.UID, node)) })
	for _, pod := range stranded {
		p.DeletePod(ctx, pod, 0)
	}
}
