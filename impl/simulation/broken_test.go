package simulation

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

// brokenPlanner is a variant, and the requirements by which judges have to name it.
type brokenPlanner struct {
	variant string
	flavour flavour
	named   []requirements.ID
}

// brokenPlanners are the broken variants that the simulation's judges can find out.
func brokenPlanners() []brokenPlanner {
	surges, rolls := flavour{strategies: surging()}, flavour{strategies: rolling()}
	switches := flavour{strategies: surging(), gates: true}
	patches := flavour{strategies: rolling(), inPlace: true}
	stalls := flavour{strategies: slices.Concat(surging(), rolling()), stalls: true}
	return []brokenPlanner{
		{"deletes-first", surges, ids("SURGE-006", "SURGE-008", "SURGE-016")},
		{"hands-over-to-a-running-pod", surges, ids("SURGE-006")},
		{"surges-on-one-node-more", surges, ids("SURGE-002")},
		{"takes-one-node-more-down", rolls, ids("ROLLING-002")},
		{"unhealthy-old-pods-cost-nothing", rolls, ids("ROLLING-007")},
		{"terminating-pods-cost-nothing", rolls, ids("ROLLING-009")},
		{"broken-updated-pods-cost-nothing", rolls, ids("ROLLING-010")},
		{"stops-half-way", rolls, ids("ROLLING-001")},
		{"percentage-of-all-nodes-rolling", rolls, ids("ROLLING-002")},
		{"rounds-max-surge-down", surges, ids("SURGE-006")},
		{"creates-no-pod-beside-another", surges, ids("SURGE-001", "SURGE-011", "UNREADY-001")},
		{"missing-pod-waits-for-a-slot", surges, ids("SURGE-012")},
		{"takes-ready-for-available", surges, ids("AVAIL-001", "SURGE-006")},
		{"min-ready-seconds-fixed-at-creation", surges, ids("AVAIL-001", "SURGE-006")},
		{"waits-without-min-ready-seconds", surges, ids("AVAIL-002", "SURGE-007")},
		{"no-timer", surges, ids("AVAIL-005", "SURGE-007")},
		{"forgets-surge-pods-of-before-a-restart", surges, ids("SURGE-002")},
		{"forgets-what-it-wrote", surges, ids("SURGE-010")},
		{"forgets-what-it-wrote", rolls, ids("ROLLING-013", "ROLLING-002")},
		{"no-back-off", surges, ids("SURGE-024")},
		{"no-back-off", rolls, ids("TARGET-010")},
		{"remembers-one-failing-node", surges, ids("SURGE-024")},
		{"creates-every-pod-twice", surges, ids("SURGE-010")},
		{"creates-every-pod-twice", rolls, ids("ROLLING-013")},
		{"keeps-duplicates", surges, ids("SURGE-011")},
		{"old-pods-pile-up", surges, ids("SURGE-009")},
		{"does-not-see-old-pods-that-are-not-ready", surges, ids("SURGE-009")},
		{"does-not-wait-for-terminating-pods", rolls, ids("DRAIN-003")},
		{"keeps-replaced-pods", surges, ids("SURGE-011", "SURGE-007", "AVAIL-002")},
		{"keeps-pods-on-nodes-that-repel-them", rolls, ids("DRAIN-008", "TARGET-002")},
		{"keeps-pods-on-nodes-that-repel-them", surges, ids("DRAIN-008", "SURGE-018")},
		{"ignores-taints", rolls, ids("TARGET-001")},
		{"knows-no-host-aliases", rolls, ids("API-023")},
		{"deletes-orphans", rolls, ids("TARGET-003")},
		{"finishes-what-it-began", surges, ids("ROLLOVER-001")},
		{"no-revision-label", surges, ids("API-020")},
		{"no-generation-label", rolls, ids("API-021")},
		{"numbers-histories-by-how-many-there-are", rolls, ids("HISTORY-003")},
		{"trims-the-current-history-too", rolls, ids("HISTORY-018")},
		{"trims-the-newest-history", rolls, ids("HISTORY-019")},
		{"deletes-live-history", surges, ids("HISTORY-017")},
		{"counts-the-current-history", rolls, ids("HISTORY-020")},
		{"rollback-keeps-the-old-number", rolls, ids("HISTORY-010")},
		{"adopts-nothing", flavour{strategies: everyStrategy(), deletes: true}, ids("HISTORY-026")},
		{"keeps-all-history", rolls, ids("HISTORY-016")},
		{"counts-available-pods", surges, ids("STATUS-006")},
		{"unavailable-means-not-ready", surges, ids("STATUS-007")},
		{"empty-nodes-count-as-updated", rolls, ids("STATUS-013")},
		{"reports-a-generation-too-early", surges, ids("STATUS-010")},
		{"observes-a-generation-with-old-numbers", surges, ids("STATUS-010")},
		{"reports-nodes-as-misscheduled", rolls, ids("STATUS-003")},
		{"desired-only-goes-up", rolls, ids("STATUS-001", "STATUS-014")},
		{"terminating-pods-are-reported-as-ready", rolls, ids("STATUS-009")},
		{"cares-for-a-deleted-daemonset", flavour{strategies: rolling(), deletes: true}, ids("STATUS-015")},
		{"lets-the-status-wait", rolls, ids("STATUS-001", "STATUS-010")},
		{"writes-for-ever", rolls, ids("SURGE-025")},
		{"updates-although-on-delete", flavour{strategies: []strategy{{OnDelete: true}}}, ids("ONDELETE-001")},
		{"on-delete-refills-beside-ready-pods-alone", flavour{strategies: []strategy{{OnDelete: true}}}, ids("ONDELETE-002")},
		{"restarts-for-any-change", rolls, ids("ROLLING-015")},
		{"surges-without-the-gate", switches, ids("ROLLING-013")},
		{"stands-still-without-the-gate", switches, ids("ROLLING-001")},
		{"gives-up-available-pods-without-the-gate", switches, ids("ROLLING-002")},
		{"updates-in-place-unasked", rolls, ids("INPLACE-002")},
		{"recreates-despite-the-policy", patches, ids("INPLACE-003")},
		{"updates-in-place-with-on-delete", flavour{strategies: []strategy{{OnDelete: true}}, inPlace: true}, ids("INPLACE-011")},
		{"updates-one-more-in-place", patches, ids("INPLACE-012")},
		{"believes-patched-pods", patches, ids("INPLACE-012", "INPLACE-013")},
		{"takes-observed-for-restarted", patches, ids("INPLACE-013")},
		{"takes-any-new-container", patches, ids("INPLACE-013")},
		{"remembers-patches-by-itself", patches, ids("INPLACE-013")},
		{"updates-in-place-with-max-surge", flavour{strategies: surging(), inPlace: true}, ids("INPLACE-020")},
		{"patches-pods-that-do-not-run", patches, ids("INPLACE-021")},
		{"patches-images-alone", patches, ids("INPLACE-028")},
		{"patches-labels-first", patches, ids("INPLACE-028")},
		{"says-nothing-of-a-stall", stalls, ids("COND-001")},
		{"stalls-without-a-cause", stalls, ids("COND-001")},
		{"keeps-saying-it-is-stalled", stalls, ids("COND-003")},
	}
}

func ids(all ...requirements.ID) []requirements.ID { return all }

// mostSimulations is within how many a broken planner has to be caught.
const mostSimulations = 60

// TestBrokenPlannersAreCaught proves that the simulation can fail: each planner that breaks a promise is found out, by the name of that promise.
func TestBrokenPlannersAreCaught(t *testing.T) {
	for _, broken := range brokenPlanners() {
		t.Run(broken.variant, func(t *testing.T) {
			t.Parallel()
			variant, err := variants.Named(broken.variant)
			if err != nil {
				t.Fatal(err)
			}
			drawn := rapid.Custom(func(t *rapid.T) simulation {
				return simulation{drawSetup(t, broken.flavour), drawSchedule(t, broken.flavour)}
			})
			missing, found, steps := slices.Clone(broken.named), map[requirements.ID]int{}, 0
			for i := range mostSimulations {
				s := drawn.Example(i)
				w := newWorld(s.setup, variant.Planner)
				objections, _ := w.judged(s.schedule, broken.flavour)
				for _, objection := range objections {
					var promise brokenPromise
					if !errors.As(objection, &promise) {
						t.Fatalf("not a broken promise: %v", objection)
					}
					found[promise.requirement]++
					missing = slices.DeleteFunc(missing, func(id requirements.ID) bool { return id == promise.requirement })
				}
				steps += w.steps()
				if len(missing) == 0 {
					t.Logf("caught after %d simulations, %d steps: %v", i+1, steps, found)
					return
				}
			}
			t.Errorf("%d simulations, %d steps, did not find that it breaks %v; they named %v", mostSimulations, steps, missing, found)
		})
	}
}

// unbroken are the rules that no broken planner breaks, and why.
func unbroken() map[requirements.ID]string {
	const story = "its stories alone show that it fails"
	const busy = "nothing stays as it is for the 15 seconds that a status may take; its stories show that it fails"
	return map[requirements.ID]string{
		"AVAIL-006":    "a transition time is forgotten where odd things happen alone, and no broken planner is tried there",
		"SURGE-013":    "no variant keeps an old pod that is not available beside an updated one",
		"ROLLBACK-001": story, "TARGET-004": story, "UNREADY-006": story, "INPLACE-004": story, "INPLACE-005": story,
		"STATUS-002": busy, "STATUS-004": busy, "STATUS-005": busy, "STATUS-008": busy,
	}
}

// TestEveryRuleCatchesABrokenPlanner keeps the tables complete: a rule that objects to none of them might object to nothing.
func TestEveryRuleCatchesABrokenPlanner(t *testing.T) {
	for _, rule := range standing() {
		caught := slices.ContainsFunc(brokenPlanners(), func(broken brokenPlanner) bool { return slices.Contains(broken.named, rule.Requirement) }) ||
			slices.ContainsFunc(rarePlanners(), func(rare rarePlanner) bool { return slices.Contains(rare.named, rule.Requirement) })
		switch {
		case !caught && unbroken()[rule.Requirement] == "":
			t.Errorf("%s (%s): no broken planner breaks it", rule.Requirement, rule.Promise)
		case caught && unbroken()[rule.Requirement] != "":
			t.Errorf("%s: a broken planner breaks it: take it off the list", rule.Requirement)
		}
	}
}

// lawfulSimulations is how many simulations each lawful planner has to live through.
const lawfulSimulations = 3

// TestLawfulPlannersKeepEveryPromise proves that the judges leave alone who keeps the promises in another way than the reference.
func TestLawfulPlannersKeepEveryPromise(t *testing.T) {
	for _, flavour := range []flavour{{strategies: everyStrategy(), deletes: true, inPlace: true}, {strategies: rolling(), inPlace: true}} {
		drawn := rapid.Custom(func(t *rapid.T) simulation { return simulation{drawSetup(t, flavour), drawSchedule(t, flavour)} })
		for _, lawful := range variants.Lawful() {
			if lawful.Planner == nil {
				continue
			}
			t.Run(lawful.Name, func(t *testing.T) {
				t.Parallel()
				for i := range lawfulSimulations {
					s := drawn.Example(i)
					if objections, _ := newWorld(s.setup, lawful.Planner).judged(s.schedule, flavour); len(objections) > 0 {
						t.Fatalf("simulation %d: %v\n%+v\n%s", i, objections[0], s.setup, s.schedule)
					}
				}
			})
		}
	}
}
