package rules_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// TestSlowAnswersExcuseNoAct has an available pod deleted without need.
func TestSlowAnswersExcuseNoAct(t *testing.T) {
	b := New(t)
	_, pods := rolled(b)
	b.Delays(2 * time.Second)
	pods[1].Terminating()
	if verdict := handOff(b.History()); verdict.Outcome != judge.Broken {
		t.Errorf("%s %s, %q; want broken", verdict.Requirement, verdict.Outcome, verdict.Reason)
	}
}
