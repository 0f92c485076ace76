package publication

import (
	"fmt"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports"
)

// Guide says in Markdown what the report is of, and how to make it again with the implementation file of that path or name.
func Guide(report *reports.ConformanceReport, file string) string {
	of, p := report.Implementation, report.Provenance
	var text strings.Builder
	fmt.Fprintf(&text, "# %s %s: %s\n\n%s.\n\n", of.Name, of.Version, report.Conformance, sentence(reports.Why(report)))
	fmt.Fprintf(&text, "%s of %d requirements, on Kubernetes %s, provider %s, %s.\n\n", report.Statistics, p.Catalogue.Size, p.KubernetesVersion, p.Provider, p.Started.Format("2006-01-02"))
	fmt.Fprintf(&text, "Made by rollcall %s. To make it again:\n\n```\n%s\n```\n", commitOf(p.Rollcall), command(report, file))
	text.WriteString("\nTimes differ from run to run, and so do resourceVersions; verdicts should not.\n")
	return text.String()
}

// sentence begins with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// command runs the same suites again.
func command(report *reports.ConformanceReport, file string) string {
	p := report.Provenance
	flags := []string{"rollcall run", "-implementation=" + file, "-provider=" + p.Provider}
	if p.Provider != "existing" {
		flags = append(flags, "-kubernetes-version="+strings.TrimPrefix(p.KubernetesVersion, "v"))
	}
	return strings.Join(append(flags, fmt.Sprintf("-seed=%d", p.Seed)), " ")
}

func commitOf(build reports.Rollcall) string {
	if build.Commit != "" {
		return build.Commit
	}
	return build.Version
}
