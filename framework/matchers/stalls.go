package matchers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// StallBetween is the part of a history in which the rollout of a DaemonSet cannot go on: from the mark where the rollout begins to the one where the
// cause goes away. Of is the name of the DaemonSet; empty if there is no other. Known is how long the cause has to be known before it has to be reported. Words are what names a cause that no pod shows, as where pods cannot
// be created; it is known from the beginning. Earlier is another stall before this one, if there was one: the reasons of Events that told of it may come again.
type StallBetween struct {
	Of       string
	From, To history.Mark
	Known    time.Duration
	Words    []string
	Earlier  *StallBetween
}

// Condition asks that in the stall the DaemonSet has a condition with another status than before, or that was not there before, whose reason or message
// names the cause: a pod that does not become available, its node, or what is said of it there; or one of the words.
func (s StallBetween) Condition() Matcher {
	return s.question(fmt.Sprintf("a condition names the cause between %q and %q", s.From, s.To), func(survey *Survey, seen stallSeen) Answer {
		if len(seen.conditions) > 0 {
			return s.inTime(survey, seen, "the first condition that names the cause", seen.writes[0].answered())
		}
		return s.missing(survey, seen, "no new condition that names the cause, but "+conditionsText(seen.last))
	})
}

// Event asks that an Event about the DaemonSet tells of the stall: one that comes in it, with a reason that was not seen before and is none of Kubernetes'
// for Events about single pods. Where Event objects may be missing from the recording it is not tested.
func (s StallBetween) Event() Matcher {
	return s.question(fmt.Sprintf("an Event tells of the stall between %q and %q", s.From, s.To), func(survey *Survey, seen stallSeen) Answer {
		if survey.eventsMissing() {
			return untested("Event objects may be missing from the recording")
		}
		intervals := []history.EventInterval{{}, {Stalled: true}, {}, {Stalled: true}}
		heard := map[*corev1.Event]time.Time{}
		for _, entry := range survey.h.Evidence {
			event, ok := entry.Object.(*corev1.Event)
			if !ok || event.InvolvedObject.UID != seen.daemonSet {
				continue
			}
			if at := seen.interval(entry.Time); at < len(intervals) {
				intervals[at].Events = append(intervals[at].Events, event)
				heard[event] = entry.Time
			}
		}
		if telling := history.StallEvents(intervals...); len(telling) > 0 {
			return s.inTime(survey, seen, "the first Event that tells of it", heard[telling[0]])
		}
		return s.missing(survey, seen, "no Event but about single pods")
	})
}

// TakenBack asks that in the end a condition of the stall is gone or has another status. Without one it is not tested.
func (s StallBetween) TakenBack() Matcher {
	return s.question(fmt.Sprintf("the condition of the stall between %q and %q is taken back", s.From, s.To), func(survey *Survey, seen stallSeen) Answer {
		if len(seen.conditions) == 0 {
			return untested("no condition names the cause of the stall")
		}
		left, whole := history.LeftConditions(seen.conditions, seen.end)
		if !whole {
			return kept()
		}
		return survey.overdueIn(takenBackIn, "still "+conditionsText(left), seen.writes...)
	})
}

// takenBackIn is how long it may take once nothing moves any more: COND-003 allows 15 s, from when the implementation is held to know.
const takenBackIn = atOnce + 2*judge.Prompt

// stallSeen is what a history shows of a stall.
type stallSeen struct {
	from, to Occurrence
	// before are the marks of the stall before, if there was one.
	before []Occurrence
	// cause is from where the cause is known, hindered is where each pod with it is first seen to have it.
	cause     Occurrence
	hindered  []Occurrence
	daemonSet types.UID
	// conditions name the cause, the latest of each type with each status; last are all at the end of the stall, end those at the end of the history.
	conditions, last, end []appsv1.DaemonSetCondition
	// writes are those of the DaemonSet with a condition of the stall.
	writes []Occurrence
}

// question asks of what the history shows of the stall; it is not tested if there was none.
func (s StallBetween) question(promise string, ask func(*Survey, stallSeen) Answer) Matcher {
	from, to, written, hindered := Marked(s.From), Marked(s.To), daemonSetStored(s.Of), podHindered(s.Of)
	bounds := []Event{from, to, written, hindered}
	var earlier []Event
	if s.Earlier != nil {
		earlier = []Event{Marked(s.Earlier.From), Marked(s.Earlier.To)}
	}
	return question{promise: promise, bounds: append(bounds, earlier...), ask: func(survey *Survey, _ string) Answer {
		begun, over := from.find(survey), to.find(survey)
		if len(begun) == 0 || len(over) == 0 {
			return untested("no %s and %s", from, to)
		}
		seen := stallSeen{from: begun[0], to: over[0]}
		for _, mark := range earlier {
			seen.before = append(seen.before, mark.find(survey)...)
		}
		causes, words := keep(hindered.find(survey), seen.within), slices.Clone(s.Words)
		switch {
		case len(s.Words) > 0:
			seen.cause = seen.from
		case len(causes) > 0:
			seen.cause = causes[0]
		default:
			return untested("no pod shows what keeps it from becoming available between %s and %s", from, to)
		}
		for _, cause := range causes {
			if !slices.ContainsFunc(seen.hindered, func(o Occurrence) bool { return o.Object.GetUID() == cause.Object.GetUID() }) {
				seen.hindered = append(seen.hindered, cause)
			}
			words = append(words, history.Hindrances(cause.Pod())...)
		}
		seen.look(written.find(survey), words)
		return ask(survey, seen)
	}}
}

// interval is 0 before the earlier stall, 1 in it, 2 between it and the stall, 3 in that, and 4 behind it. Where there was no earlier one all before is 0.
func (s *stallSeen) interval(at time.Time) int {
	bounds := []Occurrence{s.from, s.from}
	if len(s.before) == 2 {
		bounds = s.before
	}
	switch {
	case at.After(s.to.At):
		return 4
	case !at.Before(s.from.At):
		return 3
	case at.Before(bounds[0].At):
		return 0
	case at.After(bounds[1].At):
		return 2
	default:
		return 1
	}
}

func (s *stallSeen) within(o Occurrence) bool { return o.compare(s.from) > 0 && o.compare(s.to) < 0 }

// look takes the conditions that have one of the words from the writes of the DaemonSet.
func (s *stallSeen) look(writes []Occurrence, words []string) {
	var before []appsv1.DaemonSetCondition
	for _, o := range writes {
		now := o.Object.(*appsv1.DaemonSet).Status.Conditions
		s.daemonSet, s.end = o.Object.GetUID(), now
		switch {
		case o.compare(s.from) < 0:
			before = now
		case s.within(o):
			s.last = now
			found := history.StallConditions(before, now, words)
			if len(found) > 0 {
				s.writes = append(s.writes, o)
			}
			s.conditions = history.AddConditions(s.conditions, found)
		}
	}
}

// inTime is the answer to a report that came at an instant: broken if the last pod that is hindered by then was known to be for longer than allowed, since until
// then the rollout may have gone on. When what no pod shows came about is not known.
func (s StallBetween) inTime(survey *Survey, seen stallSeen, what string, at time.Time) Answer {
	known := keep(seen.hindered, func(o Occurrence) bool { return o.At.Before(at) })
	if len(s.Words) > 0 || len(known) == 0 {
		return kept()
	}
	cause := known[len(known)-1]
	got := fmt.Sprintf("%s %.3f s after the cause was known", what, at.Sub(cause.At).Seconds())
	late, standstill := survey.late(cause.At, at, s.Known+judge.Lag)
	switch {
	case late:
		return wrong(got, seen.to, cause)
	case standstill != nil:
		return untested("%s: %s", got, standstill)
	}
	return kept()
}

// missing is the answer when nothing reports the stall: broken if its cause was known for long enough.
func (s StallBetween) missing(survey *Survey, seen stallSeen, got string) Answer {
	if lasted := seen.to.At.Sub(seen.cause.At); lasted < s.Known {
		return untested("%s, %s after its cause was known, which is less than %s", got, lasted.Round(time.Millisecond), s.Known)
	}
	if late, standstill := survey.late(seen.cause.At, seen.to.At, s.Known); !late && standstill != nil {
		return untested("%s: %s", got, standstill)
	}
	return wrong(got, seen.to, seen.cause)
}

// daemonSetStored happens when a DaemonSet of that name, if there is one, comes into being or is changed.
func daemonSetStored(name string) Event {
	return on("DaemonSet stored", func(_ *history.Cluster, change history.Change) bool {
		stored := change.Kind == history.KindDaemonSet && change.Type != watch.Deleted && change.Object != nil
		return stored && (name == "" || change.Object.GetName() == name)
	})
}

// podHindered happens when it is seen of an updated pod of that DaemonSet, if there is a name, what keeps it from becoming available.
func podHindered(of string) Event {
	return on("updated pod hindered", func(cluster *history.Cluster, change history.Change) bool {
		pod, ok := change.Object.(*corev1.Pod)
		if !ok || change.Type == watch.Deleted || !cluster.IsUpdated(pod) || history.Hindrances(pod) == nil {
			return false
		}
		owner := cluster.OwnerOf(pod)
		return owner != nil && (of == "" || owner.Name == of)
	})
}

func conditionsText(conditions []appsv1.DaemonSetCondition) string {
	if len(conditions) == 0 {
		return "no condition"
	}
	texts := make([]string, len(conditions))
	for i, c := range conditions {
		texts[i] = fmt.Sprintf("%s %s (%s: %s)", c.Type, c.Status, c.Reason, c.Message)
	}
	return strings.Join(texts, ", ")
}
