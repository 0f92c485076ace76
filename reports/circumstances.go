package reports

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// Circumstances are what else is known of a spec that failed, could not be decided or was played again: they decide nothing, and often say why.
type Circumstances struct {
	Spec      string `yaml:"spec"`
	Recording string `yaml:"recording,omitempty"`
	// Earlier says which recording of the spec a standstill kept from deciding anything, and why, so that the spec was played again; empty if it was not.
	Earlier string `yaml:"earlier,omitempty"`
	// Standstills of the API server, when it answered nobody, for how long, and with what error; and of the implementation, when it waited for a processor.
	Standstills []string `yaml:"standstills,omitempty"`
	// Refused are the requests of the implementation that the API server refused, by its audit log; empty where there is none.
	Refused []Refused `yaml:"refused,omitempty"`
	// Ended says how the implementation ended by itself during the spec or before; empty if it was alive, or nobody knows.
	Ended string `yaml:"ended,omitempty"`
	// Log holds the last lines that the implementation printed during the spec: those that name its namespace, if any do.
	Log []string `yaml:"log,omitempty"`
}

// Refused are requests that the API server refused alike.
type Refused struct {
	// What was refused, how often, when, by which rule, and what to do about it.
	What string `yaml:"what"`
	// Answer of the API server to the first of them.
	Answer string `yaml:"answer"`
}

// Empty reports whether there is nothing to tell.
func (c Circumstances) Empty() bool {
	return c.Earlier == "" && len(c.Standstills) == 0 && len(c.Refused) == 0 && c.Ended == "" && len(c.Log) == 0
}

// Text is what a terminal shows of them, below the story of the spec; empty if there is nothing to tell.
func (c Circumstances) Text() string {
	var text strings.Builder
	if c.Earlier != "" {
		text.WriteString(paragraph.Hang("", "Played again: "+paragraph.Printable(c.Earlier), 2, storyWidth))
	}
	for _, standstill := range c.Standstills {
		text.WriteString(paragraph.Hang("", "Meanwhile "+paragraph.Printable(standstill), 2, storyWidth))
	}
	if len(c.Refused) > 0 {
		text.WriteString("  Meanwhile the API server refused the implementation\n")
		for _, refused := range c.Refused {
			text.WriteString(paragraph.Hang("    -", paragraph.Printable(refused.What), 6, storyWidth))
			text.WriteString(paragraph.Hang("", "      "+paragraph.Printable(refused.Answer), 6, storyWidth))
		}
	}
	if c.Ended != "" {
		text.WriteString(paragraph.Hang("", "The implementation had ended by itself: "+paragraph.Printable(c.Ended), 2, storyWidth))
	}
	if len(c.Log) > 0 {
		text.WriteString("  The last lines of the implementation's log meanwhile\n")
		for _, line := range c.Log {
			text.WriteString("    " + paragraph.Printable(line) + "\n")
		}
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// inOrder returns the circumstances by spec, with paths of recordings to break ties.
func inOrder(all []Circumstances) []Circumstances {
	all = slices.DeleteFunc(slices.Clone(all), Circumstances.Empty)
	slices.SortFunc(all, func(a, b Circumstances) int {
		return cmp.Or(cmp.Compare(a.Spec, b.Spec), cmp.Compare(a.Recording, b.Recording))
	})
	return all
}
