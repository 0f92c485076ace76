package requirements

import (
	"strings"
	"testing"
)

func TestUnknownRequirementsAreNamedWithTheNearestKnownOne(t *testing.T) {
	cases := map[string]struct {
		id   ID
		want string
	}{
		"lower case":             {"surge-002", "did you mean SURGE-002?"},
		"underscore":             {"SURGE_002", "did you mean SURGE-002?"},
		"short number":           {"SURGE-2", "did you mean SURGE-002?"},
		"number out of range":    {"SURGE-099", "SURGE goes from SURGE-001 to SURGE-026"},
		"family of a longer one": {"PDB-099", "PDB goes from PDB-001 to PDB-035"},
		"family of one row":      {"STRESS-002", "STRESS has only STRESS-001"},
		"misspelt family":        {"ROLING-001", "ROLLING goes from"},
		"no family at all":       {"XYZ-001", "the families are API, AVAIL, SURGE"},
	}
	c := loaded(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := c.Unknown(tc.id)
			if err == nil {
				t.Fatalf("%s passes for known", tc.id)
			}
			for _, part := range []string{string(tc.id), tc.want} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error says %q, want it to say %q", err, part)
				}
			}
		})
	}
}

func TestUnknownListsAllThatAreUnknownAndNoOther(t *testing.T) {
	c := loaded(t)
	if err := c.Unknown("SURGE-001", "API-022"); err != nil {
		t.Errorf("known requirements are refused: %v", err)
	}
	err := c.Unknown("SURGE-001", "SURGE-027", "API-024")
	if err == nil || !strings.Contains(err.Error(), `"SURGE-027"`) || !strings.Contains(err.Error(), `"API-024"`) ||
		strings.Contains(err.Error(), `"SURGE-001"`) {
		t.Errorf("the error says %v, want SURGE-027 and API-024 alone", err)
	}
}
