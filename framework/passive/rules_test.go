package passive

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/rules"
)

func TestTheDocumentSaysOfEveryRuleWhetherItIsJudgedOrWhyNot(t *testing.T) {
	text, err := os.ReadFile("../../docs/watch.md")
	if err != nil {
		t.Fatal(err)
	}
	judged, others, found := strings.Cut(string(text), "## What is not judged")
	if !found {
		t.Fatal("docs/watch.md has no section on what is not judged")
	}
	for _, rule := range rules.All() {
		id := string(rule.Requirement)
		on := slices.Contains(fair(), rule.Requirement)
		if strings.Contains(judged, id) != on || strings.Contains(others, id) == on {
			t.Errorf("%s: judged %t, and docs/watch.md says otherwise, or nothing", id, on)
		}
	}
	if len(Rules()) != len(fair()) {
		t.Errorf("%d rules for %d requirements", len(Rules()), len(fair()))
	}
}
