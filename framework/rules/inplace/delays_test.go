package inplace_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/inplace"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// TestAStatusOfBeforeAPatchMayComeAsMuchLaterAsAnswersTook has a status written that counts a pod as available which was patched in between.
func TestAStatusOfBeforeAPatchMayComeAsMuchLaterAsAnswersTook(t *testing.T) {
	waits := map[judge.Outcome]func(*Builder, time.Duration){
		judge.Broken: func(b *Builder, d time.Duration) { b.After(d) },
		judge.Holds:  func(b *Builder, d time.Duration) { b.Delays(d) },
	}
	for want, wait := range waits {
		daemons := New(t)
		ds, pods := updated(daemons, 2, InPlace())
		ds.Counts(2, 2, 1, 1, 0)
		daemons.After(Long)
		pods[0].Patch("v2")
		wait(daemons, judge.Lag)
		ds.Counts(2, 2, 2, 2, 1)

		replicas := New(t)
		set, members := rolling(replicas, 2, SetInPlace())
		set.Status(func(status *appsv1.StatefulSetStatus) { status.AvailableReplicas = 1 })
		replicas.After(Long)
		members[1].Patch("v2").Observed()
		wait(replicas, judge.Lag)
		set.Status(func(status *appsv1.StatefulSetStatus) { status.AvailableReplicas = 2 })

		for rule, b := range map[*judge.Rule]*Builder{new(inplace.Counts()): daemons, new(inplace.SetCounts()): replicas} {
			if verdict := judge.Run(b.History(), []judge.Rule{*rule})[0]; verdict.Outcome != want {
				t.Errorf("%s %s, violations %v; want %s", verdict.Requirement, verdict.Outcome, verdict.Violations, want)
			}
		}
	}
}
