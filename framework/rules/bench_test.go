package rules_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules"
)

// BenchmarkJudge20000Events is held to 2 s an operation: every rule over one large rollout.
func BenchmarkJudge20000Events(b *testing.B) {
	h := historytest.SurgeRollout(b, 1000)
	if len(h.Entries) < 20_000 {
		b.Fatalf("%d events", len(h.Entries))
	}
	for b.Loop() {
		if violations := judge.Run(h, rules.All()).Violations(); len(violations) > 0 {
			b.Fatal(violations[0])
		}
	}
	b.ReportMetric(float64(len(h.Entries)), "events")
}
