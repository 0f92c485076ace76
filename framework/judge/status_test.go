package judge_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// counts is a story in which the implementation writes one status.
func counts(name string, desired, current, ready, available, unavailable, updated int32) story {
	return story{name, func(b *Builder) {
		ds, _ := running(b, 2)
		ds.Status(func(status *appsv1.DaemonSetStatus) {
			*status = appsv1.DaemonSetStatus{
				DesiredNumberScheduled: desired, CurrentNumberScheduled: current, NumberReady: ready, NumberAvailable: available,
				NumberUnavailable: unavailable, UpdatedNumberScheduled: updated,
			}
		})
	}}
}

func TestStatusBound(t *testing.T) {
	breaks(t, judge.StatusBound(), counts("a surged node counts twice", 3, 3, 3, 4, 0, 3))
	keeps(t, judge.StatusBound(), counts("every node is available", 3, 3, 3, 3, 0, 3))
	ignores(t, judge.StatusBound(), counts("nothing is desired", 0, 0, 0, 0, 0, 0))
}

func TestStatusUnavailable(t *testing.T) {
	breaks(t, judge.StatusUnavailable(),
		counts("one too few", 3, 3, 3, 1, 1, 3),
		counts("one too many", 3, 3, 3, 3, 1, 3),
		counts("left out although not zero", 3, 3, 3, 2, 0, 3),
	)
	keeps(t, judge.StatusUnavailable(),
		counts("left out because zero", 3, 3, 3, 3, 0, 3),
		counts("nothing is available", 3, 2, 1, 0, 3, 0),
	)
	ignores(t, judge.StatusUnavailable(), counts("nothing is desired", 0, 0, 0, 0, 0, 0))
}

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
			b.Stimulus("write status", ds)
			b.After(long)
			ds.Counts(1, 7, 5, 1, 9)
			b.After(long)
			ds.Counts(2, 2, 2, 2, 2)
		}},
	)
	breaks(t, judge.StatusOrder(),
		story{"the harness wrote it, and the implementation left it", func(b *Builder) {
			ds, _ := running(b, 2)
			b.Stimulus("write status", ds)
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
