package daemonimage_test

import (
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
)

func TestWhereNoModuleHasTheProgramsTheErrorSaysWhatDoes(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := daemonimage.BuildProbe(t.Context(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "in a module that requires it") || !strings.Contains(err.Error(), "rollcall.dev/probe") {
		t.Errorf("got %v", err)
	}
}
