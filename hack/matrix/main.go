// Command matrix runs the suite against an implementation on control planes of several Kubernetes versions, and prints a table in Markdown: a row for each
// requirement that does not pass on all of them.
//
//	go run ./hack/matrix                                              kube-controller-manager, each on the control plane of its own version
//	go run ./hack/matrix -versions=1.30.14,1.37.0 -focus=ROLLING
//	go run ./hack/matrix -implementation=reference
//	go run ./hack/matrix FOLDER FOLDER…                               makes the table from runs made before; those of one version are parts of one
//
// Exit codes, of which `go run` tells only 0 from others: 0 the table is made, 2 bad input, 3 a run could not be made, or was cut short.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/hack/internal/sidebyside"
	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// versionsByDefault are the newest ones, and older ones that clusters still run.
const versionsByDefault = "1.30.14,1.34.4,1.36.3,1.37.0"

// settings are the flags of this command alone.
type settings struct {
	// versions of Kubernetes, with commas.
	versions string
	sidebyside.Settings
}

func main() {
	var s settings
	register := func(flags *flag.FlagSet) {
		flags.StringVar(&s.versions, "versions", versionsByDefault, "Kubernetes versions, with commas")
		flags.StringVar(&s.Focus, "focus", "", "the specs to run, as of rollcall run (default: all)")
		flags.StringVar(&s.Implementation, "implementation", "kube-controller-manager", "implementation file, or the name of a shipped one")
	}
	run := func(ctx context.Context, o trial.Options) (int, error) { return matrix(ctx, o, s) }
	trial.Main("matrix", trial.Options{Artifacts: filepath.Join("_artifacts", "matrix"), Patience: scenario.DefaultPatience, Jobs: 1}, run, register)
}

func matrix(ctx context.Context, o trial.Options, s settings) (int, error) {
	if len(o.Names) > 0 {
		return tableOf(o.Names)
	}
	var planned []sidebyside.Planned
	var parsed []string
	for version := range strings.SplitSeq(s.versions, ",") {
		one, err := controlplane.ParseVersion(version)
		if err != nil {
			return trial.ExitUsage, fmt.Errorf("-versions: %w", err)
		}
		if slices.Contains(parsed, one) {
			return trial.ExitUsage, fmt.Errorf("-versions: %s is there twice: name each version once", one)
		}
		parsed = append(parsed, one)
		planned = append(planned, sidebyside.Planned{
			Name: "Kubernetes " + version, Folder: version, Args: []string{"-provider", embedded.ProviderName, "-kubernetes-version", version, "-seed", "1"},
		})
	}
	made, code, failure := sidebyside.Make(ctx, o, s.Settings, planned)
	if len(made) == 0 {
		return code, failure
	}
	if err := writeTable(os.Stdout, columns(made)); err != nil || failure != nil {
		return trial.ExitNotTried, errors.Join(failure, err)
	}
	return trial.ExitProven, nil
}

// tableOf makes the table from runs made before.
func tableOf(folders []string) (int, error) {
	runs, err := sidebyside.ReadAll(folders)
	if err != nil {
		return trial.ExitUsage, err
	}
	return trial.ExitProven, writeTable(os.Stdout, columns(runs))
}
