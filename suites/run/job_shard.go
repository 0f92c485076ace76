package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/job"
	"github.com/rollcall-conformance/rollcall/reports"
)

// jobResults are the results of a shard in its container.
type jobResults struct{ folder string }

// artifacts is the folder of the run.
func (r jobResults) artifacts() string { return filepath.Join(r.folder, "artifacts") }

// over is a file that exists once the run is over, fetched one that exists once its results were fetched.
func (r jobResults) over() string { return filepath.Join(r.folder, "over") }

func (r jobResults) fetched() string { return filepath.Join(r.folder, "fetched") }

// fetchInterval is how often a shard looks whether its results were fetched.
const fetchInterval = time.Second

// runShardInJob runs the shard of the pod, and waits until its results were fetched. It ends as `rollcall run` does.
func runShardInJob(ctx context.Context, args []string, out io.Writer) (int, error) {
	o := jobOptions{}
	flags := newFlags(job.ShardCommand, out)
	flags.IntVar(&o.shards, "shards", 0, "how many there are")
	flags.Int64Var(&o.seed, "seed", 0, "seed of the run")
	flags.StringVar(&o.version, "kubernetes-version", "", "Kubernetes version")
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	o.rest = flags.Args()
	index, err := strconv.Atoi(os.Getenv(job.IndexVariable))
	if err != nil || index < 0 || index >= o.shards {
		return exitUsage, usagef("%s is %q: `rollcall %s` is for the pods of an Indexed Job, whose manifest `rollcall job` writes", job.IndexVariable, os.Getenv(job.IndexVariable), job.ShardCommand)
	}
	results := jobResults{job.Results}
	shard := append(o.runArgs(reports.Shard{Index: index + 1, Count: o.shards}, results.artifacts()), "-implementation="+job.ImplementationFile)
	code, err := runSuites(ctx, shard, out)
	if _, missing := os.Stat(filepath.Join(results.artifacts(), reports.YAMLFile)); missing != nil || ctx.Err() != nil {
		return code, err
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "rollcall: %v\n", err)
		code = codeOf(err)
	}
	return code, results.await(ctx, out)
}

// await marks the run as over, and returns when its results were fetched or the context ends.
func (r jobResults) await(ctx context.Context, out io.Writer) error {
	if err := os.WriteFile(r.over(), nil, 0o644); err != nil {
		return err
	}
	fmt.Fprintln(out, "rollcall: waiting until `rollcall collect` has fetched the results")
	tick := time.NewTicker(fetchInterval)
	defer tick.Stop()
	for {
		if _, err := os.Stat(r.fetched()); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// giveResults writes the results of the shard in this container, or notes that they were fetched.
func giveResults(args []string, out io.Writer) (int, error) {
	flags := newFlags(job.ResultsCommand, out)
	fetched := flags.Bool(job.FetchedFlag[1:], false, "note that the results were fetched")
	if err := parseFlagsOnly(flags, args); err != nil {
		return exitUsage, err
	}
	return jobResults{job.Results}.give(*fetched, out)
}

func (r jobResults) give(fetched bool, out io.Writer) (int, error) {
	if _, err := os.Stat(r.over()); errors.Is(err, os.ErrNotExist) {
		return job.ExitRunning, nil
	} else if err != nil {
		return exitHarness, err
	}
	if fetched {
		return exitConformant, os.WriteFile(r.fetched(), nil, 0o644)
	}
	return exitConformant, job.WriteResults(out, r.artifacts())
}
