package trial

import (
	"math/rand/v2"
	"slices"
)

// Sample draws as many of all as wanted, by the seed: of two sizes, the smaller sample is a part of the larger.
func Sample[T any](all []T, wanted int, seed uint64) []T {
	drawn := slices.Clone(all)
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	return drawn[:min(wanted, len(drawn))]
}
