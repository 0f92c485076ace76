package spec

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
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
	} {
		if missing := tt.wants.missingIn(history.Header{Place: tt.place}); (missing == "") != tt.runs {
			t.Errorf("%s: %q", name, missing)
		}
	}
}
