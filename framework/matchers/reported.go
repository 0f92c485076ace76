package matchers

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Reported asks that there is an Event object of which the predicate is true. Where Event objects may be missing from the recording it is not tested.
func Reported(text string, is func(*corev1.Event) bool) Matcher {
	return question{promise: "reports by an Event " + text, ask: func(s *Survey, _ string) Answer {
		switch {
		case s.eventsMissing():
			return untested("Event objects may be missing from the recording")
		case s.reported(is):
			return kept()
		}
		return s.overdue("no such Event")
	}}
}

// ReportedAfter is Reported by one that is heard of after the marker's first occurrence. Without the marker it is not tested.
func ReportedAfter(text string, marker Event, is func(*corev1.Event) bool) Matcher {
	return question{promise: fmt.Sprintf("reports after %s by an Event %s", marker, text), bounds: []Event{marker}, ask: func(s *Survey, _ string) Answer {
		begun := marker.find(s)
		switch {
		case len(begun) == 0:
			return untested("no %s", marker)
		case s.eventsMissing():
			return untested("Event objects may be missing from the recording")
		}
		for _, entry := range s.h.Evidence {
			if event, ok := entry.Object.(*corev1.Event); ok && entry.Received >= begun[0].Received && is(event) {
				return kept()
			}
		}
		return s.overdue("no such Event")
	}}
}

// ReportedAtMost asks that Events of which the predicate is true are written that often at most after the marker's first occurrence, by when they were heard of.
// Without the marker, and where Event objects may be missing from the recording, it is not tested.
func ReportedAtMost(n int, text string, marker Event, is func(*corev1.Event) bool) Matcher {
	return question{promise: fmt.Sprintf("at most %d Events %s after %s", n, text, marker), bounds: []Event{marker}, ask: func(s *Survey, _ string) Answer {
		begun := marker.find(s)
		if len(begun) == 0 {
			return untested("no %s", marker)
		}
		if s.eventsMissing() {
			return untested("Event objects may be missing from the recording")
		}
		count := 0
		for _, entry := range s.h.Evidence {
			event, ok := entry.Object.(*corev1.Event)
			if !ok || entry.Received < begun[0].Received || !is(event) {
				continue
			}
			if count++; count > n {
				return broken(&judge.Violation{
					Got: fmt.Sprintf("more than %d such Events, the last %q", n, event.Message), Time: entry.Time, Window: []history.Entry{begun[0].Entry},
					ResourceVersion: begun[0].ResourceVersion,
				})
			}
		}
		return kept()
	}}
}

// EachReported asks that each time that the event of pods happens an Event with the reason on the pod's DaemonSet tells of it: one that names the pod. Where it
// never happens, and where Event objects may be missing from the recording, it is not tested.
func EachReported(e Event, reason string) Matcher {
	return eachReported(fmt.Sprintf("a %s Event for each %s", reason, e), e, reason, "")
}

// EachWarnedOf is EachReported by warnings.
func EachWarnedOf(e Event, reason string) Matcher {
	return eachReported(fmt.Sprintf("a warning %s for each %s", reason, e), e, reason, corev1.EventTypeWarning)
}

// eachReported takes Events of the type, of any if it is empty.
func eachReported(promise string, e Event, reason, eventType string) Matcher {
	owned := e.Where("of a DaemonSet", func(m Moment) bool { return metav1.GetControllerOf(m.Pod()) != nil })
	return question{promise: promise, subjects: []Event{owned}, ask: func(s *Survey, _ string) Answer {
		found := owned.find(s)
		if len(found) == 0 {
			return untested("no %s", e)
		}
		if s.eventsMissing() {
			return untested("Event objects may be missing from the recording")
		}
		for _, o := range found {
			pod := o.Pod()
			if !s.reported(func(event *corev1.Event) bool {
				return event.Reason == reason && (eventType == "" || event.Type == eventType) && event.InvolvedObject.UID == metav1.GetControllerOf(pod).UID && mentions(event, pod.Name)
			}) {
				return s.overdue(fmt.Sprintf("no %s Event about pod %s", reason, pod.Name), o)
			}
		}
		return kept()
	}}
}

// mentions reports whether the Event names the pod, as what it is related to or in its text.
func mentions(event *corev1.Event, pod string) bool {
	return event.Related != nil && event.Related.Name == pod || strings.Contains(event.Message, pod)
}

// eventsMissing reports whether Event objects may be missing from the recording.
func (s *Survey) eventsMissing() bool {
	return slices.ContainsFunc(s.h.Gaps, func(gap history.Gap) bool { return gap.Kind == history.KindEvent })
}

// reported reports whether there is such an Event.
func (s *Survey) reported(is func(*corev1.Event) bool) bool {
	return slices.ContainsFunc(s.h.Evidence, func(entry history.Entry) bool {
		event, ok := entry.Object.(*corev1.Event)
		return ok && is(event)
	})
}
