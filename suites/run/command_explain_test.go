package run

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

func TestAnExplanationHasEverything(t *testing.T) {
	var out bytes.Buffer
	if code, err := dispatch(context.Background(), "explain", []string{"SURGE-013"}, &out); code != exitConformant || err != nil {
		t.Fatal(code, err)
	}
	for _, want := range []string{
		"SURGE-013 unavailable old pod takes no surge\n", "  required   A node whose old pod", "  source     S0 L91 (S0 is DaemonSet maxSurge", "  decision   It shows where",
		"  Kubernetes differs: ", "  always     asked of every recording: ", "  scenario   Surge counts no node", "  given      at least 1 × v2 pod created on «young»", "  asked      at least",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in:\n%s", want, out.String())
		}
	}
}

// A spec that asks nothing for a requirement that no rule decides could never give it a verdict.
func TestEverySpecAsksForWhatItDecides(t *testing.T) {
	ruled := map[requirements.ID]bool{}
	for _, rule := range rules.All() {
		ruled[rule.Requirement] = true
	}
	for _, report := range specTree() {
		s := spec.Registered(report.FullText())
		for _, id := range s.Decides {
			given, asked, all := s.Questions(id)
			if all && len(asked) == 0 && !ruled[id] {
				t.Errorf("%s decides %s and asks nothing", s.Text, id)
			}
			for _, what := range append(given, asked...) {
				if what == "" {
					t.Errorf("%s asks %s something that has no words", s.Text, id)
				}
			}
		}
	}
}
