package html

import (
	"fmt"
	"html/template"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
)

// functions are what templates call.
func functions() template.FuncMap {
	return template.FuncMap{
		"circumstances": func(i int, c reports.Circumstances) numbered { return numbered{Circumstances: c, Number: i + 1} },
		"class":         class,
		"documents":     documents,
		"failure":       reports.FailureLine,
		"lives":         livesOf,
		"budget":        budgetOf,
		"link":          link,
		"linked":        linked,
		"reason":        func(group []reports.RequirementResult) string { return reports.ReasonOf(group[0]) },
		"seconds":       seconds,
		"signed":        func(d time.Duration) string { return fmt.Sprintf("%+.3f", d.Seconds()) },
		"ms":            time.Duration.Milliseconds,
		"plot":          plotOf,
		"join":          strings.Join,
	}
}

// numbered are circumstances and their place among the report's, counted from 1.
type numbered struct {
	reports.Circumstances
	Number int
}

// class is a verdict or an answer as a class of the style: "not run" is not-run.
func class(of any) string { return strings.ReplaceAll(fmt.Sprint(of), " ", "-") }

// link is the address of a file that is named by its path relative to the page. A name that looks like a scheme stays a path.
func link(path string) string {
	return (&url.URL{Path: filepath.ToSlash(filepath.Clean(path))}).String()
}

// part of a text: words, or an address in them.
type part struct{ Text, URL string }

var address = regexp.MustCompile(`https?://[^\s<>"'()]*[^\s<>"'().,;:]`)

// linked splits a text at the addresses that it names.
func linked(text string) []part {
	var parts []part
	for text != "" {
		found := address.FindStringIndex(text)
		if found == nil {
			return append(parts, part{Text: text})
		}
		if found[0] > 0 {
			parts = append(parts, part{Text: text[:found[0]]})
		}
		parts = append(parts, part{Text: text[found[0]:found[1]], URL: text[found[0]:found[1]]})
		text = text[found[1]:]
	}
	return parts
}

// documents names the documents of sources such as "S0 L47", each once: "S0: DaemonSet maxSurge, KEP-1591".
func documents(sources []reports.Source) []string {
	var named []string
	for _, source := range sources {
		number, _, _ := strings.Cut(string(source), " ")
		if name := number + ": " + reports.Document(number); !slices.Contains(named, name) {
			named = append(named, name)
		}
	}
	return named
}

// seconds is a duration as long as it is worth reading: 240 ms, 2.5 s, 3m20s.
func seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
