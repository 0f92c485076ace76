package reports

import (
	"cmp"
	"slices"
)

// SpecNotRun is a spec that did not run.
type SpecNotRun struct {
	// Spec is its name.
	Spec string `yaml:"spec"`
	// Reason why it did not run.
	Reason string `yaml:"reason"`
}

// sortedNotRun are the specs that nothing ran, by name, each once: with the reason of the shard that was to run it, where it is there.
func sortedNotRun(all []SpecNotRun, ran []string) []SpecNotRun {
	all = slices.DeleteFunc(slices.Clone(all), func(s SpecNotRun) bool { return slices.Contains(ran, s.Spec) })
	own := slices.DeleteFunc(slices.Clone(all), func(s SpecNotRun) bool { return s.Reason == InAnotherShard })
	sorted := slices.SortedStableFunc(slices.Values(append(own, all...)), func(a, b SpecNotRun) int { return cmp.Compare(a.Spec, b.Spec) })
	return slices.CompactFunc(sorted, func(a, b SpecNotRun) bool { return a.Spec == b.Spec })
}
