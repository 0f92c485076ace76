// Package variants holds controllers that are the reference but for one difference: broken ones, which break a promise that they name, and
// lawful ones, which do otherwise what the requirements leave open. The suite has to find out every broken one and no lawful one. The simulation
// does the same with those that differ in their planner alone. The reference does not contain them: they are functions around its parts, and
// hack/mutants/rollcall-variant is the program that runs one.
package variants

import (
	"cmp"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/united"
	unitedplan "github.com/rollcall-conformance/rollcall/impl/united/plan"
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
	// NeedsKubelets: only real nodes can show the difference.
	NeedsKubelets bool

	// Planner wraps plan.Plan, once for every process; nil for none.
	Planner Around
	// Writer wraps the client through which everything is written; nil for none.
	Writer func(client.Client) client.Client
	// Live wraps the client that reads past all caches; nil for none.
	Live func(client.Reader) client.Reader
	// Reconciler wraps the reconciler; nil for none.
	Reconciler func(reconcile.Reconciler, client.Client) reconcile.Reconciler
	// United wraps the planner of UnitedDaemonSets, once for every process; nil for none.
	United func(next unitedplan.Planner) unitedplan.Planner
	// Args are further arguments of the program.
	Args []string
}

// Around wraps a planner. The result may remember what it saw, until its process ends.
type Around func(next plan.Planner) plan.Planner

// Options are those of a controller that is the variant.
func (v Variant) Options() daemonset.Options {
	options := daemonset.Options{Writer: v.Writer, Live: v.Live, Around: v.Reconciler}
	if v.Planner != nil {
		options.Plan = v.Planner(plan.Plan)
	}
	return options
}

// Differs reports whether there is any difference.
func (v Variant) Differs() bool {
	return v.Planner != nil || v.Writer != nil || v.Live != nil || v.Reconciler != nil || len(v.Args) > 0 || v.United != nil
}

// UnitedOptions are those of a controller of UnitedDaemonSets that is the variant.
func (v Variant) UnitedOptions() united.Options {
	var options united.Options
	if v.United != nil {
		options.Plan = v.United(unitedplan.Plan)
	}
	return options
}

// Broken returns every variant that breaks a promise, in the order of their names.
func Broken() []Variant {
	return sorted(
		brokenSurges(), brokenSurgeSlots(), brokenRollings(), brokenAvailabilities(), brokenClocks(), brokenStatuses(), brokenRevisions(),
		brokenNodes(), brokenTargets(), brokenWords(), brokenStalls(), brokenRefusals(), brokenKept(), brokenFaults(), brokenHistories(),
		brokenUpkeeps(), brokenPods(), brokenDuplicates(), brokenRestarts(), brokenRollbacks(), brokenRollovers(), brokenPauses(),
		brokenOnDeletes(), brokenBackoffs(), brokenReplacements(), brokenGates(), brokenPolicies(), brokenPatches(), brokenPatchTurns(),
		brokenProofs(), brokenReconcilers(), brokenExcesses(), brokenBounds(), brokenWithKubelets(), brokenCordons(), brokenDepartures(),
		brokenDrains(), brokenHistoriesInUse(), brokenHistoryNumbers(), brokenYouths(), brokenStallEnds(), brokenTolerations(),
		brokenStrategies(), brokenParts(), brokenLimits(), brokenMatches(), brokenWakeups(), brokenEvents(), brokenMemories(),
		brokenEnds(), brokenComparisons(), brokenTimers(), brokenHangs(), brokenTemplates(), brokenFormers(), brokenKinds(), brokenHands(),
		brokenAbsences(), brokenNumbers(), brokenReadings(), brokenCounts(), brokenConflicts(), brokenEdges(), brokenMeantimes(),
		brokenTerms(), brokenSlips(), brokenWaits(), brokenCorners(), brokenExtremes(), brokenAssumptions(), brokenRefills(),
		brokenLikenesses(), brokenUnited(), brokenUnitedObjects(), brokenUnitedTurns(), brokenUnitedParts(), brokenUnitedReports(),
		brokenUnitedAgain(), brokenUnitedCorners(), brokenUnitedChoices(), brokenUnitedNames(), brokenUnitedSlips(), brokenUnitedEdges(),
		brokenSequences(), brokenPatchSlips(), brokenPatchEdges(), brokenHalfway(), brokenUnitedFirst(), brokenReported(),
		brokenPatchInterplays(), brokenUnitedInterplays(), brokenCrossings(), brokenRecollections(), brokenUnitedCoincidences(),
		brokenPatchCoincidences(), brokenCoincidences(), brokenOutsiders(), brokenUnitedStrangers(), brokenStrangersRollouts(),
		brokenStrangersOrders(), brokenStrangersRecords(), brokenUnitedMeanings(), brokenReportedBugs(), brokenMeetings(),
		brokenKeptHistories(), brokenDecisions(), brokenJoiners(), brokenArithmetic(), brokenHandOvers(), brokenOverlooked(),
		brokenPatchMeetings(), brokenUnitedMeetings(), brokenReportsOfStalls(),
	)
}

// Lawful returns every variant that no requirement forbids, in the order of their names.
func Lawful() []Variant {
	return sorted(
		lawfulStatuses(), lawfulDeletions(), lawfulObjects(), lawfulWrites(), lawfulOrders(), lawfulPaces(), lawfulWaits(), lawfulPasses(),
		lawfulProcesses(), lawfulHabits(), lawfulLinks(), lawfulChores(), lawfulPatches(), lawfulUnited(), lawfulAuthors(),
		lawfulReports(), lawfulConditions(), lawfulFailures(), lawfulRequests(), lawfulPods(), lawfulUnitedPaces(), lawfulRhythms(),
		lawfulNeighbours(), lawfulViews(), lawfulPatchMarks(), lawfulUnitedReports(), lawfulOutsiders(), lawfulOutsiderReports(),
		lawfulOutsiderWaits(), lawfulPatchStrangers(), lawfulUnitedStrangers(), lawfulStrangers(), lawfulCoincidences(),
	)
}

// Named returns the variant of that name.
func Named(name string) (Variant, error) {
	for _, v := range slices.Concat(Broken(), Lawful()) {
		if v.Name == name {
			return v, nil
		}
	}
	return Variant{}, fmt.Errorf("there is no variant %q of the reference", name)
}

func sorted(groups ...[]Variant) []Variant {
	all := slices.Concat(groups...)
	slices.SortFunc(all, func(a, b Variant) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
