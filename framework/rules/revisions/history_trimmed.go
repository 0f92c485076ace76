package revisions

import (
	"fmt"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryTrimmed is HISTORY-016, once a rollout is through: until then the histories may be wanted.
func HistoryTrimmed() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-016",
		Kind:        judge.Obligation,
		Promise:     "old ControllerRevisions beyond revisionHistoryLimit are deleted promptly after a rollout",
		Needs:       trims(),
		Situations:  []judge.Situation{situation.RolledBack(), situation.Restarted()},
		New:         surplus(false),
	}
}

// HistoryLowered is HISTORY-021: HistoryTrimmed where revisionHistoryLimit was lowered since the template last changed.
func HistoryLowered() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-021",
		Kind:        judge.Obligation,
		Promise:     "old ControllerRevisions beyond a revisionHistoryLimit that was lowered are deleted promptly",
		Needs:       trims(),
		Situations:  []judge.Situation{situation.NoRollout()},
		New:         surplus(true),
	}
}

// surplus is that there are more old histories than the limit allows, which was lowered after the template last changed, or was not.
func surplus(lowered bool) func(history.Header) judge.Observer {
	return func(header history.Header) judge.Observer {
		kept := map[*judge.Workload]*limits{}
		return judge.DueOnDaemonSets(func(s *judge.Scene, w *judge.Workload, _ *judge.Node) (judge.Due, bool) {
			limit := w.Object.Spec.RevisionHistoryLimit
			if limit == nil {
				return judge.Due{}, false
			}
			if kept[w] == nil {
				kept[w] = &limits{}
			}
			kept[w].see(w.Course().Since, *limit)
			count, idle := idleHistories(s, w, header.RevisionLabel)
			if kept[w].lowered != lowered || !idle || count <= int(*limit) || !through(w) {
				return judge.Due{}, false
			}
			return judge.Due{
				About: fmt.Sprintf("%d of %d", count, *limit), Done: wroteHistory,
				Undone: fmt.Sprintf("%d old ControllerRevisions there, revisionHistoryLimit being %d,", count, *limit),
			}, true
		})(header)
	}
}

// limits is what revisionHistoryLimit has been since the template last changed.
type limits struct {
	since   time.Time
	last    int32
	lowered bool
}

func (l *limits) see(since time.Time, limit int32) {
	if !l.since.Equal(since) {
		*l = limits{since: since, last: limit}
	}
	l.lowered, l.last = l.lowered || limit < l.last, limit
}

// idleHistories counts the old histories; idle: no pod carries the label of any.
func idleHistories(s *judge.Scene, w *judge.Workload, label string) (count int, idle bool) {
	labels := map[string]bool{}
	for _, revision := range histories(s, of(w)) {
		if !holds(s, revision, w.Object) {
			count++
			labels[revision.Labels[label]] = true
		}
	}
	for _, pod := range s.Cluster.Pods {
		if pod.Namespace == w.Object.Namespace && labels[pod.Labels[label]] {
			return count, false
		}
	}
	return count, true
}

// through reports whether each eligible node has an updated pod, and none an old one.
func through(w *judge.Workload) bool {
	for _, trait := range []judge.Trait{judge.Empty, judge.HasOld, judge.OldLeaving, judge.UpdatedLeaving, judge.Ended} {
		if w.Having(trait) > 0 {
			return false
		}
	}
	return true
}
