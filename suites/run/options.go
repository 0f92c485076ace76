package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/existing"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// options are those of `rollcall run`.
type options struct {
	implementation    string
	provider          string
	kubeconfig        string
	context           string
	images            string
	workers           int
	keep              bool
	kubernetesVersion string
	artifacts         string
	// artifactsAsNamed is the same folder as the user named it.
	artifactsAsNamed string
	focus            string
	procs            int
	seed             int64
	patience         time.Duration
	verbose          bool
	onExit           string
	keepGoing        bool
	// procsGiven: the user said how many.
	procsGiven bool
}

// How many specs run at once by default: they wait much more than they compute, and most on simulated nodes. Measured on 2 cores with 101 specs on
// embedded: 144 s with 6, 92 s with 10.
const (
	defaultProcs  = 6
	embeddedProcs = 10
)

// defaultWorkers is how many nodes with a kubelet a kind cluster has beside the control plane's.
const defaultWorkers = 4

func parseRun(args []string, out io.Writer) (options, error) {
	var o options
	flags := newFlags("run", out)
	flags.StringVar(&o.implementation, "implementation", "reference", "implementation file, or the name of a shipped one: "+strings.Join(implementation.Shipped(), ", "))
	flags.StringVar(&o.provider, "provider", "", "what provides the cluster: "+strings.Join(providers(), ", ")+" (default: kind where a Docker engine answers, otherwise embedded)")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "provider existing: kubeconfig file of an administrator of the cluster")
	flags.StringVar(&o.context, "context", "", "provider existing: the cluster's context in it")
	flags.StringVar(&o.images, "images", string(daemonimage.Default), "provider existing: "+imagesUsage+", unless the nodes have them")
	flags.IntVar(&o.workers, "workers", defaultWorkers, "provider kind: how many nodes with a kubelet scenarios share")
	flags.BoolVar(&o.keep, "keep", false, "provider kind: leave the cluster as it is at the end, and say how to remove it")
	flags.StringVar(&o.kubernetesVersion, "kubernetes-version", "", "Kubernetes version of the control plane, such as 1.36.3 (default: the newest one rollcall knows)")
	flags.StringVar(&o.artifacts, "artifacts", "_artifacts", "folder for report.yaml, junit.xml, recordings/ and logs/")
	flags.StringVar(&o.focus, "focus", "", "run only the specs whose text matches this regular expression, or that decide this requirement or family (SURGE-002, SURGE)")
	flags.IntVar(&o.procs, "procs", defaultProcs, fmt.Sprintf("how many specs run at once (on embedded %d, unless this is given)", embeddedProcs))
	flags.Int64Var(&o.seed, "seed", 0, "seed of the specs' order and of every random choice (default: the time; the report shows it)")
	flags.DurationVar(&o.patience, "patience", scenario.DefaultPatience, "how long to wait for what the implementation should do; the report shows a changed one")
	flags.StringVar(&o.onExit, "on-exit", onExitStop, "when the implementation ends by itself: "+onExitStop+" the run, or "+onExitRestart+" it and go on; either way it is reported, and the run does not exit with 0")
	flags.BoolVar(&o.keepGoing, "keep-going", false, fmt.Sprintf("go on although the first %d specs could not be decided, all for the same reason", alikeAtFirst))
	flags.BoolVar(&o.verbose, "v", false, "name every spec as it runs")
	if err := parseFlagsOnly(flags, args); err != nil {
		return o, err
	}
	if o.provider != "" && !slices.Contains(providers(), o.provider) {
		return o, usagef("-provider %q: there are %s", o.provider, strings.Join(providers(), ", "))
	}
	if o.provider != existing.ProviderName && (o.kubeconfig+o.context != "" || o.images != string(daemonimage.Default)) {
		return o, usagef("-kubeconfig, -context and -images are for -provider=%s: a cluster of your own is used if you say so", existing.ProviderName)
	}
	if o.provider == existing.ProviderName && o.kubernetesVersion != "" {
		return o, usagef("-kubernetes-version: a cluster of your own has the version that it has")
	}
	if o.provider != "" {
		if err := o.suits(o.provider); err != nil {
			return o, err
		}
	}
	if o.onExit != onExitStop && o.onExit != onExitRestart {
		return o, usagef("-on-exit %q: there are %s and %s", o.onExit, onExitStop, onExitRestart)
	}
	if o.workers < 1 {
		return o, usagef("-workers %d: at least one node must have a kubelet", o.workers)
	}
	flags.Visit(func(f *flag.Flag) { o.procsGiven = o.procsGiven || f.Name == "procs" })
	if o.procs < 1 {
		return o, usagef("-procs %d: at least one spec must run at once", o.procs)
	}
	if o.patience <= 0 {
		return o, usagef("-patience %s: must be longer than nothing", o.patience)
	}
	if _, err := regexp.Compile(o.focus); err != nil {
		return o, usagef("-focus: %w", err)
	}
	if o.seed == 0 {
		o.seed = time.Now().Unix()
	}
	o.artifactsAsNamed = o.artifacts
	var err error
	if o.artifacts, err = filepath.Abs(o.artifacts); err != nil {
		return o, usagef("-artifacts: %w", err)
	}
	if info, err := os.Stat(o.artifacts); err == nil && !info.IsDir() {
		return o, usagef("-artifacts %s: not a folder", o.artifacts)
	}
	return o, nil
}

// providers are the names of those there are.
func providers() []string {
	return []string{embedded.ProviderName, kind.ProviderName, existing.ProviderName}
}

// suits refuses options that the provider does not take.
func (o options) suits(provider string) error {
	if provider != kind.ProviderName && (o.keep || o.workers != defaultWorkers) {
		return usagef("-keep and -workers are for -provider=%s, this is %s", kind.ProviderName, provider)
	}
	return nil
}

// choose returns the provider asked for, or the one that this machine has what it takes for, and why.
func (o options) choose(ctx context.Context, out io.Writer) (_ provider, why string, _ error) {
	chosen := o.provider
	if chosen == "" {
		chosen, why = kind.ProviderName, "provider kind, since a Docker engine answers; PROVIDER=embedded does without"
		if err := kind.EngineAnswers(ctx); err != nil {
			chosen, why = embedded.ProviderName, "provider embedded, since no Docker engine answers; PROVIDER=kind says what it takes"
		}
		if err := o.suits(chosen); err != nil {
			return nil, why, err
		}
	}
	switch chosen {
	case kind.ProviderName:
		return &kindProvider{version: o.kubernetesVersion, workers: o.workers, keep: o.keep, out: out}, why, nil
	case existing.ProviderName:
		return &existingProvider{kubeconfig: o.kubeconfig, context: o.context, images: daemonimage.Place(o.images), out: out}, why, nil
	}
	return &embeddedProvider{version: o.kubernetesVersion, out: out}, why, nil
}

// newFlags returns the flags of a command, still to be defined.
func newFlags(command string, out io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet("rollcall "+command, flag.ContinueOnError)
	flags.SetOutput(out)
	return flags
}

// parseFlags parses a command's arguments. Its error is a usageError, or flag.ErrHelp when help was asked for and given.
func parseFlags(flags *flag.FlagSet, args []string) error {
	err := flags.Parse(args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	return usageError{err}
}

// parseFlagsOnly is parseFlags for a command that takes nothing but flags.
func parseFlagsOnly(flags *flag.FlagSet, args []string) error {
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usagef("unexpected argument %q", flags.Arg(0))
	}
	return nil
}

// selection is which specs are to run: as Ginkgo's flags, and as a test.
type selection struct {
	flags   []string
	selects func(specReport) bool
}

// selection turns the focus into a selection: requirement IDs and families are labels, anything else matches texts. A focus that selects none of the
// specs is an error: the run would decide nothing.
func (o options) selection(catalogue *requirements.Catalogue, specs []specReport) (selection, error) {
	if o.focus == "" {
		return selection{selects: func(specReport) bool { return true }}, nil
	}
	flag, selects := "--focus="+o.focus, func(spec specReport) bool { return regexp.MustCompile(o.focus).MatchString(spec.FullText()) }
	if _, ok := catalogue.Get(requirements.ID(o.focus)); ok {
		flag, selects = "--label-filter="+o.focus, func(spec specReport) bool { return slices.Contains(spec.Labels(), o.focus) }
	} else if len(catalogue.Family(o.focus)) > 0 {
		inFamily := func(label string) bool { return strings.HasPrefix(label, o.focus+"-") }
		flag, selects = fmt.Sprintf("--label-filter=/^%s-/", o.focus), func(spec specReport) bool { return slices.ContainsFunc(spec.Labels(), inFamily) }
	}
	if !slices.ContainsFunc(specs, selects) {
		return selection{}, usagef("-focus %q selects no spec: `rollcall requirements` lists them", o.focus)
	}
	return selection{flags: []string{flag}, selects: selects}, nil
}
