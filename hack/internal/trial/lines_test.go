package trial

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestResultsAreReadAsTheyWereAdded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "results.jsonl")
	if none, err := ReadLines[Outcome](path); err != nil || len(none) > 0 {
		t.Errorf("got %v, %v of no file", none, err)
	}
	want := []Outcome{{Name: "deletes-first", Proven: true, Verdict: "killed", Seconds: 20.5}, {Name: "one-worker", Verdict: "SURVIVED"}}
	for _, outcome := range want {
		if err := AppendLine(path, outcome); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadLines[Outcome](path)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestAResultThatWasCutIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	if err := os.WriteFile(path, []byte("{\"name\":\"a\"}\n{\"name\":"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadLines[Outcome](path); err == nil || !strings.Contains(err.Error(), path+": result 2: ") {
		t.Errorf("got %v", err)
	}
}
