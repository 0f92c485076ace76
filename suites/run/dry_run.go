package run

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// printPlan is `rollcall run -dry-run`: what a run would do, once everything that can be checked without one is in order.
func (o options) printPlan(out io.Writer, cluster string, tested *implementation.Implementation, selected selection, catalogue *requirements.Catalogue, specs []specReport) error {
	var text strings.Builder
	line := func(label, format string, args ...any) {
		text.WriteString(paragraph.Hang(label, fmt.Sprintf(format, args...), 16, 120))
	}
	line("implementation", "%s (%s), claims %s", tested.Name, tested.File, joinFeatures(tested.Features))
	if len(tested.Replaces) > 0 {
		line("", "switched off in kube-controller-manager: %s", strings.Join(tested.Replaces, ", "))
	}
	line("provider", "%s", cluster)
	ids := decidedBy(selected, specs)
	line("specs", "%d of %d, for %d requirements, of which %d are of features that are not claimed and will be unsupported",
		len(selected.texts), len(specs), len(ids), len(ids)-len(claimed(ids, tested, catalogue)))
	if selected.reason != "" {
		line("", "selected: %s", selected.reason)
	}
	line("artifacts", "%s (%s)", o.artifacts, folderState(o.artifacts))
	line("seed", "%d", o.seed)
	text.WriteString("Nothing was started and nothing was written.\n")
	_, err := io.WriteString(out, text.String())
	return err
}

func joinFeatures(features []requirements.Feature) string {
	names := make([]string, len(features))
	for i, feature := range features {
		names[i] = string(feature)
	}
	return strings.Join(names, ", ")
}

// decidedBy are the requirements that the selected specs decide.
func decidedBy(selected selection, specs []specReport) []requirements.ID {
	var ids []requirements.ID
	for _, report := range specs {
		if !selected.selects(report) {
			continue
		}
		for _, label := range report.Labels() {
			if id := requirements.ID(label); id.Family() != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// folderState says what a run would find at the path that it may use.
func folderState(path string) string {
	if _, err := os.Stat(path); err != nil {
		return "new"
	}
	if kept, err := filepath.Glob(filepath.Join(path, recordingsFolder, "*.jsonl")); err == nil && len(kept) > 0 {
		return "the results in it will be in " + previousFolder
	}
	return "without results"
}
