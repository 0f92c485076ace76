// Package variants holds disruption controllers that are the reference but for one difference: broken ones, which break a promise that they name, and lawful
// ones, which do otherwise what the requirements leave open. The suite has to find out every broken one and no lawful one. The reference does not contain
// them: they are functions around its parts, and hack/mutants/rollcall-variant is the program that runs one.
package variants

import (
	"cmp"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/disruption"
	"github.com/rollcall-conformance/rollcall/impl/disruption/plan"
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

	// Planner wraps plan.Plan, once for every process; nil for none.
	Planner Around
	// Reset is in the place of plan.Reset; nil for none.
	Reset plan.Resetter
	// Concerned is in the place of plan.Concerned; nil for none.
	Concerned plan.Concern
	// Writer wraps the client through which everything is written; nil for none.
	Writer func(client.StatusClient) client.StatusClient
	// Reconciler wraps the reconciler of budgets; nil for none.
	Reconciler func(reconcile.Reconciler, client.Client) reconcile.Reconciler
}

// Around wraps a planner. The result may remember what it saw, until its process ends.
type Around func(next plan.Planner) plan.Planner

// Options are those of a controller that is the variant.
func (v Variant) Options() disruption.Options {
	options := disruption.Options{Writer: v.Writer, Around: v.Reconciler, Reset: v.Reset, Concerned: v.Concerned}
	if v.Planner != nil {
		options.Plan = v.Planner(plan.Plan)
	}
	return options
}

// Differs reports whether there is any difference.
func (v Variant) Differs() bool {
	return v.Planner != nil || v.Reset != nil || v.Concerned != nil || v.Writer != nil || v.Reconciler != nil
}

// Broken returns every variant that breaks a promise, in the order of their names.
func Broken() []Variant {
	return sorted(brokenCounts(), brokenAims(), brokenScales(), brokenEvictions(), brokenReports(), brokenFailures(), brokenReactions(), brokenWrites(),
		brokenShares(), brokenTurns(), brokenSelections(), brokenMemories(), brokenAgain(), brokenEntries(), brokenSums(), brokenCauses(), brokenLeavers(), brokenEdges(), brokenSlips(), brokenNarrow(), brokenFirsts(), brokenReferences(), brokenInterplays(), brokenCoincidences(), brokenStrangers(), brokenNamesAgain(), brokenMeetings())
}

// Lawful returns every variant that no requirement forbids, in the order of their names.
func Lawful() []Variant {
	return sorted(lawfulReports(), lawfulPaces(), lawfulWrites(), lawfulLists(), lawfulMarks(), lawfulOutsiders(), lawfulStrangers(), lawfulCoincidences())
}

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
