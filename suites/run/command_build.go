package run

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

// buildBinaries is `rollcall build`: what `rollcall run` would build on first use, ahead of it.
func buildBinaries(ctx context.Context, args []string, out io.Writer) (int, error) {
	flags := newFlags("build", out)
	describe(flags, `rollcall build [flags]

Builds the binaries of a control plane into the cache, where `+"`rollcall run`"+` finds them, and prints their folder. What is there already is not built again.

Exit code: 0 built, 2 bad input, 3 they cannot be built.
`)
	version := flags.String("kubernetes-version", "", "Kubernetes version, such as 1.36.3 (default: the newest one rollcall knows)")
	if err := parseFlagsOnly(flags, args); err != nil {
		return exitUsage, err
	}
	binaries, err := ensureBinaries(ctx, *version, out)
	if err != nil {
		return exitHarness, err
	}
	fmt.Fprintln(out, binaries.Dir)
	return exitConformant, nil
}

func ensureBinaries(ctx context.Context, version string, out io.Writer) (controlplane.Binaries, error) {
	return ensurePrograms(ctx, controlplane.Options{Version: version, Out: out})
}

// ensurePrograms is controlplane.Ensure; what the user can correct is a usageError.
func ensurePrograms(ctx context.Context, options controlplane.Options) (controlplane.Binaries, error) {
	binaries, err := controlplane.Ensure(ctx, options)
	if errors.Is(err, controlplane.ErrUnknownVersion) || errors.Is(err, controlplane.ErrNoCacheDir) {
		return binaries, usageError{err}
	}
	return binaries, asUsageError(err)
}
