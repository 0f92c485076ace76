package spec

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

func TestASpecDoesNotRunWhereItCannotHaveWhatItWants(t *testing.T) {
	real := []string{"worker"}
	for name, tt := range map[string]struct {
		wants   wants
		session Session
		runs    bool
	}{
		"nothing":                       {wants{}, Session{}, true},
		"alone":                         {wants{alone: true}, Session{}, true},
		"alone on somebody's cluster":   {wants{alone: true}, Session{RealNodes: real, NeverAlone: "it is somebody's"}, false},
		"company on somebody's cluster": {wants{}, Session{RealNodes: real, NeverAlone: "it is somebody's"}, true},
		"kubelets":                      {wants{nodes: scenario.Real}, Session{RealNodes: real}, true},
		"kubelets where there are none": {wants{nodes: scenario.Real}, Session{}, false},
		"simulated nodes":               {wants{nodes: scenario.Simulated}, Session{RealNodes: real}, true},
		"simulated nodes where there are none": {
			wants{nodes: scenario.Simulated}, Session{RealNodes: real, OnlyRealNodes: true}, false,
		},
	} {
		if missing := tt.wants.missingOn(tt.session); (missing == "") != tt.runs {
			t.Errorf("%s: %q", name, missing)
		}
	}
}
