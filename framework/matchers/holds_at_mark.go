package matchers

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// HoldsAtMark asks that the condition holds where the scenario put the mark, having waited for it, or held less than judge.Lag before, with no stimulus
// since: each kind of object is told by a watch of its own, and the news of one that is behind may come between the wait and the mark. It is broken only if
// nothing moved any more by the mark: otherwise it might still have come about.
func HoldsAtMark(mark history.Mark, condition state.Condition) Matcher {
	problem, moved, reached := "", time.Time{}, time.Time{}
	marked := eventOf(fmt.Sprintf("mark %q", mark), &leaf{follow: func(h *history.History, emit func(Moment)) func(*history.Cluster, history.Change) {
		index, last, came := 0, h.Start, false
		problem, moved, reached = "", time.Time{}, time.Time{}
		holds, held := false, time.Time{}
		return func(cluster *history.Cluster, change history.Change) {
			unmet := condition.Unmet(cluster)
			switch {
			case change.Stimulus != nil:
				holds, held = false, time.Time{}
			case unmet == "":
				holds = true
			case holds:
				holds, held = false, cluster.Time
			}
			if change.Mark == mark && !came {
				came = true
				problem, moved, reached = unmet, last, cluster.Time
				if cluster.Time.Sub(held) < judge.Lag {
					problem = ""
				}
				emit(Moment{Occurrence: Occurrence{Change: change, At: change.Time, index: index}, cluster: cluster})
			}
			if moves(change) {
				last = later(last, cluster.Time)
			}
			index++
		}
	}})
	return question{
		promise: fmt.Sprintf("at mark %q %s", mark, condition.Text), bounds: []Event{marked},
		ask: func(s *Survey, _ string) Answer {
			found := marked.find(s)
			switch {
			case len(found) == 0:
				return untested("no mark %q", mark)
			case problem == "":
				return kept()
			case !reached.Before(s.h.Allowed(moved, atOnce)):
				return wrong(problem, found[0])
			}
			if standstill := s.h.Hindering(moved, reached); standstill != nil {
				return untested("%s, but %s", problem, standstill)
			}
			return untested("%s, but things still changed less than %s before the mark", problem, atOnce)
		},
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
