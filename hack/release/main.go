// Command release builds what a release of rollcall consists of: a static binary for each platform, with an SBOM of each in the form of CycloneDX, and the digests
// of all in SHA256SUMS. The same commit and the same version of Go make the same bytes, on every machine: hack/release/twice proves it.
//
// It exits with 0 if all was built, 2 on bad input, and 3 if something could not be built; nothing is left behind then.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
)

const (
	exitUsage  = 2
	exitFailed = 3
)

// usageError is bad input: the user can mend it.
type usageError struct{ error }

func main() {
	output := flag.String("output", "_release", "`folder` to write to; it must not exist")
	named := flag.String("platforms", everyPlatform, "platforms to build for, with commas between them")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := release(ctx, *output, *named, flag.Args())
	stop()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "release:", err)
	if errors.As(err, new(usageError)) {
		os.Exit(exitUsage)
	}
	os.Exit(exitFailed)
}

func release(ctx context.Context, output, named string, rest []string) error {
	if len(rest) > 0 {
		return usageError{fmt.Errorf("unexpected argument %q", rest[0])}
	}
	platforms, err := parsePlatforms(named)
	if err != nil {
		return usageError{fmt.Errorf("-platforms: %w", err)}
	}
	// Mkdir fails for what is there already, whatever it is.
	if err := os.Mkdir(output, 0o755); errors.Is(err, os.ErrExist) {
		return usageError{fmt.Errorf("-output %s: it is there already: remove it, or name another folder", output)}
	} else if err != nil {
		return usageError{fmt.Errorf("-output: %w", err)}
	}
	if err := fill(ctx, output, platforms); err != nil {
		return errors.Join(err, os.RemoveAll(output))
	}
	return nil
}

// known returns an error if Go does not know of which commit what it builds here is. A small program shows it in seconds: this one.
func known(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "rollcall-release-")
	if err != nil {
		return err
	}
	_, err = platform{runtime.GOOS, runtime.GOARCH}.compile(ctx, "./hack/release", filepath.Join(folder, "release"))
	return errors.Join(err, os.RemoveAll(folder))
}

// fill builds for all platforms, one after the other, into the folder.
func fill(ctx context.Context, folder string, platforms []platform) error {
	if err := known(ctx); err != nil {
		return err
	}
	for _, p := range platforms {
		fmt.Printf("building %s\n", p.file())
		if err := p.build(ctx, folder); err != nil {
			return err
		}
	}
	return writeSums(folder)
}
