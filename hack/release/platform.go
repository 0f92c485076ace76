package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// everyPlatform: on Linux all of rollcall works; elsewhere everything but what brings up clusters.
const everyPlatform = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64"

// sumsFile has the digests of all other files.
const sumsFile = "SHA256SUMS"

// platform is an operating system and a processor, in Go's words.
type platform struct{ system, processor string }

func parsePlatforms(text string) ([]platform, error) {
	var all []platform
	for name := range strings.SplitSeq(text, ",") {
		if !slices.Contains(strings.Split(everyPlatform, ","), name) {
			return nil, fmt.Errorf("there is no release for %q: want some of %s", name, everyPlatform)
		}
		system, processor, _ := strings.Cut(name, "/")
		if p := (platform{system, processor}); !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all, nil
}

// file is the name of the binary.
func (p platform) file() string {
	name := "rollcall-" + p.system + "-" + p.processor
	if p.system == "windows" {
		name += ".exe"
	}
	return name
}

// environment is that of the build: whatever of the user's changes the bytes is overridden. GOFLAGS has what is the default: if it were empty, what `go env -w` has
// set would count.
func (p platform) environment() []string {
	return []string{"CGO_ENABLED=0", "GOOS=" + p.system, "GOARCH=" + p.processor, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off"}
}

// compile builds the program in a folder of the module to the path. One of which Go does not know the commit is bad input.
func (p platform) compile(ctx context.Context, program, path string) (*debug.BuildInfo, error) {
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", path, program)
	build.Env = append(os.Environ(), p.environment()...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build %s: %w", filepath.Base(path), err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	switch version := info.Main.Version; {
	case version == "(devel)":
		return nil, usageError{errors.New("go finds no git checkout here, so nobody could build the same again: build in a clone (git worktree makes none that it finds)")}
	case strings.HasSuffix(version, "+dirty"):
		return nil, usageError{fmt.Errorf("files differ from the last commit (%s), so nobody could build the same again: commit everything", version)}
	}
	return info, nil
}

// build builds the binary and its SBOM into the folder.
func (p platform) build(ctx context.Context, folder string) error {
	path := filepath.Join(folder, p.file())
	info, err := p.compile(ctx, ".", path)
	if err != nil {
		return err
	}
	digest, err := digestOf(path)
	if err != nil {
		return err
	}
	text, err := sbom(p, info, digest)
	if err != nil {
		return err
	}
	return os.WriteFile(path+sbomSuffix, text, 0o644)
}

// writeSums writes the digests of all files in the folder, by name, as `sha256sum -c` reads them.
func writeSums(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return errors.New("nothing was built")
	}
	var text strings.Builder
	for _, entry := range entries {
		digest, err := digestOf(filepath.Join(folder, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", digest, entry.Name())
	}
	return os.WriteFile(filepath.Join(folder, sumsFile), []byte(text.String()), 0o644)
}

func digestOf(path string) (string, error) {
	text, err := os.ReadFile(path)
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}
