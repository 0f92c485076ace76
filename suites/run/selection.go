package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
)

// patterns is a flag that may be given several times.
type patterns []string

// String implements flag.Value.
func (p *patterns) String() string { return strings.Join(*p, ", ") }

// Set implements flag.Value.
func (p *patterns) Set(text string) error {
	if text == "" {
		return fmt.Errorf("it is empty: name a requirement, a family or a regular expression")
	}
	*p = append(*p, text)
	return nil
}

// selection is which specs are to run.
type selection struct {
	// texts are the specs' full texts, in the order of the tree.
	texts []string
	// reason says how they were chosen; empty if all specs are selected.
	reason string
	// unsampled are the texts of those that would run, had the sample not left them out.
	unsampled []string
	// others are the texts of those that other shards run.
	others []string
}

// why says why a spec that is not selected is not.
func (s selection) why(report specReport) string {
	switch {
	case slices.Contains(s.unsampled, report.FullText()):
		return reports.NotSampled
	case slices.Contains(s.others, report.FullText()):
		return reports.InAnotherShard
	}
	return reports.NotSelected
}

// selects reports whether the spec is to run.
func (s selection) selects(report specReport) bool {
	return slices.Contains(s.texts, report.FullText())
}

// flags are those by which Ginkgo selects the same.
func (s selection) flags() []string {
	if s.reason == "" && len(s.others) == 0 {
		return nil
	}
	quoted := make([]string, len(s.texts))
	for i, text := range s.texts {
		quoted[i] = regexp.QuoteMeta(text)
	}
	// Ginkgo matches the name of the suite and the text.
	return []string{fmt.Sprintf("--focus=^%s (%s)$", suiteName, strings.Join(quoted, "|"))}
}

// selection chooses among the specs: those of any focus, of these those that decide what failed in a report, without those that are to be skipped, and of
// the rest a sample, of which a shard. One that selects nothing is an error: the run would decide nothing.
func (o options) selection(catalogue *requirements.Catalogue, specs []specReport) (selection, error) {
	focused, err := o.focus.matcher("-focus", catalogue, specs)
	if err != nil {
		return selection{}, err
	}
	skipped, err := o.skip.matcher("-skip", catalogue, specs)
	if err != nil {
		return selection{}, err
	}
	failed := func(specReport) bool { return true }
	var reasons []string
	if len(o.focus) > 0 {
		reasons = append(reasons, o.focus.String())
	}
	if o.failedIn != "" {
		if failed, err = failedIn(o.failedIn); err != nil {
			return selection{}, err
		}
		reasons = append(reasons, "failed or inconclusive in "+o.failedIn)
	}
	if len(o.skip) > 0 {
		reasons = append(reasons, "without "+o.skip.String())
	}
	s := selection{reason: strings.Join(reasons, "; ")}
	for _, spec := range specs {
		if (len(o.focus) == 0 || focused(spec)) && failed(spec) && !(len(o.skip) > 0 && skipped(spec)) {
			s.texts = append(s.texts, spec.FullText())
		}
	}
	if len(s.texts) == 0 {
		return s, usagef("-focus, -failed-in and -skip together select no spec: `rollcall run -list` with one of them shows what it selects")
	}
	if o.sample != nil {
		s.texts, s.unsampled = sample(s.texts, inEverySample, *o.sample, o.seed)
		s.reason = strings.Join(append(reasons, fmt.Sprintf("a sample: what takes nodes with a kubelet, main paths, and %d more by the seed", *o.sample)), "; ")
		if len(s.texts) == 0 {
			return s, usagef("-sample %d leaves no spec: none of those selected is in every sample", *o.sample)
		}
	}
	if o.shard != nil {
		specs := len(s.texts)
		if s.texts, s.others = shardOf(s.texts, *o.shard); len(s.texts) == 0 {
			return s, usagef("-shard %s leaves no spec: %d are selected, take no more shards than that", o.shard, specs)
		}
	}
	return s, nil
}

// decidesAnything is an error where the implementation claims the features of no requirement that the selected specs decide. A shard may well be left such specs.
func (o options) decidesAnything(selected selection, tested *implementation.Implementation, catalogue *requirements.Catalogue, specs []specReport) error {
	ids := decidedBy(selected, specs)
	if o.shard != nil || len(claimed(ids, tested, catalogue)) > 0 {
		return nil
	}
	var features []requirements.Feature
	for _, id := range ids {
		if requirement, _ := catalogue.Get(id); !slices.Contains(features, requirement.Feature) {
			features = append(features, requirement.Feature)
		}
	}
	return usagef("-focus, -failed-in, -skip and -sample leave only requirements of features that %s does not claim (%s); it claims %s (spec.features in %s)",
		tested.Name, joinFeatures(features), joinFeatures(tested.Features), tested.File)
}

// claimed are those of the requirements whose feature the implementation claims.
func claimed(ids []requirements.ID, tested *implementation.Implementation, catalogue *requirements.Catalogue) []requirements.ID {
	var all []requirements.ID
	for _, id := range ids {
		if requirement, _ := catalogue.Get(id); tested.Claims(requirement.Feature) {
			all = append(all, id)
		}
	}
	return all
}

// matcher reports whether a spec is one of those that any of the patterns stands for. A pattern that stands for none is an error.
func (p patterns) matcher(flag string, catalogue *requirements.Catalogue, specs []specReport) (func(specReport) bool, error) {
	var each []func(specReport) bool
	for _, pattern := range p {
		matchers, err := matchersOf(pattern, catalogue)
		if err != nil {
			return nil, usagef("%s %q: %w", flag, pattern, err)
		}
		for _, m := range matchers {
			if !slices.ContainsFunc(specs, m.matches) {
				return nil, usagef("%s %q selects no spec: %s", flag, m.name, m.why(catalogue))
			}
			each = append(each, m.matches)
		}
	}
	return func(spec specReport) bool {
		return slices.ContainsFunc(each, func(matches func(specReport) bool) bool { return matches(spec) })
	}, nil
}

// specMatcher is one thing that a pattern stands for.
type specMatcher struct {
	name    string
	matches func(specReport) bool
}

// why says why no spec is one.
func (m specMatcher) why(catalogue *requirements.Catalogue) string {
	if unknown := catalogue.Unknown(requirements.ID(m.name)); unknown != nil && looksLikeID.MatchString(m.name) {
		return unknown.Error()
	}
	return "`rollcall requirements` lists what specs decide, and `rollcall run -list` names them"
}

var looksLikeID = regexp.MustCompile(`^[A-Za-z]+-[0-9]+$`)

// matchersOf returns what a pattern stands for: requirements and families, with commas between them, or else a regular expression.
func matchersOf(pattern string, catalogue *requirements.Catalogue) ([]specMatcher, error) {
	var all []specMatcher
	for _, name := range strings.Split(pattern, ",") {
		name = strings.TrimSpace(name)
		if _, ok := catalogue.Get(requirements.ID(name)); ok {
			all = append(all, specMatcher{name, func(spec specReport) bool { return slices.Contains(spec.Labels(), name) }})
		} else if len(catalogue.Family(name)) > 0 {
			inFamily := func(label string) bool { return strings.HasPrefix(label, name+"-") }
			all = append(all, specMatcher{name, func(spec specReport) bool { return slices.ContainsFunc(spec.Labels(), inFamily) }})
		} else if looksLikeID.MatchString(name) && name != pattern {
			return nil, catalogue.Unknown(requirements.ID(name))
		} else {
			expression, err := regexp.Compile(pattern)
			if err != nil {
				return nil, err
			}
			return []specMatcher{{pattern, func(spec specReport) bool { return expression.MatchString(spec.FullText()) }}}, nil
		}
	}
	return all, nil
}

// failedIn reports whether a spec decides a requirement that failed, or could not be decided, in the report of that path, or in the folder of a run.
func failedIn(path string) (func(specReport) bool, error) {
	report, err := readReportAt(path)
	if err != nil {
		return nil, usagef("-failed-in: %w", err)
	}
	failed := map[string]bool{}
	for _, result := range report.Requirements {
		if result.Verdict == reports.Fail || result.Verdict == reports.Inconclusive {
			failed[string(result.ID)] = true
		}
	}
	if len(failed) == 0 {
		return nil, usagef("-failed-in %s: nothing failed in it, and nothing was inconclusive", path)
	}
	return func(spec specReport) bool {
		return slices.ContainsFunc(spec.Labels(), func(label string) bool { return failed[label] })
	}, nil
}

// readReportIn reads the report in the folder of a run.
func readReportIn(folder string) (*reports.ConformanceReport, error) {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: name the folder of a run, which holds its %s and recordings", folder, reports.YAMLFile)
	}
	return readReportAt(folder)
}

// readReportAt reads a report file, or that in the folder of a run.
func readReportAt(path string) (*reports.ConformanceReport, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path += string(os.PathSeparator) + reports.YAMLFile
	}
	report, err := readReport(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: name the report, or the folder, of a run", err)
	}
	if errors.As(err, new(*os.PathError)) {
		return nil, err // which names it
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return report, nil
}
