// Package formats writes reports in every form that there is.
package formats

import (
	"fmt"
	"io"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/html"
)

// writer writes a report in one form.
type writer = func(io.Writer, *reports.ConformanceReport) error

// Format is a form that a report can be read in.
type Format struct {
	Name  string
	Write writer
}

// All returns the formats that `rollcall report` writes, by name.
func All() []Format {
	return []Format{{"github", reports.WriteAnnotations}, {"html", html.Write}, {"junit", reports.WriteJUnit}, {"markdown", reports.WriteMarkdown}}
}

// Find returns the format of that name; the error for one that does not exist lists those that do.
func Find(name string) (Format, error) {
	var names []string
	for _, format := range All() {
		if format.Name == name {
			return format, nil
		}
		names = append(names, format.Name)
	}
	return Format{}, fmt.Errorf("there is no format %q: want one of %s", name, strings.Join(names, ", "))
}
