package reports

import (
	"cmp"
	"slices"
)

// SpecNotRun is a spec that did not run.
type SpecNotRun struct {
	// Spec is its name.
	Spec string `yaml:"spec" json:"spec"`
	// Reason why it did not run.
	Reason string `yaml:"reason" json:"reason"`
}

// The reasons of specs that did not run because nobody asked for them in this run.
const (
	NotSelected    = "not selected"
	NotSampled     = "not in the sample that was asked for"
	InAnotherShard = "another shard runs it"
)

// Unasked reports whether the reason is one of those.
func Unasked(reason string) bool {
	return reason == NotSelected || reason == NotSampled || reason == InAnotherShard
}

// sortedNotRun are the specs that nothing ran, by name, each once: with the reason of the shard that was to run it, where it is there.
func sortedNotRun(all []SpecNotRun, ran []string) []SpecNotRun {
	all = slices.DeleteFunc(slices.Clone(all), func(s SpecNotRun) bool { return slices.Contains(ran, s.Spec) })
	own := slices.DeleteFunc(slices.Clone(all), func(s SpecNotRun) bool { return s.Reason == InAnotherShard })
	sorted := slices.SortedStableFunc(slices.Values(append(own, all...)), func(a, b SpecNotRun) int { return cmp.Compare(a.Spec, b.Spec) })
	return slices.CompactFunc(sorted, func(a, b SpecNotRun) bool { return a.Spec == b.Spec })
}
