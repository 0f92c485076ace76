package stress

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// player carries a schedule out.
type player struct {
	*spec.Case

	// surges: the implementation claims to surge; what asks it to is left out otherwise.
	surges    bool
	daemonSet *appsv1.DaemonSet
	// templates are those that the DaemonSet has had, as edits that make them; the first is healthy.
	templates [][]Edit
	// nodes are those that there are, closed those of them that are tainted, cordoned those that are cordoned.
	nodes, closed, cordoned []string
	// unready are the pods that were made not Ready, held those whose termination is.
	unready, held []*corev1.Pod
	// restarting is held while the implementation is killed and started again.
	restarting sync.Mutex
}

// act does something to what a chooses, or nothing where there is nothing to do it to.
type act func(ctx context.Context, p *player, a int)

// acts are what may happen, by the names that schedules have for it.
func acts() map[string]act {
	return map[string]act{
		schedule.Update:       func(ctx context.Context, p *player, _ int) { p.update(ctx, Healthy(), p.nextImage()) },
		schedule.UpdateBroken: func(ctx context.Context, p *player, _ int) { p.update(ctx, Healthy(), p.nextImage(), NeverReady()) },
		schedule.UpdateSlow: func(ctx context.Context, p *player, a int) {
			p.update(ctx, Healthy(), p.nextImage(), ReadyAfter(time.Duration(1+a%4)*500*time.Millisecond))
		},
		schedule.RollBack: func(ctx context.Context, p *player, a int) {
			p.daemonSet = p.Update(ctx, p.daemonSet, p.templates[a%len(p.templates)]...)
		},
		schedule.ChangeStrategy: func(ctx context.Context, p *player, a int) {
			strategies := schedule.Strategies()
			p.daemonSet = p.Update(ctx, p.daemonSet, p.strategy(strategies[a%len(strategies)]))
		},
		schedule.ChangeMinReady: func(ctx context.Context, p *player, a int) {
			p.daemonSet = p.Update(ctx, p.daemonSet, MinReadySeconds(int32(a%3)))
		},

		schedule.DeletePod: onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			p.DeletePod(ctx, pod, time.Duration(*pod.Spec.TerminationGracePeriodSeconds)*time.Second)
		}),
		schedule.DeletePodByForce: onPod(func(ctx context.Context, p *player, pod *corev1.Pod) { p.DeletePod(ctx, pod, 0) }),
		schedule.EvictPod: onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			if err := p.TryEvict(ctx, pod); err != nil && !apierrors.IsNotFound(err) {
				p.CannotDecide(fmt.Sprintf("harness: evict pod %s: %v", pod.Name, err))
			}
		}),
		schedule.BecomeUnready: onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			p.unready = append(p.unready, pod)
			p.Pods.BecomeUnready(ctx, pod)
		}),
		schedule.BecomeReady: func(ctx context.Context, p *player, _ int) { p.heal(ctx, min(1, len(p.unready))) },
		schedule.Fail: onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			// A kubelet does not end what it is to hold.
			if !containsPod(p.held, pod) {
				p.Pods.Fail(ctx, pod)
			}
		}),
		schedule.HoldTermination: onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			if !containsPod(p.held, pod) {
				p.held = append(p.held, pod)
				p.Pods.HoldTermination(ctx, pod)
			}
		}),
		schedule.Release: func(ctx context.Context, p *player, _ int) { p.release(ctx, min(1, len(p.held))) },

		schedule.Cordon: func(ctx context.Context, p *player, a int) {
			move(ctx, p.Cordon, &p.cordoned, without(p.nodes, p.cordoned), a)
		},
		schedule.Uncordon: func(ctx context.Context, p *player, a int) { back(ctx, p.Uncordon, &p.cordoned, a) },
		schedule.Taint: func(ctx context.Context, p *player, a int) {
			move(ctx, p.close, &p.closed, without(p.nodes, p.closed), a)
		},
		schedule.Untaint: func(ctx context.Context, p *player, a int) { back(ctx, p.open, &p.closed, a) },
		schedule.Join:    func(ctx context.Context, p *player, _ int) { p.nodes = append(p.nodes, p.AddNodes(ctx, 1)...) },
		schedule.Leave:   func(ctx context.Context, p *player, a int) { p.remove(ctx, p.nodes[a%len(p.nodes)]) },
		schedule.Restart: func(ctx context.Context, p *player, _ int) {
			p.restarting.Lock()
			defer p.restarting.Unlock()
			p.Kill(ctx)
			p.Restart(ctx)
		},
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

// play begins with the nodes and the DaemonSet, and carries the schedule out.
func (p *player) play(ctx context.Context, s schedule.Schedule) {
	p.setFaults(ctx, s.Faults)
	p.nodes = p.AddNodes(ctx, s.Nodes)
	p.daemonSet = p.Deploy(ctx, p.strategy(s.Strategy), MinReadySeconds(int32(s.MinReadySeconds)))
	p.templates = [][]Edit{{Healthy(), Image("v1")}}
	all := acts()
	for _, step := range s.Steps {
		p.Await(ctx, Past(time.Now().Add(step.Wait)))
		all[step.Act](ctx, p, step.A)
	}
	p.calm(ctx)
}

// strategy is the edit that makes the strategy. One that surges is another for who does not claim that.
func (p *player) strategy(s schedule.Strategy) Edit {
	switch {
	case s.OnDelete:
		return OnDelete()
	case s.Surges() && p.surges:
		return MaxSurge(s.MaxSurge)
	case s.Surges():
		return MaxUnavailable(s.MaxSurge)
	}
	return MaxUnavailable(s.MaxUnavailable)
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
		if containsPod(p.LivePods(ctx, p.daemonSet), pod) {
			p.Pods.BecomeReady(ctx, pod)
		}
	}
	p.unready = p.unready[count:]
}

// release lets that many of the pods go whose termination was held first.
func (p *player) release(ctx context.Context, count int) {
	for _, pod := range p.held[:count] {
		there := false
		p.Look(ctx, func(cluster *history.Cluster) { there = cluster.Pods[pod.UID] != nil })
		if there {
			p.Pods.ReleaseTermination(ctx, pod)
		}
	}
	p.held = p.held[count:]
}

func containsPod(pods []*corev1.Pod, pod *corev1.Pod) bool {
	return slices.ContainsFunc(pods, func(other *corev1.Pod) bool { return other.UID == pod.UID })
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
	p.release(ctx, len(p.held))
	if p.daemonSet.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
		p.daemonSet = p.Update(ctx, p.daemonSet, MaxUnavailable("1"))
	}
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
