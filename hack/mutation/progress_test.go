package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rollcall-conformance/rollcall/hack/mutation/mutant"
)

func TestARunGoesOnWhereItWasInterrupted(t *testing.T) {
	folder := t.TempDir()
	program, path := filepath.Join(folder, "program"), filepath.Join(folder, "progress")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	begin := func() *progress {
		t.Helper()
		p, err := resume(path, program)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.close)
		return p
	}
	write("a program")
	if err := begin().note(7, mutant.Trial{Rule: "SURGE-002", Plays: 3}); err != nil {
		t.Fatal(err)
	}
	p := begin()
	if got, known := p.of(7); !known || got.Rule != "SURGE-002" || got.Plays != 3 {
		t.Errorf("mutant 7: got %+v, %t, want what was noted", got, known)
	}
	if _, known := p.of(8); known {
		t.Error("mutant 8 is known, which was never tried")
	}
	write("another program")
	if _, known := begin().of(7); known {
		t.Error("what became of another program's mutant counts")
	}
}

func TestWithoutAFileNothingIsKept(t *testing.T) {
	p, err := resume("", "no program")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.note(1, mutant.Trial{Rule: "SURGE-002"}); err != nil {
		t.Error(err)
	}
	if _, known := p.of(1); known {
		t.Error("a mutant is known though there is no file")
	}
	p.close()
}
