package spec

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/reports"
)

func TestASpecDoesNotRunWhereItCannotHaveWhatItWants(t *testing.T) {
	const real = 1
	for name, tt := range map[string]struct {
		wants wants
		place history.Place
		runs  bool
	}{
		"nothing":                       {wants{}, history.Place{}, true},
		"alone":                         {wants{alone: true}, history.Place{}, true},
		"alone on somebody's cluster":   {wants{alone: true}, history.Place{RealNodes: real, NeverAlone: "it is somebody's"}, false},
		"company on somebody's cluster": {wants{}, history.Place{RealNodes: real, NeverAlone: "it is somebody's"}, true},
		"kubelets":                      {wants{nodes: scenario.Real}, history.Place{RealNodes: real}, true},
		"kubelets where there are none": {wants{nodes: scenario.Real}, history.Place{}, false},
		"simulated nodes":               {wants{nodes: scenario.Simulated}, history.Place{RealNodes: real}, true},
		"simulated nodes where there are none": {
			wants{nodes: scenario.Simulated}, history.Place{RealNodes: real, OnlyRealNodes: true}, false,
		},
		"etcd":                      {wants{storage: true}, history.Place{}, true},
		"etcd where nobody reaches": {wants{storage: true}, history.Place{RealNodes: real, OnlyAPI: true}, false},
	} {
		if missing := tt.wants.missingOn(tt.place); (missing == "") != tt.runs {
			t.Errorf("%s: %q", name, missing)
		}
	}
}

func TestWhatIsAboutDaemonSetsOfKubernetesIsNotDecidedForAnotherWorkload(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	features := []string{string(requirements.DaemonSet)}
	daemons := history.Header{Features: features, Workload: "rollcall.dev/v1alpha1 Daemon"}
	for name, tt := range map[string]struct {
		wants  wants
		header history.Header
		// notRun is nil where the spec runs.
		notRun []reports.Verdict
	}{
		"of DaemonSets":        {wants{appsV1: AppsV1{}}, history.Header{Features: features}, nil},
		"of all":               {wants{}, daemons, nil},
		"of Daemons":           {wants{appsV1: AppsV1{}}, daemons, []reports.Verdict{reports.NotRun, reports.NotRun}},
		"of Daemons in a part": {wants{appsV1: AppsV1{"ROLLING-005"}}, daemons, nil},
		"of Daemons in every part": {
			wants{appsV1: AppsV1{"ROLLING-005", "ROLLING-006"}}, daemons, []reports.Verdict{reports.NotRun, reports.NotRun},
		},
	} {
		s := &Spec{Text: "a spec", Decides: Decides("ROLLING-005", "ROLLING-006"), wants: tt.wants}
		var got []reports.Verdict
		for _, outcome := range s.NotRun(tt.header, catalogue) {
			if got = append(got, outcome.Verdict); !strings.Contains(outcome.Reason, "the implementation reconciles rollcall.dev/v1alpha1 Daemon") {
				t.Errorf("%s: %s", name, outcome.Reason)
			}
		}
		if !slices.Equal(got, tt.notRun) {
			t.Errorf("%s: %v, want %v", name, got, tt.notRun)
		}
	}
	w, others := wantsOf([]any{AppsV1{}, "Ginkgo's"})
	if w.appsV1 == nil || len(w.appsV1) != 0 || len(others) != 1 {
		t.Errorf("%+v and %v", w, others)
	}
}

func TestOnlyThePartThatIsAboutDaemonSetsOfKubernetesIsLeftOut(t *testing.T) {
	g := NewWithT(t)
	s := &Spec{Text: "a spec", Decides: Decides("ROLLING-005", "ROLLING-006"), wants: wants{appsV1: AppsV1{"ROLLING-005"}}, Check: func(c *Checks) {
		c.Decide("ROLLING-005", matchers.EndsRolledOut())
		c.Decide("ROLLING-006", matchers.EndsRolledOut())
	}}
	h := recording(t, false, history.Ending{})
	g.Expect(verdicts(t, s, h)).To(HaveEach(is(reports.Fail, "")))
	h.Workload = "rollcall.dev/v1alpha1 Daemon"
	got := verdicts(t, s, h)
	g.Expect(got).To(HaveKeyWithValue(requirements.ID("ROLLING-005"), is(reports.NotRun, "DaemonSets of apps/v1")))
	g.Expect(got).To(HaveKeyWithValue(requirements.ID("ROLLING-006"), is(reports.Fail, "")))
}
