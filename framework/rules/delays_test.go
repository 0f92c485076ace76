package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	"github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// TestWhatIsLateForWantOfAnswersIsUndecided has ten nodes join that get their pods one after another, each by two requests that take 900 ms.
func TestWhatIsLateForWantOfAnswersIsUndecided(t *testing.T) {
	const nodes = 10
	slow := func(b *Builder) { b.After(200 * time.Millisecond).Delays(700 * time.Millisecond) }
	ordinary := func(b *Builder) { b.After(900 * time.Millisecond) }
	for name, row := range map[string]struct {
		request func(*Builder)
		// last happens before the last node gets its pod, if it does.
		last  func(*Builder)
		gets  bool
		want  judge.Outcome
		since string
	}{
		"the API server is slow":                      {slow, func(*Builder) {}, true, judge.Inconclusive, "the API server took more than 0.2 s over requests of the implementation"},
		"it takes its time itself":                    {ordinary, func(*Builder) {}, true, judge.Broken, "no pod"},
		"it forgets the last one":                     {slow, func(b *Builder) { b.After(late).After(late) }, true, judge.Broken, "without the delays of requests"},
		"it never comes to the last one":              {slow, func(b *Builder) { b.After(late).After(late) }, false, judge.Broken, "without the delays of requests"},
		"the recording ends before it could be told":  {slow, func(b *Builder) { b.After(time.Second) }, false, judge.Inconclusive, "the API server took more than"},
		"the answers are slow when it is late anyway": {ordinary, func(b *Builder) { b.Delays(time.Second) }, true, judge.Broken, "no pod"},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(t)
			ds, _ := rulestest.Running(b, 1, MaxSurge("1"))
			joined := func(i int) string { return fmt.Sprintf("joined-%d", i) }
			for i := range nodes {
				b.Node(joined(i)).Join()
			}
			for i := range nodes {
				row.request(b)
				row.request(b)
				if i == nodes-1 {
					row.last(b)
				}
				if i < nodes-1 || row.gets {
					ds.Pod(fmt.Sprintf("new-%d", i), joined(i))
				}
			}
			b.Mark("end")
			verdict := judge.Run(b.History(), []judge.Rule{rollout.SurgeFills()})[0]
			said := verdict.Reason
			for _, violation := range verdict.Violations {
				said += violation.Got
			}
			if verdict.Outcome != row.want || !strings.Contains(said, row.since) {
				t.Errorf("%s, %q, violations %v; want %s with %q", verdict.Outcome, verdict.Reason, verdict.Violations, row.want, row.since)
			}
		})
	}
}

// TestSlowAnswersExcuseWhatWasDecidedBefore has a pod created from a template that another one has taken the place of.
func TestSlowAnswersExcuseWhatWasDecidedBefore(t *testing.T) {
	const bit = 300 * time.Millisecond
	for name, row := range map[string]struct {
		meanwhile func(*Builder)
		// told of the pod that much later than it was created.
		told time.Duration
		want judge.Outcome
	}{
		"the template changed just now":                         {func(b *Builder) { b.After(judge.Lag - bit) }, 0, judge.Holds},
		"it changed before":                                     {func(b *Builder) { b.After(judge.Lag + bit) }, 0, judge.Broken},
		"the API server took so much longer":                    {func(b *Builder) { b.After(judge.Lag - bit).Delays(2 * bit) }, 0, judge.Holds},
		"the API server took longer, but not so much":           {func(b *Builder) { b.After(judge.Lag + bit).Delays(bit / 2) }, 0, judge.Broken},
		"it took longer twice, and the time between is shorter": {func(b *Builder) { b.Delays(bit).After(judge.Lag - bit).Delays(bit).After(bit / 2) }, 0, judge.Holds},
		"the harness was told late":                             {func(b *Builder) { b.After(judge.Lag + bit) }, 2 * bit, judge.Holds},
		"the harness was told late, but not so much":            {func(b *Builder) { b.After(judge.Lag + bit) }, bit / 2, judge.Broken},
		"it took longer before the template changed":            {func(b *Builder) { b.After(judge.Lag + bit) }, 0, judge.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(t)
			ds, _ := rulestest.Running(b, 3, MaxSurge("1"))
			ds.Update("v2")
			ds.Pod("second-a", rulestest.NodeName(0))
			b.After(judge.Prompt).Delays(time.Second)
			ds.Update("v3")
			row.meanwhile(b)
			ds.PodOf("v2", "second-b", rulestest.NodeName(1))
			b.By(history.Implementation, "create").Answered(row.told)
			if verdict := judge.Run(b.History(), []judge.Rule{rollout.RolloverNewest()})[0]; verdict.Outcome != row.want {
				t.Errorf("%s, %q, violations %v; want %s", verdict.Outcome, verdict.Reason, verdict.Violations, row.want)
			}
		})
	}
}

// TestSlowAnswersExcuseNoOtherAct has an available pod deleted without need.
func TestSlowAnswersExcuseNoOtherAct(t *testing.T) {
	b := New(t)
	_, pods := rolled(b)
	b.Delays(2 * time.Second)
	pods[1].Terminating()
	if verdict := handOff(b.History()); verdict.Outcome != judge.Broken {
		t.Errorf("%s %s, %q; want broken", verdict.Requirement, verdict.Outcome, verdict.Reason)
	}
}
