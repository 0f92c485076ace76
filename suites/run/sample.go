package run

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// setSample is -sample.
func (o *options) setSample(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("a number of specs, or 0 for none but those that are in every sample")
	}
	o.sample = &n
	return nil
}

// inEverySample reports whether no sample leaves out the spec of that text.
func inEverySample(text string) bool {
	s := spec.Registered(text)
	return s != nil && s.InEverySample()
}

// sample splits specs into those that run and those that are left out, in their order: always ones run, and n of the others, by the seed.
func sample(texts []string, always func(text string) bool, n int, seed int64) (in, out []string) {
	// Ginkgo's order is another one each time.
	drawable := slices.DeleteFunc(slices.Sorted(slices.Values(texts)), always)
	order := rand.New(rand.NewPCG(uint64(seed), 0)).Perm(len(drawable))
	for _, i := range order[min(n, len(order)):] {
		out = append(out, drawable[i])
	}
	for _, text := range texts {
		if !slices.Contains(out, text) {
			in = append(in, text)
		}
	}
	return in, out
}
