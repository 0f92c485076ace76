package rollout_test

import (
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// late is longer than anything may take.
const late = judge.Lag + judge.Prompt + 10*time.Millisecond

func TestSurgeHandOver(t *testing.T) {
	j := rollout.SurgeHandOver()
	// available has an updated pod that becomes available beside the old one after the time.
	available := func(b *Builder, options ...Option) (*DaemonSet, []*Pod) {
		ds, pods := Running(b, 1, append([]Option{MaxSurge("1")}, options...)...)
		ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		return ds, pods
	}
	Omits(t, j,
		Tell("the old pod stays", func(b *Builder) {
			available(b)
			b.After(late).Mark("end")
		}),
		Tell("the old pod stays once minReadySeconds have run out", func(b *Builder) {
			available(b, MinReadySeconds(10))
			b.After(10*time.Second + late).Mark("end")
		}),
		Tell("the old pod goes too late", func(b *Builder) {
			_, pods := available(b)
			b.After(late)
			pods[0].Terminating()
		}),
		Tell("something else is written meanwhile", func(b *Builder) {
			ds, _ := available(b)
			b.After(judge.Prompt)
			ds.Observed()
			b.After(judge.Prompt).Mark("end")
		}),
		Tell("the implementation was restarted long ago", func(b *Builder) {
			available(b)
			b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			b.After(late).Mark("end")
		}),
	)
	Keeps(t, j,
		Tell("the old pod goes within the bound", func(b *Builder) {
			_, pods := available(b)
			b.After(judge.Prompt)
			pods[0].Terminating()
		}),
		Tell("the old pod goes within the bound after minReadySeconds", func(b *Builder) {
			_, pods := available(b, MinReadySeconds(10))
			b.After(10*time.Second + judge.Prompt)
			pods[0].Terminating()
		}),
		Tell("the implementation was restarted, and the clock starts anew", func(b *Builder) {
			_, pods := available(b)
			b.After(judge.Prompt)
			b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			b.After(judge.Prompt)
			pods[0].Terminating()
		}),
		Tell("the implementation was halted for long", func(b *Builder) {
			_, pods := available(b)
			b.Stimulus(history.KillImplementation, Object("", "")).Done()
			b.After(10 * Long)
			b.Stimulus(history.RestartImplementation, Object("", ""))
			b.After(Long).Done()
			b.After(judge.Prompt)
			pods[0].Terminating()
		}),
		Tell("the spec changed in between", func(b *Builder) {
			ds, pods := available(b)
			b.After(judge.Prompt)
			ds.Set(MaxSurge("2"))
			b.After(judge.Prompt)
			pods[0].Terminating()
		}),
	)
	Ignores(t, j,
		Tell("the recording ends before the bound", func(b *Builder) {
			available(b)
			b.After(judge.Prompt).Mark("end")
		}),
		Tell("the implementation is halted for good", func(b *Builder) {
			available(b)
			b.Stimulus(history.SuspendImplementation, Object("", "")).Done()
			b.After(Long).Mark("end")
		}),
		Tell("the implementation is restarted while it is cut off", func(b *Builder) {
			available(b)
			b.Stimulus(history.CutOffImplementation, Object("", "")).Done()
			b.Stimulus(history.RestartImplementation, Object("", "")).Done()
			b.After(Long).Mark("end")
		}),
		Tell("the updated pod loses its readiness", func(b *Builder) {
			ds, _ := Running(b, 1, MaxSurge("1"))
			young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(judge.Prompt)
			young.Unready()
			b.After(judge.Prompt).Mark("end")
		}),
		Tell("maxUnavailable", func(b *Builder) {
			ds, _ := Running(b, 1, MaxUnavailable("1"))
			b.Stimulus(history.CreatePod, Object(history.KindPod, "new-a"))
			ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
			b.After(judge.Prompt).Mark("end")
		}),
		Tell("the DaemonSet is being deleted", func(b *Builder) {
			ds, _ := available(b)
			ds.Terminating()
			b.After(Long).Mark("end")
		}),
		Tell("the namespace is being deleted", func(b *Builder) {
			available(b)
			b.Stimulus(history.DeleteNamespace, Object(history.KindNamespace, Namespace)).After(Long).Mark("end")
		}),
	)
}
