package status_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/rules/status"
)

func TestStatusOrder(t *testing.T) {
	Breaks(t, status.StatusOrder(),
		counts("more available than ready", 3, 3, 1, 2, 1, 3),
		counts("more ready than scheduled", 3, 1, 2, 1, 2, 1),
		counts("more scheduled than desired", 3, 4, 3, 3, 0, 3),
		counts("more updated than scheduled", 3, 2, 2, 2, 1, 3),
		counts("a negative number", 3, 3, 3, 3, 0, -1),
	)
	Keeps(t, status.StatusOrder(),
		counts("all alike", 3, 3, 3, 3, 0, 3),
		counts("each one less", 4, 3, 2, 1, 3, 3),
		Tell("the harness wrote it", func(b *Builder) {
			ds, _ := Running(b, 2)
			ds.Counts(2, 2, 2, 2, 2)
			b.Stimulus(history.WriteStatus, ds)
			b.After(Long)
			ds.Counts(1, 7, 5, 1, 9)
			b.After(Long)
			ds.Counts(2, 2, 2, 2, 2)
		}),
	)
	Breaks(t, status.StatusOrder(),
		Tell("the harness wrote it, and the implementation left it", func(b *Builder) {
			ds, _ := Running(b, 2)
			b.Stimulus(history.WriteStatus, ds)
			ds.Counts(1, 7, 5, 1, 9)
			b.After(Long)
			ds.Counts(1, 7, 5, 1, 8)
		}),
	)
	Ignores(t, status.StatusOrder(),
		Tell("no status was written", func(b *Builder) { Running(b, 2) }),
		Tell("only the spec changed", func(b *Builder) {
			ds, _ := Running(b, 2)
			ds.Update("v2")
		}),
	)
}
