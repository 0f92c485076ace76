package story

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// Measurements returns what clients measured in the recording, as a report carries it, in order. recording is its path, relative to the report.
func Measurements(h *history.History, recording string) []reports.Measurement {
	var all []reports.Measurement
	for _, entry := range h.Measurements() {
		m := entry.Measurement
		shown := reports.Measurement{
			Spec: h.Scenario, Recording: recording, Node: m.Node, Target: m.Target, During: m.During, Lasted: m.Lasted, Sent: m.Sent, Failed: m.Failed,
			LongestSilence: m.LongestSilence, SilenceAt: m.SilenceAt,
		}
		for _, answers := range m.Answers {
			shown.Answers = append(shown.Answers, reports.Answers(answers))
		}
		for _, failed := range m.FirstFailures {
			shown.FirstFailures = append(shown.FirstFailures, reports.FailedRequest{At: failed.At, Error: paragraph.Printable(failed.Error)})
		}
		all = append(all, shown)
	}
	return all
}
