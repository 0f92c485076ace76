package run

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
)

// unfinishedProvider is one whose control plane is starting when the user ends the run.
type unfinishedProvider struct {
	provider
	interrupt context.CancelFunc
	cluster   stoppedCluster
}

func (*unfinishedProvider) building() implementation.BuildOptions {
	return implementation.BuildOptions{}
}

func (p *unfinishedProvider) start(ctx context.Context, _ *suiteRun) (*place, error) {
	p.interrupt()
	return &place{Cluster: &p.cluster}, fmt.Errorf("start etcd: %w", ctx.Err())
}

// stoppedCluster notes that it was stopped, which may fail.
type stoppedCluster struct {
	cluster.Cluster
	stopped bool
	failure error
}

func (c *stoppedCluster) Stop(context.Context) error { c.stopped = true; return c.failure }

func (*stoppedCluster) ExportLogs(context.Context) error { return nil }

func TestAnInterruptionDuringStartUpIsNobodysFailure(t *testing.T) {
	for name, row := range map[string]struct {
		failure error
		harness string
	}{
		"all is taken down": {nil, ""},
		"something is left": {errors.New("namespace rollcall is still there"), "namespace rollcall is still there"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			var out bytes.Buffer
			folder := t.TempDir()
			r := &suiteRun{
				options: options{implementation: "reference"}, implementation: &implementation.Implementation{Name: "mine"},
				artifacts: artifacts{root: folder, work: folder, ginkgo: filepath.Join(folder, "ginkgo.json")}, out: &console{out: &out},
			}
			where := &unfinishedProvider{interrupt: interrupt, cluster: stoppedCluster{failure: row.failure}}
			r.failedBy(r.runOn(ctx, where))
			if !where.cluster.stopped {
				t.Error("the cluster was not taken down")
			}
			if r.harnessFailure != row.harness || r.implementationFailure != "" {
				t.Errorf("harness failure %q, want %q; implementation failure %q", r.harnessFailure, row.harness, r.implementationFailure)
			}
			if said := out.String(); !strings.Contains(said, "rollcall: interrupted: start etcd") {
				t.Errorf("it says:\n%s", said)
			}
		})
	}
}

func TestTheExitCodeOfAnError(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for name, row := range map[string]struct {
		err  error
		want int
	}{
		"help":                     {flag.ErrHelp, exitConformant},
		"bad input":                {fmt.Errorf("run: %w", usagef("-procs 0")), exitUsage},
		"a failure":                {io.ErrUnexpectedEOF, exitHarness},
		"interrupted":              {interrupted(ended, io.ErrUnexpectedEOF), exitHarness},
		"interrupted in a request": {interrupted(ended, usagef("the cluster does not answer")), exitHarness},
		"bad input, uninterrupted": {interrupted(t.Context(), usagef("-procs 0")), exitUsage},
	} {
		if got := codeOf(row.err); got != row.want {
			t.Errorf("%s: exit code %d, want %d", name, got, row.want)
		}
	}
}

func TestACacheThatCannotBeWrittenToIsTheUsersToMend(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "not a folder\n")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(file, "cache"))
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "no.sock"))
	artifacts := filepath.Join(t.TempDir(), "artifacts")
	for _, args := range [][]string{
		{"run", "-provider=embedded", "-artifacts=" + artifacts}, {"up", "-provider=embedded"}, {"build"}, {"images", "-output=" + t.TempDir()},
	} {
		_, err := dispatch(t.Context(), args[0], args[1:], io.Discard)
		if !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), "set XDG_CACHE_HOME to a folder that you can write to") {
			t.Errorf("%s: want a usage error that says what to set, got %v", args[0], err)
		}
	}
	if _, err := os.Stat(artifacts); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was left in %s: %v", artifacts, err)
	}
	var out bytes.Buffer
	if code, err := dispatch(t.Context(), "doctor", nil, &out); err != nil || code != exitHarness || !strings.Contains(out.String(), "XDG_CACHE_HOME") {
		t.Errorf("doctor: exit code %d, %v:\n%s", code, err, out.String())
	}
}
