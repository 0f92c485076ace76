package status_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/rules/status"
)

func TestLeftAlone(t *testing.T) {
	j := status.LeftAlone()
	// deleted has a DaemonSet on two nodes that has been being deleted for Lag.
	deleted := func(b *Builder) (*DaemonSet, []*Pod) {
		ds, pods := Running(b, 2)
		b.Stimulus(history.DeleteDaemonSet, ds)
		ds.Terminating()
		b.After(judge.Lag)
		return ds, pods
	}
	// collected has its first pod deleted by the garbage collector, too.
	collected := func(b *Builder) (*DaemonSet, []*Pod) {
		ds, pods := deleted(b)
		pods[0].Terminating()
		pods[0].Gone()
		return ds, pods
	}
	Breaks(t, j,
		Tell("a pod is created in the place of one that was collected", func(b *Builder) {
			ds, _ := collected(b)
			ds.Pod("again-a", NodeName(0))
		}),
		Tell("a status is written", func(b *Builder) {
			ds, _ := collected(b)
			ds.Counts(2, 1, 1, 1, 1)
		}),
		Tell("the implementation deletes a pod", func(b *Builder) {
			_, pods := deleted(b)
			pods[1].Terminating()
			b.By(history.Implementation, "delete")
		}),
	)
	Keeps(t, j, Tell("the garbage collector deletes the pods", func(b *Builder) {
		_, pods := collected(b)
		b.After(judge.Lag)
		pods[1].Terminating()
		pods[1].Gone()
	}))
	Ignores(t, j,
		Tell("it was deleted just now", func(b *Builder) {
			ds, pods := Running(b, 2)
			b.Stimulus(history.DeletePod, pods[0])
			pods[0].Terminating()
			pods[0].Gone()
			b.Stimulus(history.DeleteDaemonSet, ds)
			ds.Terminating().Counts(2, 1, 1, 1, 1)
			ds.Pod("again-a", NodeName(0))
		}),
		Tell("the harness creates a pod", func(b *Builder) {
			ds, _ := deleted(b)
			b.Stimulus(history.CreatePod, Object(history.KindPod, "harness-a"))
			ds.Pod("harness-a", NodeName(0))
		}),
		Tell("another DaemonSet of its name is served", func(b *Builder) {
			ds, pods := deleted(b)
			pods[0].Gone()
			pods[1].Gone()
			ds.Gone()
			b.DaemonSet("agent").Pod("new-a", NodeName(0))
		}),
	)
}
