package run

import (
	"fmt"
	"io"

	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// printVersion is `rollcall version`: what a bug report needs.
func printVersion(args []string, out io.Writer) (int, error) {
	flags := newFlags("version", out)
	describe(flags, "rollcall version\n\nPrints rollcall's version, the catalogue's digest and the versions of Kubernetes.\n")
	if err := parseFlagsOnly(flags, args); err != nil {
		return exitUsage, err
	}
	catalogue, err := requirements.Load()
	if err != nil {
		return exitHarness, err
	}
	built := build()
	fmt.Fprintf(out, "rollcall    %s\n", built.Version)
	if built.Commit != "" {
		fmt.Fprintf(out, "commit      %s\n", built.Commit)
	}
	fmt.Fprintf(out, "catalogue   %s (%d requirements)\n", catalogue.Digest(), len(catalogue.All()))
	_, err = fmt.Fprintf(out, "Kubernetes  %s unless asked otherwise, %s and later\n", controlplane.DefaultKubernetesVersion, controlplane.OldestKubernetesVersion)
	return exitConformant, err
}
