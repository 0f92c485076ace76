package reports

import (
	"fmt"
	"path/filepath"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// storyWidth is the width of a story in columns. Only what is to be copied, a path and a command, may be longer.
const storyWidth = 100

// labelColumns is the room for the words at the head of a story's first lines.
const labelColumns = 12

// otherPromisesShown bounds the other promises that a story names.
const otherPromisesShown = 4

// StoryOptions says how Story writes.
type StoryOptions struct {
	// Unicode draws with block characters; otherwise with ASCII alone.
	Unicode bool
	// Folder of the report, as the reader names it. Default: that which the reader is in.
	Folder string
}

// Story is the violation of a requirement as a person reads it: what broke, where and when; the pods' lives around it; the window of events; how
// to judge the recording again. It takes nothing but what the report holds, so that a report read back gives the same text.
func Story(requirement Requirement, violation Violation, options StoryOptions) string {
	s := story{Violation: violation}
	s.headline(requirement)
	if violation.SameEventAs == "" {
		if drawn := picture.Draw(violation.Picture, picture.Options{
			Width: storyWidth, Unicode: options.Unicode, Caption: string(violation.Requirement) + " broken",
		}); drawn != "" {
			s.text.WriteString("\n" + drawn)
		}
		for _, budget := range violation.Budgets {
			s.text.WriteString("\n" + picture.DrawBudget(budget, options.Unicode))
		}
		s.evidence()
	}
	for _, note := range violation.Notes {
		s.line("note", note)
	}
	if violation.Recording != "" && violation.SameEventAs == "" {
		fmt.Fprintf(&s.text, "  recording: %s\n  judge it again: %s\n", filepath.Join(options.Folder, violation.Recording), violation.JudgeAgain(options.Folder))
	}
	return fit(s.text.String(), options.Unicode)
}

type story struct {
	Violation
	text strings.Builder
}

// line writes a label and a text, or nothing if there is no text.
func (s *story) line(label, text string) {
	if strings.TrimSpace(text) != "" {
		s.text.WriteString(paragraph.Hang("  "+label, text, labelColumns, storyWidth))
	}
}

func (s *story) headline(requirement Requirement) {
	where, since := "", ""
	if s.Node != "" {
		where = " on node " + s.Node
	}
	if s.Into > 0 {
		since = fmt.Sprintf(", %.3f s into the recording", s.Into.Seconds())
	}
	s.text.WriteString(paragraph.Hang("", fmt.Sprintf("%s broken%s%s", s.Requirement, where, since), 0, storyWidth))
	s.line("required", requirement.Statement)
	if s.SameEventAs != "" {
		s.line("got", s.Got)
		s.line("see", fmt.Sprintf("%s: the same %s breaks both", s.SameEventAs, s.cause()))
		s.line("also", strings.TrimPrefix(s.others(), "and "))
		return
	}
	if s.Promise != requirement.Statement {
		s.line("checked", s.Promise)
	}
	s.line("got", s.Got)
	s.line("by", requirement.BrokenBy())
	s.line("limits", s.Limits)
	s.line("before", s.Before)
	s.line("after", s.After)
	var when []string
	if !s.Time.IsZero() {
		when = append(when, s.Time.UTC().Format("2006-01-02 15:04:05.000 MST"))
	}
	if s.ResourceVersion > 0 {
		when = append(when, fmt.Sprintf("resourceVersion %d", s.ResourceVersion))
	}
	s.line("when", strings.Join(when, ", "))
	s.line("in", s.Spec)
	s.also()
}

// also says what else the same cause did.
func (s *story) also() {
	if others := strings.TrimPrefix(s.others(), "and "); others != "" {
		const most = 5
		nodes := s.otherNodes()
		if hidden := len(nodes) - most; hidden > 0 {
			nodes = append(nodes[:most:most], fmt.Sprintf("%d more", hidden))
		}
		if len(nodes) > 0 {
			others += ": " + strings.Join(nodes, ", ")
		}
		s.line("also", others)
	}
	promises := s.otherPromises()
	for i, other := range promises {
		if i == otherPromisesShown {
			s.line("also", counted(len(promises)-i, "more check")+" failed; the report has them")
			break
		}
		where := ""
		if other.Node != "" && other.Node != s.Node {
			where = " on " + other.Node
		}
		s.line("also", fmt.Sprintf("checked: %s; got %s%s", other.Promise, other.Got, where))
	}
	s.line("also", s.alsoBreaks())
}

// evidence is the window of events or, where no event broke the promise, the state that did.
func (s *story) evidence() {
	if len(s.State) > 0 {
		s.text.WriteString("\n  The state at that time:\n")
		for _, line := range s.State {
			s.text.WriteString(paragraph.Hang("    ", line, 6, storyWidth))
		}
	}
	if len(s.Window) > 0 {
		s.text.WriteString("\n" + eventTable(s.Window, tableRows))
	}
	if len(s.Log) > 0 {
		s.text.WriteString("\n  The implementation's log around it, by its own times:\n")
		for _, line := range s.Log {
			label := fmt.Sprintf("    %+9.3f  ", line.Offset.Seconds())
			s.text.WriteString(paragraph.Hang(label, line.Text, len(label), storyWidth))
		}
	}
	if s.Picture != nil || len(s.State) > 0 || len(s.Window) > 0 {
		s.text.WriteByte('\n')
	}
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

// JudgeAgain is the command, for a shell, that judges the violation's recording again. folder is that of the report, as the reader names it; empty if the
// reader is in it.
func (v Violation) JudgeAgain(folder string) string {
	return "rollcall judge " + shellescape.Quote(filepath.Join(folder, v.Recording))
}
