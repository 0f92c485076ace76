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

func TestAsManySpecsRunAtOnceAsTheProviderStands(t *testing.T) {
	for name, row := range map[string]struct {
		options    options
		provider   string
		processors int
		want       int
	}{
		"embedded":                  {options{procs: defaultProcs}, "embedded", 2, embeddedProcs},
		"kind on a laptop":          {options{procs: defaultProcs}, "kind", 2, 4},
		"kind on a large machine":   {options{procs: defaultProcs}, "kind", 16, defaultProcs},
		"somebody's cluster":        {options{procs: defaultProcs}, "existing", 1, defaultProcs},
		"kind, as the user says":    {options{procs: 12, procsGiven: true}, "kind", 2, 12},
		"embedded, as the user has": {options{procs: 1, procsGiven: true}, "embedded", 2, 1},
	} {
		if row.options.settleProcs(row.provider, row.processors); row.options.procs != row.want {
			t.Errorf("%s: %d specs at once, want %d", name, row.options.procs, row.want)
		}
	}
}
