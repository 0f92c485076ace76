package run

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

func TestADoctorSaysWhatIsMissingForWhichProviderAndTheFix(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(folder, "no.sock"))
	t.Setenv("PATH", folder)
	var out bytes.Buffer
	code, err := dispatch(t.Context(), "doctor", nil, &out)
	if err != nil || code != exitHarness {
		t.Fatalf("exit code %d, %v: nothing can run here", code, err)
	}
	for _, want := range []string{"provider embedded cannot run here", "provider kind cannot run here", "no go command", "https://go.dev/dl", "no Docker engine answers", "rollcall build"} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("want %q in:\n%s", want, out.String())
		}
	}
	if found, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(found) > 0 {
		t.Errorf("it left %q, %v", found, err)
	}
}

func TestWhatIsMissingStopsAProviderAndAWarningDoesNot(t *testing.T) {
	for name, row := range map[string]struct {
		checkup checkup
		well    bool
		mark    string
	}{
		"well":    {checkup{what: "Go", found: "go1"}, true, "ok"},
		"warning": {checkup{what: "clock", found: "x", fix: "y", warning: true}, true, "warning"},
		"missing": {checkup{what: "disk", found: "x", fix: "y"}, false, "missing"},
	} {
		var out bytes.Buffer
		if well := printCheckups(&out, "embedded", []checkup{row.checkup}); well != row.well || !strings.Contains(out.String(), row.mark) {
			t.Errorf("%s: well is %t:\n%s", name, well, out.String())
		}
	}
}

func TestTooLittleIsNotEnough(t *testing.T) {
	wanted := resource.MustParse("1Gi")
	if c := enough("disk", 3<<29, wanted, "free some", false); c.found != "1.5 GiB, 1 GiB needed" {
		t.Errorf("1.5 GiB of 1 GiB: %+v", c)
	}
	if c := enough("disk", 1<<30, wanted, "free some", false); c.fix != "" {
		t.Errorf("1 GiB of 1 GiB: %+v", c)
	}
	if c := enough("disk", 1<<30-1, wanted, "free some", false); c.fix == "" {
		t.Errorf("a byte less than 1 GiB: %+v", c)
	}
}

func TestALimitThatIsNotThereIsNamed(t *testing.T) {
	if c := limit("no_such_limit", 1); c.fix == "" || !strings.Contains(c.found, "no_such_limit") {
		t.Errorf("%+v", c)
	}
}
