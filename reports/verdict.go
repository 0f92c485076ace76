package reports

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Verdict is what a run found out about one requirement.
type Verdict string

// The verdicts.
const (
	// Pass: every promise was seen to be kept.
	Pass Verdict = "pass"
	// Fail: a promise was seen to be broken.
	Fail Verdict = "fail"
	// Inconclusive: it could not be decided.
	Inconclusive Verdict = "inconclusive"
	// Unsupported: the implementation does not claim the feature.
	Unsupported Verdict = "unsupported"
	// NotRun: not selected, or not possible on this cluster.
	NotRun Verdict = "not run"
)

// precedence orders the verdicts by which of them stands when several specs or judges decide the same requirement: proof of a
// breach outweighs doubt, doubt outweighs success, and whatever was decided outweighs what was not.
func precedence() []Verdict { return []Verdict{Fail, Inconclusive, Pass, Unsupported, NotRun} }

// Valid reports whether the verdict is one of the five.
func (v Verdict) Valid() bool { return slices.Contains(precedence(), v) }

// Merge returns the verdict on a requirement that several specs or judges decide: the first of fail, inconclusive, pass,
// unsupported and not run that one of them gave. Without any verdict the requirement was not run.
func Merge(verdicts ...Verdict) Verdict {
	for _, candidate := range precedence() {
		if slices.Contains(verdicts, candidate) {
			return candidate
		}
	}
	return NotRun
}

// UnmarshalYAML refuses a verdict that does not exist.
func (v *Verdict) UnmarshalYAML(node *yaml.Node) error {
	read := Verdict(node.Value)
	if !read.Valid() {
		return fmt.Errorf("line %d: unknown verdict %q: want one of %v", node.Line, node.Value, precedence())
	}
	*v = read
	return nil
}
