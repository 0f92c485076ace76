package stress

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// player carries a schedule out.
type player struct {
	*spec.Case

	all       map[string]act
	daemonSet *appsv1.DaemonSet
	// templates are those that the DaemonSet has had, as edits that make them; the first is healthy.
	templates [][]Edit
	// nodes are those that there are, closed those of them that are tainted, cordoned those that are cordoned.
	nodes, closed, cordoned []string
	// unready are the pods that were made not Ready.
	unready []*corev1.Pod
}

// act does something to what a chooses, or nothing where there is nothing to do it to.
type act func(ctx context.Context, p *player, a int)

// weights are how often each act comes up, beside the others.
func weights() map[string]int {
	return map[string]int{
		"update": 4, "update to pods that never become ready": 1, "roll back": 3, "change the limit": 2, "change minReadySeconds": 1,
		"delete pod": 3, "delete pod at once": 2, "evict pod": 2, "become unready": 4, "become ready": 3, "fail": 3,
		"cordon": 2, "uncordon": 2, "taint": 2, "untaint": 2, "add node": 2, "remove node": 2, "kill and restart": 2,
	}
}

// acts are what may happen, to a controller that surges or does not.
func acts(surges bool) map[string]act {
	limits := []Edit{MaxUnavailable("1"), MaxUnavailable("2"), MaxUnavailable("50%")}
	if surges {
		limits = append(limits, MaxSurge("1"), MaxSurge("2"), MaxSurge("25%"), MaxSurge("100%"))
	}
	return map[string]act{
		"update": func(ctx context.Context, p *player, a int) {
			p.update(ctx, Healthy(), p.nextImage(), ReadyAfter(time.Duration(a%3)*500*time.Millisecond))
		},
		"update to pods that never become ready": func(ctx context.Context, p *player, _ int) { p.update(ctx, Healthy(), p.nextImage(), NeverReady()) },
		"roll back": func(ctx context.Context, p *player, a int) {
			p.daemonSet = p.Update(ctx, p.daemonSet, p.templates[a%len(p.templates)]...)
		},
		"change the limit": func(ctx context.Context, p *player, a int) {
			p.daemonSet = p.Update(ctx, p.daemonSet, limits[a%len(limits)])
		},
		"change minReadySeconds": func(ctx context.Context, p *player, a int) {
			p.daemonSet = p.Update(ctx, p.daemonSet, MinReadySeconds(int32(a%3)))
		},

		"delete pod": onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			p.DeletePod(ctx, pod, time.Duration(*pod.Spec.TerminationGracePeriodSeconds)*time.Second)
		}),
		"delete pod at once": onPod(func(ctx context.Context, p *player, pod *corev1.Pod) { p.DeletePod(ctx, pod, 0) }),
		"evict pod": onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			if err := p.TryEvict(ctx, pod); err != nil && !apierrors.IsNotFound(err) {
				p.CannotDecide(fmt.Sprintf("harness: evict pod %s: %v", pod.Name, err))
			}
		}),
		"become unready": onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			p.unready = append(p.unready, pod)
			p.Pods.BecomeUnready(ctx, pod)
		}),
		"become ready": func(ctx context.Context, p *player, _ int) { p.heal(ctx, min(1, len(p.unready))) },
		"fail":         onPod(func(ctx context.Context, p *player, pod *corev1.Pod) { p.Pods.Fail(ctx, pod) }),

		"cordon": func(ctx context.Context, p *player, a int) {
			move(ctx, p.Cordon, &p.cordoned, without(p.nodes, p.cordoned), a)
		},
		"uncordon": func(ctx context.Context, p *player, a int) { back(ctx, p.Uncordon, &p.cordoned, a) },
		"taint": func(ctx context.Context, p *player, a int) {
			move(ctx, p.close, &p.closed, without(p.nodes, p.closed), a)
		},
		"untaint":          func(ctx context.Context, p *player, a int) { back(ctx, p.open, &p.closed, a) },
		"add node":         func(ctx context.Context, p *player, _ int) { p.nodes = append(p.nodes, p.AddNodes(ctx, 1)...) },
		"remove node":      func(ctx context.Context, p *player, a int) { p.remove(ctx, p.nodes[a%len(p.nodes)]) },
		"kill and restart": func(ctx context.Context, p *player, _ int) { p.Kill(ctx); p.Restart(ctx) },
	}
}

// onPod makes an act on one of the live pods.
func onPod(do func(ctx context.Context, p *player, pod *corev1.Pod)) act {
	return func(ctx context.Context, p *player, a int) {
		if pods := p.LivePods(ctx, p.daemonSet); len(pods) > 0 {
			do(ctx, p, pods[a%len(pods)])
		}
	}
}

// begin makes the nodes and the DaemonSet.
func (p *player) begin(ctx context.Context) {
	p.nodes = p.AddNodes(ctx, nodes)
	p.daemonSet = p.Deploy(ctx, MaxUnavailable("1"))
	p.templates = [][]Edit{{Healthy(), Image("v1")}}
}

// update gives the DaemonSet another template.
func (p *player) update(ctx context.Context, template ...Edit) {
	p.templates = append(p.templates, template)
	p.daemonSet = p.Update(ctx, p.daemonSet, template...)
}

// nextImage is one of the eight that are not the first's, in turn.
func (p *player) nextImage() Edit { return Image(fmt.Sprintf("v%d", 2+len(p.templates)%8)) }

// heal makes that many of the pods Ready again that were made not Ready first.
func (p *player) heal(ctx context.Context, count int) {
	for _, pod := range p.unready[:count] {
		if slices.ContainsFunc(p.LivePods(ctx, p.daemonSet), func(other *corev1.Pod) bool { return other.UID == pod.UID }) {
			p.Pods.BecomeReady(ctx, pod)
		}
	}
	p.unready = p.unready[count:]
}

func (p *player) close(ctx context.Context, node string) { rollouts.Close(ctx, p.Case, node) }
func (p *player) open(ctx context.Context, node string)  { rollouts.Open(ctx, p.Case, node) }

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

// calm undoes what would keep a rollout from its end, and begins the last one.
func (p *player) calm(ctx context.Context) {
	for len(p.cordoned) > 0 {
		back(ctx, p.Uncordon, &p.cordoned, 0)
	}
	for len(p.closed) > 0 {
		back(ctx, p.open, &p.closed, 0)
	}
	p.heal(ctx, len(p.unready))
	p.update(ctx, Healthy(), p.nextImage())
	// A pod may have been created for a node when that was already gone.
	p.Await(ctx, state.Any(RolledOut(p.daemonSet), Quiet(spec.Prompt)))
	var gone []string
	p.Look(ctx, func(cluster *history.Cluster) { gone = without(cluster.NodesOf(p.daemonSet.UID), p.nodes) })
	for _, node := range gone {
		p.clear(ctx, node)
	}
}

// move does something to one of the nodes, and puts that into the list.
func move(ctx context.Context, do func(context.Context, string), to *[]string, from []string, choice int) {
	if len(from) == 0 {
		return
	}
	node := from[choice%len(from)]
	do(ctx, node)
	*to = append(*to, node)
}

// back undoes that for one of the list.
func back(ctx context.Context, undo func(context.Context, string), list *[]string, choice int) {
	if len(*list) == 0 {
		return
	}
	node := (*list)[choice%len(*list)]
	undo(ctx, node)
	*list = without(*list, []string{node})
}

// without are those of all that are not among the others.
func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(others, name) })
}
