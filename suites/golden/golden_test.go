package golden_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/suites/golden"
)

// folder has the dictionary of the real recordings, and none of them.
func folder(t *testing.T) string {
	t.Helper()
	dictionary, err := os.ReadFile("../testdata/golden/dictionary.zst")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "dictionary.zst"), dictionary, 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestARecordingIsKeptInMilliseconds(t *testing.T) {
	corpus, err := golden.Open(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	h := historytest.SurgeRollout(t, 2)
	h.Entries[0].Received += 300 * time.Microsecond
	if err := corpus.Write("reference/surge", h); err != nil {
		t.Fatal(err)
	}
	names, err := corpus.Names("ref*")
	if err != nil || !slices.Equal(names, []string{"reference/surge"}) {
		t.Fatalf("got recordings %q, %v", names, err)
	}
	kept, err := corpus.Read(names[0])
	if err != nil {
		t.Fatal(err)
	}
	same := func(a, b history.Entry) bool {
		return a.ResourceVersion == b.ResourceVersion && a.Kind == b.Kind && a.Received.Truncate(time.Millisecond) == b.Received
	}
	if kept.Scenario != h.Scenario || len(kept.Entries) == 0 || !slices.EqualFunc(h.Entries, kept.Entries, same) {
		t.Errorf("%d entries of %q went in, %d of %q came out, or others", len(h.Entries), h.Scenario, len(kept.Entries), kept.Scenario)
	}
}

func TestAFolderWithoutDictionaryOrRecordingsIsAnError(t *testing.T) {
	if _, err := golden.Open(t.TempDir()); err == nil {
		t.Error("a folder without dictionary was opened")
	}
	corpus, err := golden.Open(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	if names, err := corpus.Names("*"); err == nil {
		t.Errorf("found %q in an empty corpus", names)
	}
}
