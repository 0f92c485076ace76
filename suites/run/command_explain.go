package run

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// The form of an explanation: columns.
const (
	explainWidth  = 100
	explainIndent = 13
)

// explain is `rollcall explain`: all that is known about requirements.
func explain(args []string, out io.Writer) (int, error) {
	flags := newFlags("explain", out)
	describe(flags, `rollcall explain ID...

Says everything about requirements such as SURGE-013: the statement, where it comes from, how the documents are read where they leave something open,
what Kubernetes does today, what is asked of a recording, and in which scenarios. The name of a family, such as SURGE, lists its requirements.
`)
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	if flags.NArg() == 0 {
		return exitUsage, usagef("name a requirement, such as SURGE-013, or a family, such as SURGE: `rollcall requirements` lists them")
	}
	catalogue, deciding, err := loadCatalogue(specTree())
	if err != nil {
		return exitHarness, err
	}
	var text strings.Builder
	for _, name := range flags.Args() {
		if family := catalogue.Family(name); len(family) > 0 {
			for _, requirement := range family {
				fmt.Fprintf(&text, "%s  %s\n", requirement.ID, requirement.Title)
			}
			continue
		}
		id := requirements.ID(name)
		if err := catalogue.Unknown(id); err != nil {
			return exitUsage, usageError{err}
		}
		requirement, _ := catalogue.Get(id)
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		explainOne(&text, requirement, deciding[id])
	}
	_, err = io.WriteString(out, text.String())
	return exitConformant, err
}

func explainOne(text *strings.Builder, r requirements.Requirement, deciding []string) {
	line := func(label, what string) {
		if what != "" {
			text.WriteString(paragraph.Hang("  "+label, what, explainIndent, explainWidth))
		}
	}
	fmt.Fprintf(text, "%s\n", r.Name())
	line("required", r.Statement)
	line("level", levelOf(r))
	line("feature", string(r.Feature))
	line("source", sourceOf(r))
	line("decision", r.Decision)
	line("Kubernetes", kubernetesOf(r))
	if by := r.Kubernetes.By; by != "" {
		line("broken by", fmt.Sprintf("the %s, whatever the implementation does: its failure is not the implementation's", by))
	}
	line("needs", needsOf(r.Needs))
	for _, rule := range rules.All() {
		if rule.Requirement == r.ID {
			line("always", "asked of every recording: "+rule.Promise)
			line("situations", situationsOf(rule))
		}
	}
	if len(deciding) == 0 {
		line("scenarios", "none yet: no spec decides it")
	}
	for _, name := range deciding {
		text.WriteByte('\n')
		line("scenario", name)
		s := spec.Registered(name)
		if s == nil {
			continue
		}
		given, asked, all := s.Questions(r.ID)
		for _, what := range given {
			line("given", what)
		}
		for _, what := range asked {
			line("asked", what)
		}
		switch {
		case !all:
			line("asked", "more, which depends on what the scenario chooses")
		case len(asked) == 0:
			line("asked", "what is asked of every recording; this scenario puts it to the test")
		}
	}
}

// situationsOf lists the situations that a report counts.
func situationsOf(rule judge.Rule) string {
	var names []string
	for _, situation := range rule.Situations {
		names = append(names, situation.Name)
	}
	return strings.Join(names, "; ")
}

// kubernetesOf is what Kubernetes does today.
func kubernetesOf(r requirements.Requirement) string {
	if r.Kubernetes.Note == "" {
		return string(r.Kubernetes.Behaviour)
	}
	return string(r.Kubernetes.Behaviour) + ": " + r.Kubernetes.Note
}

func levelOf(r requirements.Requirement) string {
	level := string(r.Level)
	if r.Inferred {
		level += ", inferred: no document states it"
	}
	if r.LevelReason != "" {
		level += "; " + r.LevelReason
	}
	return level
}

// sourceOf names the passages and the documents that they are in.
func sourceOf(r requirements.Requirement) string {
	var passages, documents []string
	for _, source := range r.Sources {
		passages = append(passages, string(source))
		document, _, _ := strings.Cut(string(source), " ")
		if named := document + " is " + reports.Document(document); !slices.Contains(documents, named) {
			documents = append(documents, named)
		}
	}
	if len(passages) == 0 {
		return "rollcall's own"
	}
	return strings.Join(passages, ", ") + " (" + strings.Join(documents, "; ") + "; L: lines)"
}

// needsOf is what a cluster must offer, in words.
func needsOf(needs reports.Needs) string {
	return map[reports.Needs]string{
		reports.NeedsUnit: "no cluster", reports.NeedsAPIServer: "an API server", reports.NeedsSimulated: "a control plane and simulated nodes",
		reports.NeedsSimulatedControl: "a control plane, simulated nodes, and control over the implementation", reports.NeedsKubelet: "nodes with a kubelet",
		reports.NeedsReference: "switches that only the reference controller has",
	}[needs]
}
