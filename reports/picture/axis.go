package picture

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// Columns per step: enough to be seen, more for what lasted, so that a picture of a moment still has room for the minute before it.
const (
	minStepColumns  = 2
	maxStepColumns  = 9
	lastStepColumns = 4
)

// axis gives every step a stretch of columns. It is not to scale: a state that lasted a millisecond may be the one that broke the
// promise, and is as visible as any other.
type axis struct {
	steps []time.Duration
	// start of each step; the last element is the end of the picture.
	start []int
}

func newAxis(steps []time.Duration, columns int) axis {
	widths := make([]int, len(steps))
	total := 0
	for i := range steps {
		widths[i] = lastStepColumns
		if i+1 < len(steps) {
			lasted := max(0, steps[i+1]-steps[i])
			widths[i] = min(maxStepColumns, minStepColumns+int(math.Log2(1+lasted.Seconds()*10)))
		}
		total += widths[i]
	}
	for ; total > columns; total-- {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= 1 {
			break
		}
		widths[widest]--
	}
	a := axis{steps: steps, start: []int{0}}
	for _, w := range widths {
		a.start = append(a.start, a.start[len(a.start)-1]+w)
	}
	return a
}

func (a axis) columns() int { return a.start[len(a.start)-1] }

// labels writes the time of as many steps as have room in the columns, that of the moment first, then the outermost, then from the left.
func (a axis) labels(moment, columns int) string {
	line := []rune(strings.Repeat(" ", columns))
	order := []int{moment, 0, len(a.steps) - 1}
	for i := range a.steps {
		order = append(order, i)
	}
	for _, i := range order {
		text := Offset(a.steps[i])
		if i == moment && a.steps[i] == 0 {
			text = "0"
		}
		from := a.start[i]
		to := from + utf8.RuneCountInString(text)
		if to > len(line) || strings.TrimSpace(string(line[max(0, from-1):min(len(line), to+1)])) != "" {
			continue
		}
		copy(line[from:], []rune(text))
	}
	return strings.TrimRight(string(line), " ")
}

// Offset is a signed duration as short as it can be read.
func Offset(d time.Duration) string {
	size := d.Abs()
	switch {
	case size < time.Second:
		return fmt.Sprintf("%+dms", d.Milliseconds())
	case size < 100*time.Second:
		return fmt.Sprintf("%+.1fs", d.Seconds())
	}
	return fmt.Sprintf("%+dm%02ds", int(d.Minutes()), int(size.Seconds())%60)
}
