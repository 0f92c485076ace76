package judge_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestStatusOrder(t *testing.T) {
	breaks(t, judge.StatusOrder(),
		counts("more available than ready", 3, 3, 1, 2, 1, 3),
		counts("more ready than scheduled", 3, 1, 2, 1, 2, 1),
		counts("more scheduled than desired", 3, 4, 3, 3, 0, 3),
		counts("more updated than scheduled", 3, 2, 2, 2, 1, 3),
		counts("a negative number", 3, 3, 3, 3, 0, -1),
	)
	keeps(t, judge.StatusOrder(),
		counts("all alike", 3, 3, 3, 3, 0, 3),
		counts("each one less", 4, 3, 2, 1, 3, 3),
		story{"the harness wrote it", func(b *Builder) {
			ds, _ := running(b, 2)
			ds.Counts(2, 2, 2, 2, 2)
			b.Stimulus(history.WriteStatus, ds)
			b.After(long)
			ds.Counts(1, 7, 5, 1, 9)
			b.After(long)
			ds.Counts(2, 2, 2, 2, 2)
		}},
	)
	breaks(t, judge.StatusOrder(),
		story{"the harness wrote it, and the implementation left it", func(b *Builder) {
			ds, _ := running(b, 2)
			b.Stimulus(history.WriteStatus, ds)
			ds.Counts(1, 7, 5, 1, 9)
			b.After(long)
			ds.Counts(1, 7, 5, 1, 8)
		}},
	)
	ignores(t, judge.StatusOrder(),
		story{"no status was written", func(b *Builder) { running(b, 2) }},
		story{"only the spec changed", func(b *Builder) {
			ds, _ := running(b, 2)
			ds.Update("v2")
		}},
	)
}
