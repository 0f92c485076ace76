package run

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// listSpecs is `rollcall run -list`: the selected specs, with what they decide.
func listSpecs(out io.Writer, selected selection, specs []specReport) error {
	var text strings.Builder
	for _, report := range specs {
		if !selected.selects(report) {
			continue
		}
		ids := slices.DeleteFunc(slices.Clone(report.Labels()), func(label string) bool { return requirements.ID(label).Family() == "" })
		fmt.Fprintf(&text, "%s\n    %s\n", report.FullText(), strings.Join(ids, ", "))
	}
	fmt.Fprintf(&text, "\n%d of %d specs, which decide %d requirements\n", len(selected.texts), len(specs), len(decidedBy(selected, specs)))
	_, err := io.WriteString(out, text.String())
	return err
}
