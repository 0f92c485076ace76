// Command bench measures implementations in turns on one embedded control plane. There are two courses: rollouts (first pods, a rollout with maxSurge 25 %,
// one with maxUnavailable 10 %), and budgets over many pods that become unready and Ready again. It prints a table for each course: medians over the rounds,
// and the ratio of the first implementation to the last.
//
//	go run ./hack/bench                                            the reference against kube-controller-manager, 2 rounds of both
//	go run ./hack/bench -nodes=100 -budgets=0 -rounds=5            rollouts alone
//	go run ./hack/bench -nodes=0 -budgets=500 -pods=20000          budgets alone
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
	// courses are those to go through, and rounds is how often each implementation has its turn.
	courses []course
	rounds  int
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
	tables, err := measure(ctx, s, tested)
	if err != nil {
		return trial.ExitNotTried, err
	}
	for _, each := range tables {
		if err := each.write(os.Stdout); err != nil {
			return trial.ExitNotTried, err
		}
	}
	return trial.ExitProven, nil
}

func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	nodes := flags.Int("nodes", 1000, "how many simulated nodes there are; 0: no rollouts are measured")
	count := flags.Int("budgets", 500, "how many budgets there are; 0: none are measured")
	pods := flags.Int("pods", 20000, "how many pods the budgets select together")
	flags.IntVar(&s.rounds, "rounds", 2, "how often each implementation has its turn")
	flags.StringVar(&s.artifacts, "artifacts", filepath.Join("_artifacts", "bench"), "folder for recordings and logs")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if *nodes != 0 {
		s.courses = append(s.courses, rollouts{*nodes})
	}
	if *count != 0 {
		s.courses = append(s.courses, budgets{*count, *pods})
	}
	switch {
	case s.rounds < 1:
		return s, fmt.Errorf("-rounds %d: it takes at least 1", s.rounds)
	case *nodes != 0 && *nodes < 10:
		return s, fmt.Errorf("-nodes %d: it takes at least 10, 10 %% of which are one; 0 for no rollouts", *nodes)
	case *count < 0 || *count != 0 && *pods < *count:
		return s, fmt.Errorf("-budgets %d, -pods %d: it takes a pod for each budget; -budgets=0 for none", *count, *pods)
	case len(s.courses) == 0:
		return s, errors.New("-nodes 0, -budgets 0: nothing is left to measure")
	}
	if s.names = flags.Args(); len(s.names) == 0 {
		s.names = []string{"reference", "kube-controller-manager"}
	}
	var err error
	s.artifacts, err = filepath.Abs(s.artifacts)
	return s, err
}
