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

// sortedNotRun are the specs that nothing ran, by name, each once: with the reason of who was to run it, where shards give several.
func sortedNotRun(all []SpecNotRun, ran []string) []SpecNotRun {
	all = slices.DeleteFunc(slices.Clone(all), func(s SpecNotRun) bool { return slices.Contains(ran, s.Spec) })
	slices.SortFunc(all, func(a, b SpecNotRun) int {
		return cmp.Or(cmp.Compare(a.Spec, b.Spec), cmp.Compare(boolToInt(a.Reason == InAnotherShard), boolToInt(b.Reason == InAnotherShard)), cmp.Compare(a.Reason, b.Reason))
	})
	return slices.CompactFunc(all, func(a, b SpecNotRun) bool { return a.Spec == b.Spec })
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
