// Command bench measures what rollouts take under implementations that take turns on one embedded control plane: first pods, a rollout with
// maxSurge 25 %, one with maxUnavailable 10 %. It prints a table of medians over the rounds, with the ratio of the first implementation to the last.
//
//	go run ./hack/bench                                            the reference against kube-controller-manager, 1,000 nodes, 2 rounds
//	go run ./hack/bench -nodes=100 -rounds=5
//	go run ./hack/bench ./my-controller.yaml kube-controller-manager
//
// Only ratios of one run mean anything: the same machine does everything, the simulated nodes included. An implementation takes part if its file has
// spec.launch.process with the address of its metrics, which must have those of its process and of client-go's requests.
//
// Exit codes, of which `go run` tells only 0 from others: 0 measured, 2 bad input, 3 something could not be measured.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// settings are what the command is told.
type settings struct {
	// nodes is how many there are, and rounds how often each implementation has its turn.
	nodes, rounds int
	// artifacts is the folder for recordings and logs.
	artifacts string
	// names are the implementations, as `rollcall run -implementation` takes them.
	names []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := parseAndRun(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	os.Exit(code)
}

func parseAndRun(ctx context.Context, args []string) (int, error) {
	s, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return trial.ExitProven, err
	} else if err != nil {
		return trial.ExitUsage, err
	}
	tested, err := load(s.names)
	if err != nil {
		return trial.ExitUsage, err
	}
	results, err := measure(ctx, s, tested)
	if err != nil {
		return trial.ExitNotTried, err
	}
	return trial.ExitProven, writeTable(os.Stdout, s, results)
}

func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&s.nodes, "nodes", 1000, "how many simulated nodes there are")
	flags.IntVar(&s.rounds, "rounds", 2, "how often each implementation has its turn")
	flags.StringVar(&s.artifacts, "artifacts", filepath.Join("_artifacts", "bench"), "folder for recordings and logs")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.nodes < 10 || s.rounds < 1 {
		return s, fmt.Errorf("-nodes %d, -rounds %d: it takes at least 10 nodes, 10 %% of which are one, and 1 round", s.nodes, s.rounds)
	}
	if s.names = flags.Args(); len(s.names) == 0 {
		s.names = []string{"reference", "kube-controller-manager"}
	}
	var err error
	s.artifacts, err = filepath.Abs(s.artifacts)
	return s, err
}
