package matchers

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// Measured happens when a client's result is recorded: of what the scenario did at the time, see history.Measurement.During.
func Measured(during string) Event {
	return on("requests measured during "+during, func(_ *history.Cluster, change history.Change) bool {
		return change.Measurement != nil && change.Measurement.During == during
	})
}

// NoRequestFailed asks of every node that a client there made requests during what the scenario calls by that name, and that none failed. A node
// without a measurement, or without a request, has not shown it; how many requests say something is for the scenario to know.
func NoRequestFailed(during string) Matcher {
	measured := Measured(during)
	return OnEveryNode(question{
		promise:  "no request of a client fails during " + during,
		subjects: []Event{measured},
		ask: func(s *Survey, node string) Answer {
			found := s.occurrences(measured, node)
			if len(found) == 0 {
				return untested("no %s", measured)
			}
			for _, o := range found {
				switch {
				case o.Measurement.Failed > 0:
					return broken(lost(s.h, o))
				case o.Measurement.Sent == 0:
					return untested("the client on node %s sent no request", node)
				}
			}
			return kept()
		},
	})
}

// RequestsSent asks of every node that a client there made at least that many requests during what the scenario calls by that name: fewer say nothing.
func RequestsSent(during string, fewest int) Matcher {
	return measuredOnEveryNode(during, fmt.Sprintf("a client makes %d requests during %s", fewest, during), func(m *history.Measurement) bool {
		return m.Sent >= fewest
	})
}

// RequestsLost asks of every node that a client there lost a request during what the scenario calls by that name: one that loses none to a gap
// would not see another.
func RequestsLost(during string) Matcher {
	return measuredOnEveryNode(during, "a client loses a request during "+during, func(m *history.Measurement) bool { return m.Failed > 0 })
}

func measuredOnEveryNode(during, promise string, is func(*history.Measurement) bool) Matcher {
	measured := Measured(during)
	return OnEveryNode(question{promise: promise, subjects: []Event{measured}, ask: func(s *Survey, node string) Answer {
		missing := fmt.Sprintf("no %s", measured)
		for _, o := range s.occurrences(measured, node) {
			if is(o.Measurement) {
				return kept()
			}
			missing = counts(o.Measurement)
		}
		return untested("%s", missing)
	}})
}

// Requests sums up for a report what clients measured: a line for each, or nothing.
func Requests(h *history.History) string {
	var lines []string
	for _, entry := range h.Measurements() {
		m := entry.Measurement
		during := ""
		if m.During != "" {
			during = " during " + m.During
		}
		lines = append(lines, fmt.Sprintf("requests%s: node %s: %s", during, m.Node, counts(m)))
	}
	return strings.Join(lines, "\n")
}

// counts are the numbers in words.
func counts(m *history.Measurement) string {
	return fmt.Sprintf("sent %d, failed %d, longest silence %d ms", m.Sent, m.Failed, m.LongestSilence.Milliseconds())
}

// lost is a violation where the longest silence began, with what happened to the node's pods about that time.
func lost(h *history.History, o Occurrence) *judge.Violation {
	m := o.Measurement
	from := o.Instant(m.SilenceAt)
	violation := &judge.Violation{
		Node: m.Node, Time: from, ResourceVersion: o.ResourceVersion,
		Got: fmt.Sprintf("%s from %s, of %s%s", counts(m), from.UTC().Format("15:04:05.000"), m.Target, firstFailure(o.Entry)),
	}
	for _, entry := range h.Entries {
		if entry.Object != nil && !entry.Time.After(from) {
			violation.ResourceVersion = entry.ResourceVersion
		}
		pod, isPod := entry.Object.(*corev1.Pod)
		if isPod && history.NodeOf(pod) == m.Node && entry.Time.After(from.Add(-aroundSilence)) && entry.Time.Before(from.Add(m.LongestSilence+aroundSilence)) {
			violation.Window = append(violation.Window, entry)
		}
	}
	violation.Window = append(violation.Window[:min(len(violation.Window), maxWindow-1)], o.Entry)
	return violation
}

// aroundSilence is how much of a node's history before and after a silence is shown.
const aroundSilence = 2 * time.Second

func firstFailure(entry history.Entry) string {
	if len(entry.Measurement.FirstFailures) == 0 {
		return ""
	}
	first := entry.Measurement.FirstFailures[0]
	return fmt.Sprintf("; the first failed at %s: %s", entry.Instant(first.At).UTC().Format("15:04:05.000"), first.Error)
}
