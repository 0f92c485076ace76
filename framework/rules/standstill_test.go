package rules_test

import (
	"strings"
	"testing"
	"time"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// TestWhatAStandstillMayExplainBreaksNothing deletes the only pod of a node during a rollout, beside a standstill of the API server of five seconds.
func TestWhatAStandstillMayExplainBreaksNothing(t *testing.T) {
	const lasts = 5 * time.Second
	for name, row := range map[string]struct {
		write func(b *Builder, pod *Pod)
		want  judge.Outcome
	}{
		"as its end shows": {func(b *Builder, pod *Pod) {
			b.Standstill(lasts)
			pod.Terminating()
		}, judge.Inconclusive},
		"before everybody has recovered": {func(b *Builder, pod *Pod) {
			b.Standstill(lasts).After(lasts - time.Second)
			pod.Terminating()
		}, judge.Inconclusive},
		"afterwards": {func(b *Builder, pod *Pod) {
			b.Standstill(lasts).After(lasts)
			pod.Terminating()
		}, judge.Broken},
		"before it": {func(b *Builder, pod *Pod) {
			b.After(time.Second)
			pod.Terminating()
			b.After(time.Millisecond).Standstill(lasts)
		}, judge.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(t)
			_, pods := rolled(b)
			row.write(b, pods[1])
			verdict := handOff(b.History())
			if verdict.Outcome != row.want {
				t.Errorf("%s %s for %q, violations %v; want %s", verdict.Requirement, verdict.Outcome, verdict.Reason, verdict.Violations, row.want)
			}
			if row.want == judge.Inconclusive && !strings.Contains(verdict.Reason, "answered nobody for 5.0 s") {
				t.Errorf("the reason does not name the standstill: %q", verdict.Reason)
			}
		})
	}
}
