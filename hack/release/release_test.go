package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func TestBadInputIsRefusedAndLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(folder, "release")
	for name, row := range map[string]struct {
		output, platforms string
		rest              []string
		want              string
	}{
		"an argument":            {output, everyPlatform, []string{"now"}, `unexpected argument "now"`},
		"an unknown platform":    {output, "plan9/386", nil, "plan9/386"},
		"a system alone":         {output, "linux", nil, "linux/amd64"},
		"no platform":            {output, "", nil, "linux/amd64"},
		"a folder that is there": {folder, everyPlatform, nil, "there already"},
		"a file":                 {file, everyPlatform, nil, "there already"},
		"below nothing":          {filepath.Join(folder, "no", "release"), everyPlatform, nil, "no such file"},
	} {
		err := release(context.Background(), row.output, row.platforms, row.rest)
		if !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := os.Stat(output); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: something was left: %v", name, err)
		}
	}
}

func TestABuildThatFailsLeavesNothing(t *testing.T) {
	output := filepath.Join(t.TempDir(), "release")
	t.Setenv("PATH", "")
	if err := release(t.Context(), output, "linux/amd64", nil); err == nil || errors.As(err, new(usageError)) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(output); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was left: %v", err)
	}
}

func TestWhatNobodyCouldBuildAgainIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module example.org/alone\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := platform{runtime.GOOS, runtime.GOARCH}.compile(t.Context(), ".", filepath.Join(t.TempDir(), "alone"))
	if !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), "no git checkout") {
		t.Errorf("got %v", err)
	}
}

func TestPlatformsAndTheirFiles(t *testing.T) {
	all, err := parsePlatforms("linux/arm64,windows/amd64,linux/arm64")
	if err != nil || !slices.Equal(all, []platform{{"linux", "arm64"}, {"windows", "amd64"}}) || all[0].file() != "rollcall-linux-arm64" || all[1].file() != "rollcall-windows-amd64.exe" {
		t.Errorf("got %v, %v", all, err)
	}
	if all, err = parsePlatforms(everyPlatform); err != nil || len(all) != 5 {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestTheSBOMHasEveryModuleAndIsTheSameEachTime(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8", Main: debug.Module{Path: "example.org/rollcall", Version: "v1.2.3"},
		Deps: []*debug.Module{
			{Path: "example.org/a", Version: "v0.1.0", Sum: "h1:x"},
			{Path: "example.org/b", Version: "v0.2.0", Replace: &debug.Module{Path: "example.org/c", Version: "v0.3.0", Sum: "h1:y"}},
		},
	}
	first, err := sbom(platform{"linux", "arm64"}, info, "00")
	if err != nil {
		t.Fatal(err)
	}
	second, err := sbom(platform{"linux", "arm64"}, info, "00")
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("%v: the second differs:\n%s", err, second)
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(first), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, c := range *bom.Components {
		found = append(found, c.PackageURL)
	}
	want := []string{"pkg:golang/std@1.26.8", "pkg:golang/example.org/a@v0.1.0", "pkg:golang/example.org/c@v0.3.0"}
	if !slices.Equal(found, want) || bom.Metadata.Component.Version != "v1.2.3" || (*bom.Metadata.Component.Hashes)[0].Value != "00" {
		t.Errorf("got %q and %+v", found, bom.Metadata.Component)
	}
}

func TestTheSumsAreOfAllFiles(t *testing.T) {
	folder := t.TempDir()
	if err := writeSums(folder); err == nil {
		t.Error("nothing was built, and that is no error")
	}
	for _, name := range []string{"b", "a"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeSums(folder); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, sumsFile))
	want := "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a\n3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d  b\n"
	if err != nil || string(text) != want {
		t.Errorf("%v, got\n%s", err, text)
	}
}
