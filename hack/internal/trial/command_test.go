package trial

import (
	"context"
	"errors"
	"flag"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestTheCommandLineIsOverTheDefaults(t *testing.T) {
	defaults := Options{Artifacts: "_artifacts/x", Patience: time.Second}
	for _, row := range []struct {
		args, says string
		code       int
		want       Options
	}{
		{"", "", 7, Options{Artifacts: "_artifacts/x", Patience: time.Second, Jobs: 2}},
		{"-jobs 3 -patience 2s -keep -artifacts y one two", "", 7, Options{Artifacts: "y", Patience: 2 * time.Second, Jobs: 3, Keep: true, Names: []string{"one", "two"}}},
		{"-jobs 0", "-jobs 0", ExitUsage, Options{}},
		{"-patience -1s", "-patience -1s", ExitUsage, Options{}},
		{"-nonsense", "nonsense", ExitUsage, Options{}},
		{"-help", flag.ErrHelp.Error(), ExitProven, Options{}},
	} {
		var got Options
		code, err := parseAndRun(context.Background(), "command", strings.Fields(row.args), defaults, func(_ context.Context, o Options) (int, error) {
			got = o
			return 7, nil
		})
		if code != row.code || (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: code %d, %v", row.args, code, err)
		}
		if row.says != "" {
			continue
		}
		if !filepath.IsAbs(got.Artifacts) || !strings.HasSuffix(got.Artifacts, row.want.Artifacts) {
			t.Errorf("%s: artifacts %s", row.args, got.Artifacts)
		}
		if got.Patience != row.want.Patience || got.Jobs != row.want.Jobs || got.Keep != row.want.Keep || strings.Join(got.Names, " ") != strings.Join(row.want.Names, " ") {
			t.Errorf("%s: %+v", row.args, got)
		}
	}
}

func TestTrialsAreMadeSomeAtATime(t *testing.T) {
	var running, most, made atomic.Int32
	All(20, 3, func(int) {
		now := running.Add(1)
		for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
		}
		made.Add(1)
		running.Add(-1)
	})
	if made.Load() != 20 || most.Load() > 3 {
		t.Errorf("%d trials, %d at once", made.Load(), most.Load())
	}
}

func TestNotProvenCountsMoreThanNotTried(t *testing.T) {
	const proven, untried = 'p', 'u'
	for outcomes, want := range map[string]int{
		"": ExitProven, "pp": ExitProven, "pr": ExitNotProven, "pu": ExitNotTried, "ur": ExitNotProven, "ru": ExitNotProven,
	} {
		got := ExitCode(len(outcomes), func(i int) (bool, bool) { return outcomes[i] != untried, outcomes[i] == proven })
		if got != want {
			t.Errorf("%q: %d, want %d", outcomes, got, want)
		}
	}
}

func TestBadInputNamesTheFlag(t *testing.T) {
	_, err := parseAndRun(context.Background(), "command", []string{"-jobs", "x"}, Options{Patience: time.Second}, func(context.Context, Options) (int, error) {
		return 0, errors.New("must not run")
	})
	if err == nil || !strings.Contains(err.Error(), "-jobs") {
		t.Errorf("got %v", err)
	}
}
