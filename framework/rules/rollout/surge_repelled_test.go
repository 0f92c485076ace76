package rollout_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestSurgeRepelled(t *testing.T) {
	j := rollout.SurgeRepelled()
	repelled := func(b *Builder) []*Pod {
		ds, pods := Running(b, 2, MaxSurge("1"))
		ds.Update("v2")
		b.Node(NodeName(0)).Taint("dedicated", corev1.TaintEffectNoSchedule)
		return pods
	}
	Omits(t, j, Tell("the unready pod stays", func(b *Builder) {
		repelled(b)[0].Unready()
		b.After(judge.Lag + judge.Prompt + judge.Lag).Mark("end")
	}))
	Keeps(t, j, Tell("the unready pod goes", func(b *Builder) {
		pods := repelled(b)
		pods[0].Unready()
		b.After(judge.Prompt)
		pods[0].Terminating()
	}))
	Ignores(t, j, Tell("an available pod may stay", func(b *Builder) {
		repelled(b)
		b.After(Long).Mark("end")
	}))
}
