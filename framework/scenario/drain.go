package scenario

import (
	"context"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/drain"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// evictionRetry is how long a drain waits before it asks again for what a disruption budget refused. kubectl waits 5 s.
const evictionRetry = time.Second

// Cordon marks the node unschedulable as kubectl does, and waits until the recording shows it. Of a real node that takes a scenario that has the cluster
// to itself, and is undone when the scenario is over.
func (s *Scenario) Cordon(ctx context.Context, node string) {
	s.tb.Helper()
	s.mark(ctx, history.CordonNode, node, true)
	if s.kind == Real {
		s.broken[cordonOf(node)] = func(ctx context.Context) error { return s.setUnschedulable(ctx, node, false) }
	}
}

// Uncordon undoes Cordon.
func (s *Scenario) Uncordon(ctx context.Context, node string) {
	s.tb.Helper()
	s.mark(ctx, history.UncordonNode, node, false)
	delete(s.broken, cordonOf(node))
}

// cordonOf is the name of a node's cordon among what is to be undone.
func cordonOf(node string) string { return node + " cordoned" }

func (s *Scenario) mark(ctx context.Context, act history.Act, node string, unschedulable bool) {
	s.tb.Helper()
	if !s.env.Exclusive {
		s.mustBeSimulated(string(act), node)
	}
	err := s.Do(ctx, onNode(act, node), func(ctx context.Context) error { return s.setUnschedulable(ctx, node, unschedulable) })
	s.must(err, "%s %s", act, node)
	s.Require(ctx, "the node shows it", state.When("node "+node+" is as it was marked", func(cluster *history.Cluster) bool {
		now := cluster.Nodes[node]
		return now != nil && now.Spec.Unschedulable == unschedulable
	}))
}

func (s *Scenario) setUnschedulable(ctx context.Context, name string, unschedulable bool) error {
	node, err := s.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return drain.RunCordonOrUncordon(s.drainer(ctx), node, unschedulable)
}

// Drain evicts the pod as kubectl drain does, and returns when it is gone: what a disruption budget refuses it asks for again. It takes no heed of the
// pod's being a DaemonSet's, which kubectl drain leaves alone or refuses to touch.
func (s *Scenario) Drain(ctx context.Context, pod *corev1.Pod) {
	s.tb.Helper()
	if s.kind == Real {
		// To a program that is only being started SIGTERM says nothing: the first process of a container gets no signal that it has no handler for yet, and
		// the pod would stay until its grace period is over.
		s.Require(ctx, "the pod to drain runs, or is gone", state.When("pod "+pod.Name+" runs", func(cluster *history.Cluster) bool {
			now := cluster.Pods[pod.UID]
			return now == nil || Running(now)
		}))
	}
	err := s.Do(ctx, onPod(history.EvictPod, pod), func(ctx context.Context) error {
		return s.drainer(ctx).DeleteOrEvictPods([]corev1.Pod{*pod})
	})
	s.must(err, "drain pod %s", pod.Name)
}

func (s *Scenario) drainer(ctx context.Context) *drain.Helper {
	return &drain.Helper{
		Ctx: ctx, Client: s.client, GracePeriodSeconds: -1, Timeout: s.env.Patience, EvictErrorRetryDelay: evictionRetry, Out: io.Discard, ErrOut: io.Discard,
	}
}
