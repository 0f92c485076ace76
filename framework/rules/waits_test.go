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

// late is just too late.
const late = judge.Lag + judge.Prompt + 100*time.Millisecond

// TestWhatIsLateForWantOfAProcessorIsUndecided has a node join that gets its pod late, or not at all.
func TestWhatIsLateForWantOfAProcessorIsUndecided(t *testing.T) {
	for name, row := range map[string]struct {
		write func(b *Builder, ds *DaemonSet)
		want  judge.Outcome
	}{
		"it got none for a while, and then it did what was due": {func(b *Builder, ds *DaemonSet) {
			b.Waits(3*time.Second, 2*time.Second).After(late - 3*time.Second)
			ds.Pod("new", "node-9")
		}, judge.Inconclusive},
		"it was in time all the same": {func(b *Builder, ds *DaemonSet) {
			b.Waits(3*time.Second, 2*time.Second).After(time.Second)
			ds.Pod("new", "node-9")
			b.After(late).Mark("end")
		}, judge.Holds},
		"it was late without": {func(b *Builder, ds *DaemonSet) {
			b.After(late)
			ds.Pod("new", "node-9")
			b.Waits(3*time.Second, 2*time.Second).Mark("end")
		}, judge.Broken},
		"it never did it": {func(b *Builder, _ *DaemonSet) {
			b.Waits(3*time.Second, 2*time.Second).After(judge.Lag + late).Mark("end")
		}, judge.Broken},
		"the recording ends before it could be told": {func(b *Builder, _ *DaemonSet) {
			b.Waits(3*time.Second, 2*time.Second).After(late - 3*time.Second).Mark("end")
		}, judge.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(t)
			ds, _ := rulestest.Running(b, 1, MaxSurge("1"))
			b.Node("node-9").Join()
			row.write(b, ds)
			verdict := judge.Run(b.History(), []judge.Rule{rollout.SurgeFills()})[0]
			if verdict.Outcome != row.want || row.want == judge.Holds && !verdict.Exercised {
				t.Errorf("%s, exercised %t, for %q, violations %v; want %s", verdict.Outcome, verdict.Exercised, verdict.Reason, verdict.Violations, row.want)
			}
			if row.want == judge.Inconclusive && !strings.Contains(verdict.Reason, "waited for a processor for 2.0 s of 3.0 s") {
				t.Errorf("the reason does not say what the implementation waited for: %q", verdict.Reason)
			}
		})
	}
}

func TestWhatIsDoneForWantOfAProcessorIsUndecided(t *testing.T) {
	b := New(t)
	_, pods := rolled(b)
	b.Waits(2*time.Second, 1500*time.Millisecond)
	pods[1].Terminating()
	if verdict := handOff(b.History()); verdict.Outcome != judge.Inconclusive {
		t.Errorf("%s %s, violations %v; want inconclusive", verdict.Requirement, verdict.Outcome, verdict.Violations)
	}
}

// TestWhoIsAtWorkIsNotLate has nodes join together and get their pods one after another, and then nothing happens for a while before the last one gets its own.
func TestWhoIsAtWorkIsNotLate(t *testing.T) {
	for name, row := range map[string]struct {
		before        int
		apart, atLast time.Duration
		want          judge.Outcome
	}{
		"a pod a second":                 {9, time.Second, time.Second, judge.Holds},
		"three pods a second":            {40, 300 * time.Millisecond, 300 * time.Millisecond, judge.Holds},
		"a pod every two seconds":        {5, 2 * time.Second, 2 * time.Second, judge.Broken},
		"the others quickly, and not it": {5, 10 * time.Millisecond, late, judge.Broken},
		"it alone":                       {0, 0, late, judge.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(t)
			ds, _ := rulestest.Running(b, 1, MaxSurge("1"))
			joined := func(i int) string { return fmt.Sprintf("joined-%d", i) }
			for i := range row.before + 1 {
				b.Node(joined(i)).Join()
			}
			for i := range row.before {
				b.After(row.apart)
				ds.Pod(fmt.Sprintf("new-%d", i), joined(i))
			}
			b.After(row.atLast)
			ds.Pod("last", joined(row.before))
			verdict := judge.Run(b.History(), []judge.Rule{rollout.SurgeFills()})[0]
			if verdict.Outcome != row.want {
				t.Errorf("%s, violations %v; want %s", verdict.Outcome, verdict.Violations, row.want)
			}
		})
	}
}
