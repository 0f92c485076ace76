package html

import (
	"fmt"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
)

// plot is a measurement drawn over its time. Places are in percent of it.
type plot struct {
	reports.Measurement
	Bars    []bar
	Silence span
	// Failures are where requests failed, Errors what they failed with, each once.
	Failures []failure
	Errors   []mistake
	Ticks    []tick
}

type span struct{ Left, Width float64 }

// bar is one process's answers.
type bar struct {
	span
	reports.Answers
	// Rate is how many a second; 0 for a process that answered once.
	Rate float64
}

type failure struct {
	Left float64
	reports.FailedRequest
}

// mistake is an error, the first time that it came, and how often it did among the first failures.
type mistake struct {
	reports.FailedRequest
	Times int
}

type tick struct {
	Left float64
	Text string
}

// ticks is how many parts the time of a plot is divided into.
const ticks = 5

func plotOf(m reports.Measurement) plot {
	p := plot{Measurement: m, Silence: spanOf(m.SilenceAt, m.LongestSilence, m.Lasted)}
	for _, answers := range m.Answers {
		b := bar{span: spanOf(answers.First, answers.Last-answers.First, m.Lasted), Answers: answers}
		if lasted := answers.Last - answers.First; lasted > 0 {
			b.Rate = float64(answers.Count) / lasted.Seconds()
		}
		p.Bars = append(p.Bars, b)
	}
	for _, failed := range m.FirstFailures {
		p.Failures = append(p.Failures, failure{Left: spanOf(failed.At, 0, m.Lasted).Left, FailedRequest: failed})
		same := func(known mistake) bool { return known.Error == failed.Error }
		if i := slices.IndexFunc(p.Errors, same); i >= 0 {
			p.Errors[i].Times++
		} else {
			p.Errors = append(p.Errors, mistake{FailedRequest: failed, Times: 1})
		}
	}
	for i := range ticks + 1 {
		at := m.Lasted * time.Duration(i) / ticks
		p.Ticks = append(p.Ticks, tick{Left: float64(i) * 100 / ticks, Text: fmt.Sprintf("%.1f s", at.Seconds())})
	}
	return p
}

// spanOf is a stretch of time in percent of the whole, and within it whatever the report says.
func spanOf(from, lasted, whole time.Duration) span {
	if whole <= 0 {
		return span{}
	}
	percent := func(d time.Duration) float64 { return min(100, max(0, 100*float64(d)/float64(whole))) }
	left := percent(from)
	return span{Left: left, Width: min(100-left, percent(lasted))}
}
