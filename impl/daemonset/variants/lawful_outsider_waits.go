package variants

import (
	"maps"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	unitedplan "github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// lawfulOutsiderWaits begin later, tell again, or leave things of UnitedDaemonSets for a while.
func lawfulOutsiderWaits() []Variant {
	const open = "no requirement says how fast: a reaction may take five seconds, as elsewhere"
	return []Variant{
		{Name: "looks-around-before-it-acts", Says: "Does nothing but look for the two seconds after the first pass of a process.",
			Lawful:  "A reaction may take five seconds, from when the implementation is at work again (SURGE-007), and a status fifteen.",
			Planner: sinceStart(lookAround)},
		{Name: "reminds-of-a-stall", Says: "Records an event of another reason every five seconds while a rollout that is under way stands still.",
			Lawful:  "COND-002 asks for an event of a stall and forbids no more; events are none of the writes of SURGE-025, which is about the time after a rollout.",
			Planner: remember(remindOfStall)},
		{Name: "a-template-that-comes-back-brings-its-back-off", Says: "Backs off, after a rollback, as it did when the template was last in force.",
			Lawful:  "TARGET-010 has a template begin anew that has not failed on the node before, and says nothing of others.",
			Planner: remember(backOffByTemplate)},
		{Name: "united-reports-two-seconds-late", Says: "Writes the status of a UnitedDaemonSet once it has been due for two seconds.", Lawful: open, United: reportUnitedLate},
		{Name: "united-keeps-empty-subsets-for-a-while", Says: "Deletes the DaemonSet of a subset two seconds after it could.", Lawful: open, United: deleteSubsetsLate},
	}
}

func lookAround(began func(now time.Time) time.Time) Around {
	return doing(func(actions *plan.Actions, _ plan.State, now time.Time) {
		if left := began(now).Add(2 * time.Second).Sub(now); left > 0 {
			*actions = plan.Actions{RequeueAfter: left, RolloutInProgress: actions.RolloutInProgress}
		}
	})
}

func remindOfStall(m *memory[written]) Around {
	const period = 5 * time.Second
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		status, last := &state.DaemonSet.Status, m.of(state)
		if actions.Status != nil {
			status = actions.Status
		}
		at := slices.IndexFunc(status.Conditions, func(c appsv1.DaemonSetCondition) bool {
			return c.Type == plan.ConditionStalled && c.Status == corev1.ConditionTrue
		})
		switch {
		case state.AwaitingOwnWrites:
			return
		case at < 0 || !actions.RolloutInProgress:
			last.at = time.Time{}
			return
		case last.at.IsZero():
			last.at = now
		case now.Sub(last.at) >= period:
			last.at = now
			actions.Events = append(slices.Clone(actions.Events), plan.Event{
				Type: corev1.EventTypeWarning, Reason: "RolloutStillStalled", Message: status.Conditions[at].Message,
			})
		}
		comeBack(actions, last.at.Add(period).Sub(now))
	})
}

// late says how much longer something has to wait that is wanted now.
type late struct {
	mu    sync.Mutex
	since map[types.UID]time.Time
}

func (l *late) left(uid types.UID, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since == nil {
		l.since = map[types.UID]time.Time{}
	}
	if _, known := l.since[uid]; !known {
		l.since[uid] = now
	}
	return l.since[uid].Add(2 * time.Second).Sub(now)
}

func (l *late) forget(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.since, uid)
}

// planAgain has the planner of UnitedDaemonSets asked again after wait at the latest.
func planAgain(actions *unitedplan.Actions, wait time.Duration) {
	if actions.Again == 0 || wait < actions.Again {
		actions.Again = wait
	}
}

func reportUnitedLate(next unitedplan.Planner) unitedplan.Planner {
	due := &late{}
	return func(state unitedplan.State, now time.Time) unitedplan.Actions {
		actions, uid := next(state, now), state.United.UID
		if actions.Status == nil {
			due.forget(uid)
			return actions
		}
		if left := due.left(uid, now); left > 0 {
			actions.Status = nil
			planAgain(&actions, left)
			return actions
		}
		due.forget(uid)
		return actions
	}
}

func deleteSubsetsLate(next unitedplan.Planner) unitedplan.Planner {
	due := &late{}
	return func(state unitedplan.State, now time.Time) unitedplan.Actions {
		actions := next(state, now)
		for _, ds := range state.DaemonSets {
			if !slices.Contains(actions.Delete, ds) {
				due.forget(ds.UID)
			}
		}
		actions.Delete = slices.DeleteFunc(slices.Clone(actions.Delete), func(ds *appsv1.DaemonSet) bool {
			left := due.left(ds.UID, now)
			if left > 0 {
				planAgain(&actions, left)
			}
			return left > 0
		})
		return actions
	}
}

// failures are the back-offs by template and node. Those of the template in force were restored when it came back.
type failures struct {
	template   string
	generation int64
	restored   map[string]plan.Backoff
	all        map[string]map[string]plan.Backoff
}

func backOffByTemplate(m *memory[failures]) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			f, template, generation := m.of(state), templateHashOf(state), state.DaemonSet.Generation
			if f.all == nil {
				f.all = map[string]map[string]plan.Backoff{}
			}
			switch {
			case f.template != template:
				f.restored = f.all[template]
			case f.generation != generation:
				f.restored = nil
			}
			f.template, f.generation = template, generation
			backoff := map[string]plan.Backoff{}
			maps.Copy(backoff, f.restored)
			maps.Copy(backoff, state.Backoff)
			state.Backoff = backoff
			actions := next(state, now)
			f.all[template] = maps.Clone(backoff)
			maps.Copy(f.all[template], actions.Backoff)
			return actions
		}
	}
}
