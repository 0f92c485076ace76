// Package variants holds StatefulSet controllers that are the reference but for one difference: broken ones, which break a promise that they name, and lawful
// ones, which do otherwise what the requirements leave open. The suite has to find out every broken one and no lawful one. The reference does not contain
// them: they are functions around its planner and its writes, and hack/mutants/rollcall-variant is the program that runs one.
package variants

import (
	"cmp"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/around"
	"github.com/rollcall-conformance/rollcall/impl/statefulset"
	"github.com/rollcall-conformance/rollcall/impl/statefulset/plan"
)

// Variant is the reference with one difference.
type Variant struct {
	// Name is made of lower-case words with dashes between them.
	Name string
	// Says is what it does otherwise.
	Says string
	// Breaks are the requirements of the catalogue that it breaks; none if it is lawful.
	Breaks []string
	// Lawful says why no requirement forbids it; empty if it is broken.
	Lawful string

	// Planner wraps plan.Plan, once for every process.
	Planner Around
	// Writer wraps the client that all writes go through.
	Writer func(client.Client) client.Client
	// Live wraps the client that reads past all caches; nil for none.
	Live func(client.Reader) client.Reader
}

// Around wraps a planner. The result may remember what it saw, until its process ends.
type Around func(next plan.Planner) plan.Planner

// Options are those of a controller that is the variant.
func (v Variant) Options() statefulset.Options {
	options := statefulset.Options{Writer: v.Writer, Live: v.Live}
	if v.Planner != nil {
		options.Plan = v.Planner(plan.Plan)
	}
	return options
}

// Differs says whether there is any difference.
func (v Variant) Differs() bool { return v.Planner != nil || v.Writer != nil || v.Live != nil }

// Together returns a controller that has the differences of all those variants: each is around those after it.
func Together(all ...Variant) Variant {
	var result Variant
	for _, v := range slices.Backward(all) {
		result.Planner, result.Writer = around.Join(v.Planner, result.Planner), around.Join(v.Writer, result.Writer)
		result.Live = around.Join(v.Live, result.Live)
	}
	return result
}

// Broken returns every variant that breaks a promise, in the order of their names.
func Broken() []Variant {
	return sorted(brokenOrders(), brokenPartitions(), brokenPatches(), brokenProofs(), brokenNames(), brokenHalves(), brokenWrites(), brokenSlips(), brokenEdges(), brokenEdits(), brokenReported(), brokenOvertaken(), brokenCoincidences(), brokenStrangers(), brokenMeantimes(), brokenMeetings())
}

// Lawful returns every variant that no requirement forbids, in the order of their names.
func Lawful() []Variant { return sorted(lawfulPaces(), lawfulStrangers(), lawfulCoincidences()) }

// Named returns the variant of that name, false if there is none.
func Named(name string) (v Variant, found bool) {
	for _, v := range slices.Concat(Broken(), Lawful()) {
		if v.Name == name {
			return v, true
		}
	}
	return Variant{}, false
}

func sorted(groups ...[]Variant) []Variant {
	all := slices.Concat(groups...)
	slices.SortFunc(all, func(a, b Variant) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
