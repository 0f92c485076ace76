package picture

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// nameColumns is the room for a pod's name.
const nameColumns = 24

// Options says how a picture is drawn.
type Options struct {
	// Width in columns. Only a node's name may be longer.
	Width int
	// Unicode draws with block characters; otherwise with ASCII alone.
	Unicode bool
	// Caption stands at the moment, for example "SURGE-006 broken". Default: nothing marks the moment.
	Caption string
	// Continued leaves out the legend, which another picture below has.
	Continued bool
}

// Draw returns the picture as lines of text: marks, a lane per pod, the times, the legend, and what the marks stand for. It is empty for
// nil, and for a picture that Check refuses.
func Draw(p *Picture, options Options) string {
	if p == nil || p.Check() != nil {
		return ""
	}
	d := drawing{Picture: p, Options: options, used: map[Stage]bool{}}
	margin := d.margin()
	d.axis = newAxis(p.Steps, max(len(p.Steps), options.Width-margin))
	row := func(label, cells string) {
		d.text.WriteString(strings.TrimRight(label+strings.Repeat(" ", max(0, margin-utf8.RuneCountInString(label)))+cells, " ") + "\n")
	}
	if letters := d.letters(); strings.TrimSpace(letters) != "" {
		row("  marks", letters)
	}
	for _, node := range p.Nodes {
		alike := ""
		if node.Alike > 0 {
			alike = fmt.Sprintf(", and %d more alike", node.Alike)
		}
		row("  node "+node.Name+alike, "")
		if len(node.Lanes) == 0 {
			row("    no pods", "")
		}
		if node.Older > 0 {
			row(fmt.Sprintf("    (%d older pods)", node.Older), "")
		}
		for _, lane := range node.Lanes {
			row(d.label(lane), d.cells(lane))
		}
	}
	if options.Caption != "" {
		row("", d.pointer(options.Width-margin))
	}
	row(d.timeLabel(), d.axis.labels(p.Moment, max(d.axis.columns(), options.Width-margin)))
	if !options.Continued {
		d.legend()
	}
	d.marks()
	return d.text.String()
}

type drawing struct {
	*Picture
	Options
	axis axis
	used map[Stage]bool
	text strings.Builder
}

// timeLabel stands before the times.
func (d *drawing) timeLabel() string {
	if d.Caption == "" {
		return "  time"
	}
	return "  time from then"
}

// margin is the room for labels, which are as wide as the widest needs.
func (d *drawing) margin() int {
	widest := len(d.timeLabel() + "  ")
	for _, node := range d.Nodes {
		for _, lane := range node.Lanes {
			widest = max(widest, utf8.RuneCountInString(d.label(lane)))
		}
	}
	return widest
}

func (d *drawing) label(lane Lane) string {
	names, revisions, versions, numbers := 0, 0, 0, 0
	for _, node := range d.Nodes {
		for _, lane := range node.Lanes {
			names = max(names, utf8.RuneCountInString(d.shorten(lane.Pod)))
			revisions = max(revisions, len(lane.Revision))
			versions = max(versions, len(lane.Version))
			numbers = max(numbers, len(number(lane)))
		}
	}
	label := fmt.Sprintf("    %-*s  %-*s  ", names, d.shorten(lane.Pod), revisions, lane.Revision)
	if versions > 0 {
		label += fmt.Sprintf("%-*s  ", versions, lane.Version)
	}
	if numbers > 0 {
		label += fmt.Sprintf("%-*s  ", numbers, number(lane))
	}
	return label
}

func number(lane Lane) string {
	if lane.Number == 0 {
		return ""
	}
	return fmt.Sprintf("no. %d", lane.Number)
}

func (d *drawing) cells(lane Lane) string {
	var out strings.Builder
	for i := range d.Steps {
		stage := Stage(lane.Life[i])
		d.used[stage] = true
		for _, look := range looks() {
			if look.stage == stage {
				out.WriteString(strings.Repeat(string(look.rune(d.Unicode)), d.axis.start[i+1]-d.axis.start[i]))
			}
		}
	}
	return out.String()
}

// pointer marks the column of the moment and captions it, on the side that has room.
func (d *drawing) pointer(columns int) string {
	arrow := "^"
	if d.Unicode {
		arrow = "▲"
	}
	column := d.axis.start[d.Moment]
	if column+2+len(d.Caption) <= columns {
		return strings.Repeat(" ", column) + arrow + " " + d.Caption
	}
	return strings.Repeat(" ", max(0, column-1-len(d.Caption))) + d.Caption + " " + arrow
}

// letters stand over the steps that have a mark; of several at one step the first's.
func (d *drawing) letters() string {
	line := []rune(strings.Repeat(" ", d.axis.columns()))
	for i, mark := range d.Marks {
		if at := mark.Step; at >= 0 && line[d.axis.start[at]] == ' ' {
			line[d.axis.start[at]] = d.letter(i)
		}
	}
	return string(line)
}

// letter of a mark: a to z, then A to Z, then +; < for one before the picture.
func (d *drawing) letter(mark int) rune {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if d.Marks[mark].Step < 0 {
		return '<'
	}
	place := 0
	for _, earlier := range d.Marks[:mark] {
		if earlier.Step >= 0 {
			place++
		}
	}
	if place >= len(alphabet) {
		return '+'
	}
	return rune(alphabet[place])
}

func (d *drawing) legend() {
	var parts []string
	for _, look := range looks() {
		if look.stage != Absent && d.used[look.stage] {
			parts = append(parts, string(look.rune(d.Unicode))+" "+look.name)
		}
	}
	if len(parts) > 0 {
		d.text.WriteString("  " + strings.Join(parts, "  ") + "\n")
	}
	d.text.WriteString("  Every change is drawn, however short it lasted: time is not to scale.\n")
}

func (d *drawing) marks() {
	for i, mark := range d.Marks {
		label := fmt.Sprintf("  %c  %7s  ", d.letter(i), Offset(mark.At))
		d.text.WriteString(paragraph.Hang(label, mark.Text, len(label), d.Width))
	}
}

// shorten keeps both ends of a long name: the workload's and the random one of the pod.
func (d *drawing) shorten(name string) string {
	runes := []rune(name)
	if len(runes) <= nameColumns {
		return name
	}
	gap := "~"
	if d.Unicode {
		gap = "…"
	}
	const tail = 10
	return string(runes[:nameColumns-tail-1]) + gap + string(runes[len(runes)-tail:])
}
