package story

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// How much a drawing shows: steps before and after the violation, pods per node, marks from before the picture, characters of a
// pod's name.
const (
	stepsBefore  = 22
	stepsAfter   = 7
	lanesShown   = 8
	earlierMarks = 3
	nameColumns  = 24
)

// lane is one pod's line.
type lane struct {
	node, name, revision string
	uid                  types.UID
	first                int
}

// drawing returns the swimlane picture; empty if the violation concerns no node.
func drawing(s surroundings, v judge.Violation, unicode bool) string {
	if len(s.nodes) == 0 || s.broke < 0 {
		return ""
	}
	from, to := max(0, s.broke-stepsBefore), min(len(s.steps), s.broke+stepsAfter+1)
	shown, broke := s.steps[from:to], s.broke-from
	lanes := lanesOf(shown, broke)
	names, revisions := 0, 0
	for i := range lanes {
		lanes[i].name = shorten(lanes[i].name, unicode)
		names, revisions = max(names, utf8.RuneCountInString(lanes[i].name)), max(revisions, len(lanes[i].revision))
	}
	label := func(l lane) string { return fmt.Sprintf("    %-*s  %-*s  ", names, l.name, revisions, l.revision) }
	margin := max(utf8.RuneCountInString(label(lane{})), len("  time from then  "))
	a := newAxis(shown, width-margin)

	var out strings.Builder
	row := func(label, cells string) {
		out.WriteString(strings.TrimRight(fmt.Sprintf("%-*s%s", margin, label, cells), " ") + "\n")
	}
	out.WriteByte('\n')
	letters, texts := marksOf(s, from, to)
	if strings.TrimSpace(letters(a)) != "" {
		row("  marks", letters(a))
	}
	used := map[stage]bool{}
	for _, node := range s.nodes {
		row("  node "+node, "")
		here := slices.DeleteFunc(slices.Clone(lanes), func(l lane) bool { return l.node != node })
		if len(here) == 0 {
			row("    no pods", "")
		}
		if hidden := len(here) - lanesShown; hidden > 0 {
			row(fmt.Sprintf("    (%d older pods)", hidden), "")
			here = here[hidden:]
		}
		for _, l := range here {
			row(label(l), cells(a, l.uid, unicode, used))
		}
	}
	row("", pointer(a, broke, v, unicode, width-margin))
	row("  time from then", a.labels(broke, s.moment))
	out.WriteString(legend(used, unicode))
	out.WriteString(texts)
	return out.String()
}

// lanesOf returns a lane per pod that lives during the steps, in the order of nodes and appearance. A pod is called updated or old as
// it was when the promise broke or, if it did not exist then, at the nearest step at which it did.
func lanesOf(steps []step, broke int) []lane {
	byUID := map[types.UID]*lane{}
	describe := func(i int) {
		for uid, l := range steps[i].lives {
			if byUID[uid] == nil {
				byUID[uid] = &lane{uid: uid, first: i}
			}
			byUID[uid].node, byUID[uid].name, byUID[uid].revision = history.NodeOf(l.pod), l.pod.Name, l.revision
		}
	}
	for i := range steps {
		describe(i)
	}
	// The last description stands, so the nearest step to the violation comes last.
	for i := len(steps) - 1; i > broke; i-- {
		describe(i)
	}
	for i := 0; i <= broke; i++ {
		describe(i)
	}
	lanes := make([]lane, 0, len(byUID))
	for l := range maps.Values(byUID) {
		lanes = append(lanes, *l)
	}
	slices.SortFunc(lanes, func(a, b lane) int {
		return cmp.Or(strings.Compare(a.node, b.node), cmp.Compare(a.first, b.first), revisionOrder(a, b), strings.Compare(a.name, b.name))
	})
	return lanes
}

// revisionOrder puts old pods above updated ones where both were there from the start.
func revisionOrder(a, b lane) int { return strings.Compare(a.revision, b.revision) }

func cells(a axis, uid types.UID, unicode bool, used map[stage]bool) string {
	var out strings.Builder
	for i := range a.steps {
		life := a.steps[i].lives[uid]
		for column := a.start[i]; column < a.start[i+1]; column++ {
			now := life.at(a.timeOf(i, column))
			used[now] = true
			out.WriteRune(now.draw(unicode))
		}
	}
	return out.String()
}

// pointer marks the column at which the promise broke and names it, on the side that has room.
func pointer(a axis, broke int, v judge.Violation, unicode bool, columns int) string {
	arrow := "^"
	if unicode {
		arrow = "▲"
	}
	column, text := a.start[broke], string(v.Requirement)+" broken"
	if column+2+len(text) <= columns {
		return strings.Repeat(" ", column) + arrow + " " + text
	}
	return strings.Repeat(" ", max(0, column-1-len(text))) + text + " " + arrow
}

// marksOf returns the letters over the steps from..to that have a mark, and the texts that they stand for, with the latest marks from
// before the picture.
func marksOf(s surroundings, from, to int) (letters func(axis) string, texts string) {
	var out strings.Builder
	text := func(letter string, i int) {
		label := fmt.Sprintf("  %s  %7s  ", letter, offset(s.steps[i].time.Sub(s.moment)))
		out.WriteString(paragraph.Hang(label, s.steps[i].mark, len(label), width))
	}
	var earlier []int
	for i := range from {
		if s.steps[i].mark != "" {
			earlier = append(earlier, i)
		}
	}
	for _, i := range earlier[max(0, len(earlier)-earlierMarks):] {
		text("<", i)
	}
	letterOf := map[int]rune{}
	next := 'a'
	for i := from; i < to; i++ {
		if s.steps[i].mark == "" {
			continue
		}
		letterOf[i-from] = next
		text(string(next), i)
		if next++; next > 'z' {
			next = 'A'
		}
	}
	return func(a axis) string {
		line := []rune(strings.Repeat(" ", a.columns()))
		for i, letter := range letterOf {
			line[a.start[i]] = letter
		}
		return string(line)
	}, out.String()
}

func legend(used map[stage]bool, unicode bool) string {
	var parts []string
	for s := pending; s <= ended; s++ {
		if used[s] {
			parts = append(parts, string(s.draw(unicode))+" "+s.look().name)
		}
	}
	return "  " + strings.Join(parts, "  ") + "\n  Every change is drawn, however short it lasted: time is not to scale.\n"
}

// shorten keeps both ends of a long name: the workload's and the random one that tells its pods apart.
func shorten(name string, unicode bool) string {
	runes := []rune(name)
	if len(runes) <= nameColumns {
		return name
	}
	gap := "~"
	if unicode {
		gap = "…"
	}
	const tail = 10
	return string(runes[:nameColumns-tail-1]) + gap + string(runes[len(runes)-tail:])
}
