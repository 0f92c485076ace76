// Package goldentest compares what a test made with a file of the repository, and writes that with -update.
package goldentest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// Equal fails the test unless got is the content of the file. With -update it writes the file, with its folder.
func Equal(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read what is wanted (go test -update writes it): %v", err)
	}
	if difference := cmp.Diff(string(want), got); difference != "" {
		t.Errorf("it differs from %s (-want +got; if it is right, go test -update writes it):\n%s", path, difference)
	}
}
