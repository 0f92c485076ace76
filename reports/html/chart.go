package html

import (
	"time"

	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// figure is what the page's script draws, with the same as text.
type figure struct {
	// Data is a picture, or a chart.
	Data any
	// Caption stands at the moment that it is about; empty if it is about none.
	Caption string
	Text    string
}

func livesOf(p *picture.Picture, caption string) figure {
	return figure{Data: p, Caption: caption, Text: picture.Draw(p, picture.Options{Width: 100, Unicode: true, Caption: caption})}
}

// chart is numbers along steps, in the form of a picture without nodes.
type chart struct {
	Steps    []time.Duration
	Moment   int
	Counters []counter
	Marks    []picture.Mark
}

type counter struct {
	Name   string
	Series []series
}

// series has a value per step: what it is from that step to the next.
type series struct {
	Name   string
	Values []int
}

// budgetOf draws a budget's numbers, with evictions as marks. The caption is left out if nothing was broken.
func budgetOf(b picture.Budget, caption string) figure {
	all := []series{{Name: "healthy pods"}, {Name: "desired"}, {Name: "allowed"}, {Name: "healthy by its status"}}
	drawn, broke := chart{}, false
	for i, instant := range b.Instants {
		drawn.Steps = append(drawn.Steps, instant.At)
		for j, value := range []int{instant.Healthy, instant.Desired, instant.Allowed, instant.Reported} {
			all[j].Values = append(all[j].Values, value)
		}
		if instant.Eviction != "" {
			drawn.Marks = append(drawn.Marks, picture.Mark{Step: i, At: instant.At, Text: "eviction of " + instant.Pod + " " + string(instant.Eviction)})
		}
		if instant.Broke {
			drawn.Moment, broke = i, true
		}
	}
	if !broke {
		caption = ""
	}
	drawn.Counters = []counter{{Name: "PodDisruptionBudget " + b.Name + ": " + b.Limit, Series: all}}
	return figure{Data: drawn, Caption: caption, Text: picture.DrawBudget(b, true)}
}
