package simulation

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// chance makes the small random decisions, such as how long a pod takes to start. Each depends on the seed and on what it is about, and not
// on how many were made before: when rapid leaves an act out of a failing schedule, everything else stays as it was, so that shrinking works.
type chance uint64

// between returns a time from least to most.
func (c chance) between(least, most time.Duration, about ...any) time.Duration {
	if most <= least {
		return least
	}
	return least + time.Duration(c.number(about)%uint64(most-least+1))
}

// percent is true in that many of a hundred cases.
func (c chance) percent(percent int, about ...any) bool { return c.number(about)%100 < uint64(percent) }

func (c chance) number(about []any) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, uint64(c), about)
	// FNV leaves the low bits of similar inputs alike; this is the end of the usual 64-bit mixers.
	n := h.Sum64()
	n ^= n >> 33
	n *= 0xff51afd7ed558ccd
	n ^= n >> 33
	return n
}

// inAnyOrder puts the objects in an order of the pass.
func inAnyOrder[T history.Object](c chance, pass int, objects []T) []T {
	numbers := make(map[string]uint64, len(objects))
	for _, object := range objects {
		numbers[object.GetName()] = c.number([]any{"order", pass, object.GetName()})
	}
	slices.SortFunc(objects, func(a, b T) int { return cmp.Compare(numbers[a.GetName()], numbers[b.GetName()]) })
	return objects
}
