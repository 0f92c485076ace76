package reports

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// Recording is a recording, or a part of one, as a person looks at it. It is made from the recording alone and judges nothing.
type Recording struct {
	// Name is the path that the reader gave.
	Name string
	// Scenario that was recorded: the text of its spec.
	Scenario string
	Started  time.Time
	// Part says what is left out, for example "node-1, 2s to 10s"; empty for the whole.
	Part string
	// Picture of the pods' lives. Its steps, the budgets' instants and the events' offsets count from the recording's beginning.
	Picture      *picture.Picture
	Budgets      []picture.Budget
	Events       []WindowEvent
	Measurements []Measurement
	// Notes say what a reader must know of the recording, such as gaps in it.
	Notes []string
}

// pageSteps is how many changes stand side by side on a terminal.
const pageSteps = 22

// Text is what a terminal shows of it: the picture, cut where the line ends, and every event. Unicode draws with block characters; otherwise with ASCII alone.
func (r *Recording) Text(unicode bool) string {
	var text strings.Builder
	text.WriteString(paragraph.Hang("", fmt.Sprintf("%s: %s", r.Name, r.Scenario), 0, storyWidth))
	facts := fmt.Sprintf("began %s, %s", r.Started.UTC().Format("2006-01-02 15:04:05.000 MST"), counted(len(r.Events), "event"))
	if r.Part != "" {
		facts += "; " + r.Part
	}
	text.WriteString(paragraph.Hang("", facts, 0, storyWidth))
	for _, note := range r.Notes {
		text.WriteString(paragraph.Hang("note", note, 5, storyWidth))
	}
	pages := r.Picture.Pages(pageSteps)
	for i, page := range pages {
		options := picture.Options{Width: storyWidth, Unicode: unicode, Continued: i+1 < len(pages)}
		text.WriteString("\n" + picture.Draw(page, options))
	}
	for _, budget := range r.Budgets {
		text.WriteString("\n" + picture.DrawBudget(budget, unicode))
	}
	if len(r.Events) > 0 {
		text.WriteString("\n" + eventTable(r.Events, len(r.Events)))
	}
	return fit(text.String(), unicode)
}

// WriteTrace writes it in the Trace Event Format, which ui.perfetto.dev opens.
func (r *Recording) WriteTrace(out io.Writer) error {
	events := make([]picture.Event, 0, len(r.Events))
	for _, event := range r.Events {
		events = append(events, picture.Event{At: event.Offset, Node: event.Node, Text: event.Event})
	}
	return picture.WriteTrace(out, r.Scenario, r.Picture, r.Budgets, events)
}
