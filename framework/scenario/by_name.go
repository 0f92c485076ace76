package scenario

import (
	"iter"
	"maps"
	"slices"
)

// ByName goes through a map in the order of its keys, so that what a scenario does for each of several names comes in one order in every run.
func ByName[V any](all map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !yield(name, all[name]) {
				return
			}
		}
	}
}
