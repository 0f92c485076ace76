package story

import (
	"fmt"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// width of a story in columns. Only what is to be copied, a path and a command, may be longer.
const width = 100

// labelColumns is the room for the words at the head of a story's first lines.
const labelColumns = 12

// Options says what a story holds beyond the violation itself, and how it is drawn.
type Options struct {
	// Statement of the requirement, from the catalogue; left out if empty.
	Statement string
	// Recording is the path of the history's recording; without it a story names no file and no command.
	Recording string
	// Spec that made the recording. Default: the scenario in the recording's header.
	Spec string
	// Unicode draws with block characters; otherwise with ASCII alone.
	Unicode bool
}

// Of returns the violation's story, to be printed as it is: what broke, where and when; the pods' lives around it; the window of
// events; how to judge the recording again.
func Of(h *history.History, v judge.Violation, options Options) string {
	var out strings.Builder
	out.WriteString(headline(h, v, options))
	out.WriteString(drawing(lookAround(h, v), v, options.Unicode))
	out.WriteString(eventTable(windowOf(h, v)))
	for _, gap := range h.Gaps {
		note := fmt.Sprintf("events of kind %s after resourceVersion %d may be missing: %s", gap.Kind, gap.After, gap.Reason)
		out.WriteString(paragraph.Hang("  note", note, labelColumns, width))
	}
	if options.Recording != "" {
		fmt.Fprintf(&out, "  recording: %s\n  judge its standing invariants again: rollcall judge %s\n", options.Recording, quoted(options.Recording))
	}
	return fit(out.String(), options.Unicode)
}

// Report returns the violation as a report shows it, with its window and its story.
func Report(h *history.History, v judge.Violation, options Options) reports.Violation {
	return reports.Violation{
		Requirement:     v.Requirement,
		Promise:         v.Promise,
		Spec:            options.spec(h),
		Node:            v.Node,
		ResourceVersion: v.ResourceVersion,
		Time:            v.Time,
		Got:             v.Got,
		Before:          v.Before,
		After:           v.After,
		Window:          Window(h, v),
		Recording:       options.Recording,
		Story:           Of(h, v, options),
	}
}

func (o Options) spec(h *history.History) string {
	if o.Spec != "" {
		return o.Spec
	}
	return h.Scenario
}

func headline(h *history.History, v judge.Violation, options Options) string {
	var out strings.Builder
	where := ""
	if v.Node != "" {
		where = " on node " + v.Node
	}
	when := momentOf(h, v)
	since := ""
	if !h.Start.IsZero() && !when.IsZero() {
		since = fmt.Sprintf(", %.3f s into the recording", when.Sub(h.Start).Seconds())
	}
	out.WriteString(paragraph.Hang("", fmt.Sprintf("%s broken%s%s", v.Requirement, where, since), 0, width))
	line := func(label, text string) {
		if strings.TrimSpace(text) != "" {
			out.WriteString(paragraph.Hang("  "+label, text, labelColumns, width))
		}
	}
	line("required", options.Statement)
	if v.Promise != options.Statement {
		line("promise", v.Promise)
	}
	line("got", v.Got)
	line("before", v.Before)
	line("after", v.After)
	at := fmt.Sprintf("resourceVersion %d", v.ResourceVersion)
	if !when.IsZero() {
		at = when.UTC().Format("2006-01-02 15:04:05.000 MST") + ", " + at
	}
	line("when", at)
	line("in", options.spec(h))
	return out.String()
}

// momentOf is when the violation happened: its own time or, if the judge gave none, that of its event.
func momentOf(h *history.History, v judge.Violation) time.Time {
	if !v.Time.IsZero() {
		return v.Time
	}
	if at, _ := eventOf(h, v); at >= 0 {
		return h.Entries[at].Time
	}
	return time.Time{}
}

// fit removes what a terminal would obey, as a recording may come from anybody, and for ASCII what it may not be able to show.
func fit(text string, unicode bool) string {
	text = paragraph.Printable(text)
	if unicode {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r > 126 {
			return '?'
		}
		return r
	}, text)
}

// quoted is the path as a shell takes it.
func quoted(path string) string {
	if !strings.ContainsAny(path, " \t'\"\\$&|;<>()*?[]#~`!{}") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
