package stress

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/rollcall-conformance/rollcall/fixtures/stages"
	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
)

// podActs are what happens to pods.
func podActs() map[string]act {
	return map[string]act{
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
		schedule.BecomeUnknown: onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			if Running(pod) {
				p.unready = append(p.unready, pod)
				p.Pods.BecomeUnready(ctx, pod)
				rollouts.BecomeUnknown(ctx, p.Case, pod)
			}
		}),
		schedule.BecomeReady: func(ctx context.Context, p *player, _, _ int) { p.heal(ctx, min(1, len(p.unready))) },
		schedule.Fail:        onPod(func(ctx context.Context, p *player, pod *corev1.Pod) { p.end(ctx, pod, p.Pods.Fail) }),
		schedule.Succeed:     onPod(func(ctx context.Context, p *player, pod *corev1.Pod) { p.end(ctx, pod, p.Pods.Succeed) }),
		schedule.RestartContainer: onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			if Running(pod) {
				p.Pods.RestartContainer(ctx, pod, pod.Spec.Containers[0].Name)
			}
		}),
		schedule.HoldTermination: onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			if !containsPod(p.held, pod) {
				p.held = append(p.held, pod)
				p.Pods.HoldTermination(ctx, pod)
			}
		}),
		schedule.Release: func(ctx context.Context, p *player, _, _ int) { p.release(ctx, min(1, len(p.held))) },
		schedule.TakeLabel: onPod(func(ctx context.Context, p *player, pod *corev1.Pod) {
			for label := range p.daemonSet.Spec.Template.Labels {
				if err := p.TryLabelPod(ctx, pod, map[string]string{label: ""}); err != nil && !apierrors.IsNotFound(err) {
					p.CannotDecide(fmt.Sprintf("harness: take label %s off pod %s: %v", label, pod.Name, err))
				}
			}
		}),
		schedule.MakeOrphan: func(ctx context.Context, p *player, a, b int) { p.makeOrphan(ctx, p.nodes[a%len(p.nodes)], b) },
		schedule.RefusePods: func(ctx context.Context, p *player, _, _ int) {
			if !p.refusing {
				p.refusing = true
				p.Case.RefusePods(ctx, ByLimit)
			}
		},
		schedule.AdmitPods: func(ctx context.Context, p *player, _, _ int) { p.admit(ctx) },
	}
}

// onPod makes an act on one of the live pods.
func onPod(do func(ctx context.Context, p *player, pod *corev1.Pod)) act {
	return func(ctx context.Context, p *player, a, _ int) {
		if pods := p.LivePods(ctx, p.daemonSet); len(pods) > 0 {
			do(ctx, p, pods[a%len(pods)])
		}
	}
}

// end has a pod end in whatever way. A kubelet does not end what it is to hold.
func (p *player) end(ctx context.Context, pod *corev1.Pod, by func(context.Context, *corev1.Pod)) {
	if !containsPod(p.held, pod) {
		by(ctx, pod)
	}
}

// heal makes that many of the pods Ready again that were made not Ready first. One whose image cannot be had is left as it is.
func (p *player) heal(ctx context.Context, count int) {
	for _, pod := range p.LivePods(ctx, p.daemonSet) {
		if containsPod(p.unready[:count], pod) && !history.HasTag(&pod.Spec, stages.MissingTag) {
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

// makeOrphan makes a pod that the DaemonSet will adopt: one that a history of its made, or one that it knows nothing about.
func (p *player) makeOrphan(ctx context.Context, node string, choice int) {
	if p.refusing {
		return
	}
	labels, revisions := maps.Clone(p.daemonSet.Spec.Template.Labels), p.revisions(ctx)
	from := func(*corev1.Pod) {}
	if choice%2 == 1 && len(revisions) > 0 {
		revision := revisions[choice%len(revisions)]
		if template, err := history.TemplateIn(revision); err == nil {
			labels[p.RevisionLabel()] = revision.Labels[p.RevisionLabel()]
			from = func(pod *corev1.Pod) {
				pod.Spec = *template.Spec.DeepCopy()
				pod.Spec.NodeName = node
			}
		}
	}
	p.MakePod(ctx, p.name("orphan"), node, labels, from)
}

// admit has the API server refuse pods no longer.
func (p *player) admit(ctx context.Context) {
	if p.refusing {
		p.refusing = false
		p.Case.AdmitPods(ctx)
	}
}

func containsPod(pods []*corev1.Pod, pod *corev1.Pod) bool {
	return slices.ContainsFunc(pods, func(other *corev1.Pod) bool { return other.UID == pod.UID })
}
