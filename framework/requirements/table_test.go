package requirements

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

func TestTheTableNamesDecidingSpecsAndWhatHasNone(t *testing.T) {
	second := strings.NewReplacer("API-001", "API-002", "core", "extended", "DaemonSet", "Surge").Replace(soundRow)
	c, err := load(fstest.MapFS{"catalogue/api.yaml": {Data: []byte(soundRow + second)}}, []string{"API"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = WriteTable(&out, c, map[ID][]string{"API-002": {"surges with both limits", "refuses both limits"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `REQUIREMENT  LEVEL     FEATURE    DECIDED BY
API-001      core      DaemonSet  no spec yet
API-002      extended  Surge      refuses both limits; surges with both limits

2 requirements: 1 core, 1 extended, 0 reference; 1 decided by a spec, 1 with no spec yet
`
	if out.String() != want {
		t.Errorf("the table is\n%s\nwant\n%s", out.String(), want)
	}
}

func TestTheTableOfTheWholeCatalogueHasALineForEachRequirement(t *testing.T) {
	var out strings.Builder
	if err := WriteTable(&out, loaded(t), nil); err != nil {
		t.Fatal(err)
	}
	want := len(loaded(t).All()) + 1
	if got := strings.Count(out.String(), "no spec yet\n"); got != want {
		t.Errorf("%d lines end in \"no spec yet\", want %d: the requirements and the summary", got, want)
	}
}

func TestASpecThatDecidesAnUnknownRequirementIsRefused(t *testing.T) {
	var out strings.Builder
	err := WriteTable(&out, loaded(t), map[ID][]string{"SURGE-2": {"some spec"}})
	if err == nil || !strings.Contains(err.Error(), "did you mean SURGE-002?") || out.Len() > 0 {
		t.Errorf("the error is %v, with output %q", err, out.String())
	}
}

func TestAFailingWriterIsReported(t *testing.T) {
	broken := fmt.Errorf("disk full")
	if err := WriteTable(failing{broken}, loaded(t), nil); !errors.Is(err, broken) {
		t.Errorf("the error is %v, want %v", err, broken)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
