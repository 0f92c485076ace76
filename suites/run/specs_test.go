package run

import (
	"slices"
	"testing"

	"github.com/onsi/ginkgo/v2/types"
)

func TestGinkgoSetsNoLimitToARun(t *testing.T) {
	suite, reporter, cli, build := types.NewDefaultSuiteConfig(), types.NewDefaultReporterConfig(), types.NewDefaultCLIConfig(), types.NewDefaultGoFlagsConfig()
	flags, err := types.BuildRunCommandFlagSet(&suite, &reporter, &cli, &build)
	if err != nil {
		t.Fatal(err)
	}
	r := &suiteRun{options: options{procs: 4, seed: 7}}
	if _, err := flags.Parse(r.specsArgs()[1:]); err != nil {
		t.Fatal(err)
	}
	// As the runner passes it on to the processes that run specs.
	args, err := types.GenerateGinkgoTestRunArgs(suite, reporter, build)
	if err != nil {
		t.Fatal(err)
	}
	if want := "--ginkgo.timeout=" + noSuiteTimeout.String(); !slices.Contains(args, want) {
		t.Errorf("got %q, want %s among them", args, want)
	}
}
