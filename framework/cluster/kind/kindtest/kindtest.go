// Package kindtest has what Go tests on kind clusters share.
package kindtest

import (
	"os"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

// workers is how many nodes a test's cluster has beside the control plane's.
const workers = 2

// Need skips a test where no Docker engine answers.
func Need(t testing.TB) {
	t.Helper()
	if err := kind.EngineAnswers(t.Context()); err != nil {
		t.Skip(err)
	}
}

// Options are for a cluster with two workers and KWOK, in a folder of the test's.
func Options(t testing.TB) kind.Options {
	t.Helper()
	programs, err := controlplane.Ensure(t.Context(), controlplane.Options{Out: os.Stderr, Names: []string{"kwok"}})
	if err != nil {
		t.Fatal(err)
	}
	return kind.Options{Dir: t.TempDir(), Workers: workers, KWOK: programs.Path("kwok"), Out: os.Stderr}
}
