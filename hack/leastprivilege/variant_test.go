package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

func TestTheVariantIsTheReferenceButForWhatItMayDo(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	objects, err := reference()
	if err != nil {
		t.Fatal(err)
	}
	path, err := writeVariant(t.TempDir(), objects)
	if err != nil {
		t.Fatal(err)
	}
	written, err := implementation.Load(path, catalogue)
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := implementation.Load("reference", catalogue)
	if err != nil {
		t.Fatal(err)
	}
	got, want := written.Launch.Process, shipped.Launch.Process
	if got.User.Name != want.User.Name || got.GoPackage != want.GoPackage || got.ReadyURL != want.ReadyURL || got.ReadyTimeout != readyTimeout {
		t.Errorf("got %+v, want %+v but for the timeout", got, want)
	}
	if !slices.Contains(got.Args, "--leader-elect=true") || slices.Contains(got.Args, "--leader-elect=false") || len(got.Args) != len(want.Args) {
		t.Errorf("arguments %q, want those of %q with leader election", got.Args, want.Args)
	}
	if len(written.Launch.Gates) == 0 || !maps.Equal(written.Launch.Gates, shipped.Launch.Gates) {
		t.Errorf("feature gates %v, want %v", written.Launch.Gates, shipped.Launch.Gates)
	}
	if len(got.Manifests) != 1 {
		t.Fatalf("%d manifests, want one", len(got.Manifests))
	}
	if granted := granting(t, parsed(t, string(got.Manifests[0].Content))); !slices.Equal(granted, granting(t, objects)) {
		t.Errorf("the manifest grants %q", granted)
	}
}

func TestAReferenceThatElectsNoLeaderIsNoticed(t *testing.T) {
	process := map[string]any{"args": []any{"--leader-elect=maybe"}}
	file := map[string]any{"spec": map[string]any{"launch": map[string]any{"process": process}}}
	if err := limit(file, "rbac.yaml"); err == nil || !strings.Contains(err.Error(), "--leader-elect=maybe") {
		t.Errorf("got %v, want an error that shows the arguments", err)
	}
}

func TestTheExerciseIsMadeOfSpecs(t *testing.T) {
	all := trial.Specs()
	selected, err := focus(all, exercise())
	if err != nil {
		t.Fatal(err)
	}
	pattern, err := regexp.Compile(selected)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range all {
		decides := slices.ContainsFunc(exercise(), func(id requirements.ID) bool { return slices.Contains(spec.Labels(), string(id)) })
		if pattern.MatchString(spec.FullText()) != decides {
			t.Errorf("%q: selected %t, want %t", spec.FullText(), !decides, decides)
		}
	}
	if _, err := focus(all, []requirements.ID{"API-020", "X-001"}); err == nil || !strings.Contains(err.Error(), "[X-001]") {
		t.Errorf("got %v, want an error that names the requirement without a spec", err)
	}
}
