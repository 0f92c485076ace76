package simulation

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/disruption/variants"
)

// unseen are the broken variants that the simulation cannot find out: it has one budget, which always has a limit, is never deleted and selects pods
// of two workloads by a label, and whose pods keep their controllers; knows no events, and looks at no timestamps, nor at the generation of a condition. Its pods
// end at once, and it sees no status between two acts.
func unseen() []string {
	return []string{
		"wakes-for-scales-instead-of-evictions", "shares-custom-scales-between-namespaces",
		"empty-selector-selects-nothing", "no-selector-selects-everything", "looks-at-the-first-budget-only", "reads-no-custom-scale", "leaves-out-what-has-no-scale",
		"gives-up-silently", "tells-nothing", "leaves-stale-targets", "resets-targets-at-once", "takes-conditions-of-others-away",
		"has-a-condition-of-no-generation", "leaves-the-generation-of-its-condition", "fails-without-a-cause", "an-empty-budget-keeps-its-allowance",
		"tells-readiness-to-the-first-budget", "keeps-evictions-until-gone", "expects-all-the-pods-there-are", "takes-no-replicas-for-one",
		"stays-failed-for-a-minute", "selects-by-match-labels-alone", "hears-of-pods-by-match-labels", "looks-at-one-of-equal-budgets", "counts-controllers-by-name",
		"fails-when-nothing-has-a-scale", "remembers-controllers-of-pods", "times-evictions-by-its-own-clock", "gives-up-on-all-evictions-at-once",
		"wakes-for-the-latest-eviction", "wakes-for-the-first-eviction-by-name", "observes-no-smaller-generation", "resets-targets-of-evictions-alone",
		"knows-statuses-by-name", "resets-a-target-once", "waits-for-other-budgets", "takes-no-evictions-from-the-future", "takes-shares-in-floating-point",
		"takes-not-in-for-one-of-others", "gives-up-a-status-that-is-not-written", "counts-pods-whose-containers-are-ready", "counts-deployments-by-replica-sets",
		"leaves-a-failure-in-its-condition", "says-the-first-cause", "tells-kinds-by-their-names", "hears-of-no-pods-without-labels",
		"takes-the-first-owner-for-what-scales", "expects-nothing-of-workloads-that-go", "resets-no-targets-of-pending-pods", "remembers-who-has-no-scale",
		"asks-what-controls-a-replica-set", "counts-a-workload-for-its-predecessor",
		"takes-no-label-for-an-empty-one", "takes-the-condition-for-the-deletion", "gives-up-once-on-a-pod", "resets-no-targets-from-before",
		"takes-conditions-of-others-away-when-it-fails", "waits-for-the-kind", "observes-no-new-policy", "keeps-the-deployment-of-a-replica-set", "leaves-static-pods-out", "counts-pods-of-lost-nodes",
		"leaves-deleted-budgets-alone", "hears-of-labels-that-match-labels-name",
		"knows-no-former-group", "hears-of-pods-by-the-first-selector", "tells-the-new-budget-alone", "reads-a-custom-scale-once-a-minute", "keeps-the-numbers-of-a-limit-that-is-gone", "expects-no-scale-without-a-live-pod",
		"matches-the-first-expression", "takes-the-first-condition-for-its-own",
		// Not found out in as many simulations as there are; package variants has a test of each.
		"keeps-scales-while-pods-terminate", "hears-of-no-adoptions", "forgets-evictions-of-pods-that-became-ready-since", "counts-one-daemon-pod-a-node",
		// Hardly any pod of it changes its labels while it is not healthy or an eviction of it is under way, and no workload has its only pod evicted.
		"hears-of-no-labels-of-unready-pods", "shares-evictions-between-budgets", "expects-no-scale-of-evicted-pods",
		// Nobody else writes statuses there, no Deployment goes before its ReplicaSet, and every condition has a time.
		"takes-a-failure-that-it-finds-for-its-own", "looks-for-the-deployment-of-a-replica-set-alone", "resets-no-targets-without-a-time",
		// Its workloads have no more pods than they ask for.
		"allows-no-more-than-its-maxunavailable",
		// No condition of others says of which generation it is, no workload asks for millions of pods, and no name is used again.
		"takes-outdated-conditions-of-others-away", "lets-shares-of-large-scales-overflow", "takes-a-new-deployment-for-the-one-that-is-gone",
		// They patch, which the simulation's API server does not know: see unconditional.
		"writes-over-evictions", "writes-again-over-a-conflict", "takes-a-conflict-for-one-over-the-version",
	}
}

// attempts is how many simulations a broken variant may survive.
const attempts = 400

func TestBrokenControllersAreFoundOut(t *testing.T) {
	unconditional := variants.Variant{Name: "unconditional", Says: "writes whatever there is meanwhile", Writer: func(c client.StatusClient) client.StatusClient {
		return withoutVersion{c}
	}}
	for _, v := range append(variants.Broken(), unconditional) {
		if slices.Contains(unseen(), v.Name) {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			drawn := rapid.Custom(func(t *rapid.T) simulation { return simulation{drawSetup(t), drawActs(t)} })
			for i := range attempts {
				s := drawn.Example(i)
				if objections := newWorld(s.setup, v.Options).live(s.acts); len(objections) > 0 {
					t.Logf("found out by simulation %d: %s", i, objections[0])
					return
				}
			}
			t.Errorf("%s: not found out in %d simulations", v.Says, attempts)
		})
	}
}

func TestLawfulControllersAreNotObjectedTo(t *testing.T) {
	for _, name := range []string{"says-how-many-are-missing", "own-condition-first", "counts-in-a-condition-of-its-own", "expects-no-pods-that-have-ended", "tells-with-every-write", "looks-at-budgets-every-second", "looks-at-all-budgets"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(variants.Lawful(), func(v variants.Variant) bool { return v.Name == name })
			if i < 0 {
				t.Fatal("there is no such variant")
			}
			v := variants.Lawful()[i]
			drawn := rapid.Custom(func(t *rapid.T) simulation { return simulation{drawSetup(t), drawActs(t)} })
			for i := range 10 {
				s := drawn.Example(i)
				if objections := newWorld(s.setup, v.Options).live(s.acts); len(objections) > 0 {
					t.Fatalf("simulation %d: %s\n%+v", i, objections[0], s)
				}
			}
		})
	}
}

// withoutVersion writes over any version.
type withoutVersion struct{ client.StatusClient }

func (w withoutVersion) Status() client.SubResourceWriter {
	return unconditionalWriter{w.StatusClient.Status()}
}

type unconditionalWriter struct{ client.SubResourceWriter }

func (w unconditionalWriter) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	object.SetResourceVersion("")
	return w.SubResourceWriter.Update(ctx, object, options...)
}
