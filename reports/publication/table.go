package publication

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports"
)

// Publication is one published report.
type Publication struct {
	// Folder below the root, with slashes.
	Folder string
	Report *reports.ConformanceReport
}

// All reads every publication below the root, sorted by folder. A root that does not exist has none.
func All(root string) ([]Publication, error) {
	var all []Publication
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == root:
			return fs.SkipAll
		case err != nil, entry.Name() != reports.YAMLFile:
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		report, err := reports.ReadYAML(file)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		all = append(all, Publication{Folder: filepath.ToSlash(folder), Report: report})
		return err
	})
	return all, err
}

// marks stand for verdicts in the table.
var marks = map[reports.Verdict]string{reports.Pass: "✓", reports.Fail: "**✗**", reports.Inconclusive: "?", reports.Unsupported: "–", reports.NotRun: ""}

// Table says in Markdown what each published report found out: the answers, and every requirement that one of them decided.
func Table(all []Publication) string {
	var text strings.Builder
	text.WriteString("# Published reports\n\nMade by `rollcall publish`; `rollcall verify FOLDER` checks one. [How to publish](../../docs/publishing.md).\n\n")
	text.WriteString("| | implementation | Kubernetes | provider | answer | passed | failed | inconclusive | unsupported | not run |\n|---|---|---|---|---|--:|--:|--:|--:|--:|\n")
	for i, one := range all {
		r, s := one.Report, one.Report.Statistics
		fmt.Fprintf(&text, "| %d | [%s %s](%s) | %s | %s | %s | %d | %d | %d | %d | %d |\n", i+1, r.Implementation.Name, r.Implementation.Version, one.Folder,
			r.Provenance.KubernetesVersion, r.Provenance.Provider, r.Conformance, s.Passed, s.Failed, s.Inconclusive, s.Unsupported, s.NotRun)
	}
	text.WriteString("\n✓ pass, ✗ fail, ? inconclusive, – not claimed; empty: not run there. ✗ in brackets: Kubernetes itself breaks it, whatever the implementation does.\n\n| requirement |")
	for i := range all {
		fmt.Fprintf(&text, " %d |", i+1)
	}
	text.WriteString("\n|---|" + strings.Repeat(":-:|", len(all)) + "\n")
	for _, requirement := range requirementsOf(all) {
		cells, decided := "", false
		for _, one := range all {
			cell := ""
			if i := slices.IndexFunc(one.Report.Requirements, func(r reports.RequirementResult) bool { return r.ID == requirement.ID }); i >= 0 {
				result := one.Report.Requirements[i]
				cell = marks[result.Verdict]
				decided = decided || result.Verdict != reports.NotRun && result.Verdict != reports.Unsupported
				if result.Verdict == reports.Fail && result.BrokenBy() != "" {
					cell = "(✗)"
				}
			}
			cells += " " + cell + " |"
		}
		if decided {
			fmt.Fprintf(&text, "| %s |%s\n", requirement.Name(), cells)
		}
	}
	return text.String()
}

// requirementsOf are those of any catalogue: in the order of the largest, and behind them what it has no more.
func requirementsOf(all []Publication) []reports.Requirement {
	bySize := slices.Clone(all)
	slices.SortStableFunc(bySize, func(a, b Publication) int { return len(b.Report.Requirements) - len(a.Report.Requirements) })
	seen := map[reports.ID]bool{}
	var requirements []reports.Requirement
	for _, one := range bySize {
		for _, result := range one.Report.Requirements {
			if !seen[result.ID] {
				seen[result.ID] = true
				requirements = append(requirements, result.Requirement)
			}
		}
	}
	return requirements
}
