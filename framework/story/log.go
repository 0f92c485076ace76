package story

import (
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// How far from a violation a line of the log may be printed to be shown with it.
const (
	logBefore = 3 * time.Second
	logAfter  = time.Second
)

// logOf returns the lines that the implementation printed around the moment, as far as the recording has them.
func logOf(h *history.History, moment time.Time) []reports.LogLine {
	if h.Health == nil || moment.IsZero() {
		return nil
	}
	var lines []reports.LogLine
	for _, line := range h.Health.Beside {
		offset := sinceMoment(h.Start.Add(line.At), moment)
		if offset > -logBefore && offset < logAfter {
			lines = append(lines, reports.LogLine{Offset: offset, Text: paragraph.Printable(line.Text)})
		}
	}
	return lines
}
