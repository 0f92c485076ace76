package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// recoveryTimeout bounds the wait for a node to be Ready again once its machine works.
const recoveryTimeout = 90 * time.Second

// StopKubelet stops a real node's kubelet until StartKubelet; its containers go on running. Like all that is done to machines it takes a scenario that
// has the cluster to itself, and is undone when the scenario is over.
func (s *Scenario) StopKubelet(ctx context.Context, node string) {
	s.tb.Helper()
	s.onMachine(ctx, history.StopKubelet, node, func(ctx context.Context) error { return s.systemctl(ctx, node, "stop") })
	s.broken[node] = func(ctx context.Context) error { return s.systemctl(ctx, node, "start") }
}

// StartKubelet starts a stopped kubelet.
func (s *Scenario) StartKubelet(ctx context.Context, node string) {
	s.tb.Helper()
	s.onMachine(ctx, history.StartKubelet, node, s.repair(node))
}

// RebootNode restarts a real node's machine and returns once its kubelet runs again.
func (s *Scenario) RebootNode(ctx context.Context, node string) {
	s.tb.Helper()
	s.onMachine(ctx, history.RebootNode, node, func(ctx context.Context) error { return s.env.Machines.Reboot(ctx, node) })
}

func (s *Scenario) onMachine(ctx context.Context, act history.Act, node string, do func(context.Context) error) {
	s.tb.Helper()
	switch {
	case s.kind != Real || s.env.Machines == nil:
		s.tb.Fatalf("harness: %s %s: there is no machine behind it, the spec must be on real nodes", act, node)
	case !s.env.Exclusive:
		s.tb.Fatalf("harness: %s %s: other scenarios use this node too, the spec must be alone", act, node)
	}
	s.must(s.Do(ctx, onNode(act, node), do), "%s %s", act, node)
}

// repair undoes what is broken about the machine, if anything is.
func (s *Scenario) repair(node string) func(context.Context) error {
	return func(ctx context.Context) error {
		undo := s.broken[node]
		if undo == nil {
			return nil
		}
		delete(s.broken, node)
		return undo(ctx)
	}
}

// restoreAll undoes what is still broken, and waits until every node of a scenario that could break any is Ready again: others come after it.
func (s *Scenario) restoreAll(ctx context.Context) error {
	if !s.env.Exclusive || s.kind != Real {
		return nil
	}
	var failures []error
	for node := range maps.Clone(s.broken) {
		failures = append(failures, s.repair(node)(ctx))
	}
	for _, name := range s.nodes {
		err := wait.PollUntilContextTimeout(ctx, time.Second, recoveryTimeout, true, func(ctx context.Context) (bool, error) {
			node, err := s.admin.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			return history.NodeReady(node) && !tainted(node, corev1.TaintNodeNotReady) && !tainted(node, corev1.TaintNodeUnreachable), nil
		})
		if err != nil {
			failures = append(failures, fmt.Errorf("node %s is not Ready again: %w", name, err))
		}
	}
	return errors.Join(failures...)
}

func (s *Scenario) systemctl(ctx context.Context, node, verb string) error {
	_, err := s.env.Machines.Run(ctx, node, "systemctl", verb, "kubelet")
	return err
}
