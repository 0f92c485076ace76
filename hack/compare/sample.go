package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
	daemonset "github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
	disruption "github.com/rollcall-conformance/rollcall/impl/disruption/variants"
	"github.com/rollcall-conformance/rollcall/reports"
)

// subject is what a variant's controller is about, and a part of Kubernetes' tests.
type subject struct {
	name string
	// focus selects the tests, as -ginkgo.focus.
	focus string
}

// subjects are all that are compared.
func subjects() []subject {
	return []subject{ofDaemonSets(), ofBudgets()}
}

func ofDaemonSets() subject {
	return subject{name: "DaemonSets", focus: `\[sig-apps\] (Daemon set|ControllerRevision)`}
}

func ofBudgets() subject {
	return subject{name: "disruption budgets", focus: `\[sig-apps\] DisruptionController`}
}

// variant is a broken variant that Kubernetes' tests could find out.
type variant struct {
	name, says string
	breaks     []string
	subject    subject
}

// candidates are the broken variants that Kubernetes' tests could find out, in the order of their names: they break nothing but requirements of features that the
// baseline claims, one at least that Kubernetes keeps by the catalogue, and need no kubelets.
func candidates(catalogue *requirements.Catalogue, baseline *implementation.Implementation) []variant {
	var all []variant
	add := func(v variant) {
		kept := false
		for _, id := range v.breaks {
			r, found := catalogue.Get(requirements.ID(id))
			if !found || !baseline.Claims(r.Feature) {
				return
			}
			kept = kept || r.Kubernetes.Behaviour == reports.Conforms
		}
		if kept {
			all = append(all, v)
		}
	}
	for _, v := range daemonset.Broken() {
		if !v.NeedsKubelets {
			add(variant{name: v.Name, says: v.Says, breaks: v.Breaks, subject: ofDaemonSets()})
		}
	}
	for _, v := range disruption.Broken() {
		add(variant{name: v.Name, says: v.Says, breaks: v.Breaks, subject: ofBudgets()})
	}
	slices.SortFunc(all, func(a, b variant) int { return cmp.Compare(a.name, b.name) })
	return all
}

// choose returns those named, or else as many as wanted, drawn by the seed: of two sizes, the smaller sample is a part of the larger.
func choose(all []variant, names []string, wanted int, seed uint64) ([]variant, error) {
	if len(names) == 0 {
		return trial.Sample(all, wanted, seed, func(v variant) string { return v.name }), nil
	}
	var chosen []variant
	for _, name := range names {
		i := slices.IndexFunc(all, func(v variant) bool { return v.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no variant %s that Kubernetes' tests could find out: `go run ./hack/mutants -list` says what it breaks", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
