package story

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
	steps []step
	// start of each step; the last element is the end of the picture.
	start []int
}

func newAxis(steps []step, columns int) axis {
	widths := make([]int, len(steps))
	total := 0
	for i := range steps {
		widths[i] = lastStepColumns
		if i+1 < len(steps) {
			lasted := max(0, steps[i+1].time.Sub(steps[i].time))
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

// timeOf returns the instant that a column of a step stands for.
func (a axis) timeOf(step, column int) time.Time {
	begin := a.steps[step].time
	if step+1 == len(a.steps) {
		return begin
	}
	lasted := a.steps[step+1].time.Sub(begin)
	if lasted <= 0 {
		return begin
	}
	stretch := a.start[step+1] - a.start[step]
	return begin.Add(lasted * time.Duration(column-a.start[step]) / time.Duration(stretch))
}

// labels writes the time of as many steps as have room, that of the violation first, then the outermost, then from the left.
func (a axis) labels(broke int, moment time.Time) string {
	line := []rune(strings.Repeat(" ", a.columns()+8))
	order := append([]int{broke, 0, len(a.steps) - 1}, numbersTo(len(a.steps))...)
	for _, i := range order {
		text := offset(a.steps[i].time.Sub(moment))
		if i == broke {
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

func numbersTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// offset is a duration as short as it can be read.
func offset(d time.Duration) string {
	size := d.Abs()
	switch {
	case size < time.Second:
		return fmt.Sprintf("%+dms", d.Milliseconds())
	case size < 100*time.Second:
		return fmt.Sprintf("%+.1fs", d.Seconds())
	}
	return fmt.Sprintf("%+dm%02ds", int(d.Minutes()), int(size.Seconds())%60)
}
