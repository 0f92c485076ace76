package matchers

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Began happens when the harness begins the act. All that the act causes comes later, so it bounds what is to follow, and what has to be before.
func Began(act history.Act) Event {
	return on(fmt.Sprintf("stimulus %q", act), func(_ *history.Cluster, change history.Change) bool {
		return change.Stimulus != nil && change.Stimulus.Act == act
	})
}

// Done happens when the harness has carried out the act, and not where the act failed or was refused. From then on the act is in force: what it rules out
// is over. What follows by the act may have happened already.
func Done(act history.Act) Event {
	return eventOf(fmt.Sprintf("stimulus %q done", act), &leaf{follow: func(_ *history.History, emit func(Moment)) func(*history.Cluster, history.Change) {
		index, underway := 0, map[int]*history.Stimulus{}
		return func(cluster *history.Cluster, change history.Change) {
			if change.Stimulus != nil && change.Stimulus.Act == act {
				underway[change.Stimulus.Number] = change.Stimulus
			}
			if outcome := change.Outcome; outcome != nil && underway[outcome.Stimulus] != nil && outcome.Error == "" {
				emit(Moment{Occurrence: Occurrence{Change: change, At: change.Time, index: index, act: underway[outcome.Stimulus]}, cluster: cluster})
			}
			index++
		}
	}})
}
