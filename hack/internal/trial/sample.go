package trial

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
)

// Sample draws as many of all as wanted, by the seed and their names, which differ. Of two sizes, the smaller sample is a part of the larger; and a new name
// changes the sample by no more than itself.
func Sample[T any](all []T, wanted int, seed uint64, name func(T) string) []T {
	place := func(of T) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, name(of)))
		return string(sum[:])
	}
	drawn := slices.Clone(all)
	slices.SortStableFunc(drawn, func(a, b T) int { return cmp.Compare(place(a), place(b)) })
	return drawn[:min(wanted, len(drawn))]
}
