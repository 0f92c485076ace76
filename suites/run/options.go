package run

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/existing"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/reports"
)

// options are those of `rollcall run`.
type options struct {
	implementation    string
	provider          string
	kubeconfig        string
	context           string
	images            string
	simulatedNodes    bool
	ownerReferences   bool
	workers           int
	keep              bool
	kubernetesVersion string
	artifacts         string
	// artifactsAsNamed is the same folder as the user named it.
	artifactsAsNamed string
	focus, skip      patterns
	failedIn         string
	// sample is how many of the specs run that are not in every sample; nil for all.
	sample *int
	// shard is the part of the selected specs that run; nil for all.
	shard        *reports.Shard
	baseline     string
	stopAfter    int
	list, dryRun bool
	on           string
	procs        int
	seed         int64
	patience     time.Duration
	verbose      bool
	onExit       string
	keepGoing    bool
	// procsGiven: the user said how many.
	procsGiven bool
	// json: see events.
	json bool
}

// How many specs run at once by default: they wait much more than they compute, and most on simulated nodes. Measured on 2 cores with 101 specs on
// embedded: 144 s with 6, 92 s with 10.
const (
	defaultProcs  = 6
	embeddedProcs = 10
)

// procsPerProcessor is how many run at once for each processor on kind, at most, whose nodes share the machine. Measured on 2 cores with the whole suite: with
// 6 the API server stood still for a second at times, and with 4 it took as long.
const procsPerProcessor = 2

// settleProcs chooses how many specs run at once on the provider, unless the user has.
func (o *options) settleProcs(provider string, processors int) {
	switch {
	case o.procsGiven:
	case provider == embedded.ProviderName:
		o.procs = embeddedProcs
	case provider == kind.ProviderName:
		o.procs = min(o.procs, procsPerProcessor*processors)
	}
}

// defaultWorkers is how many nodes with a kubelet a kind cluster has beside the control plane's.
const defaultWorkers = 4

// parseRun reads the command line of `rollcall run`. Its error is the user's to mend.
func parseRun(args []string, out io.Writer) (options, error) {
	var o options
	flags := o.flags(out)
	if err := parseFlagsOnly(flags, args); err != nil {
		return o, err
	}
	if err := o.checkCluster(); err != nil {
		return o, err
	}
	if err := o.checkOn(flags); err != nil {
		return o, err
	}
	flags.Visit(func(f *flag.Flag) { o.procsGiven = o.procsGiven || f.Name == "procs" })
	if err := o.checkValues(); err != nil {
		return o, err
	}
	if o.seed == 0 {
		o.seed = time.Now().Unix()
	}
	err := o.locateArtifacts()
	return o, err
}

// flags are those of `rollcall run`, with their defaults.
func (o *options) flags(out io.Writer) *flag.FlagSet {
	flags := newFlags("run", out)
	describe(flags, `rollcall run [flags]

Brings up a cluster and the implementation, runs the suites against it and takes everything down again. The report, the recordings and the logs are in the
folder -artifacts then. All input is checked before anything is started: -list and -dry-run say what a run would do. `+"`rollcall help`"+` lists the exit codes.
`)
	takeImplementation(flags, &o.implementation)
	flags.StringVar(&o.provider, "provider", "", "what provides the cluster: "+strings.Join(providers(), ", ")+" (default: kind where a Docker engine answers, otherwise embedded)")
	flags.StringVar(&o.on, "on", "", "use the control plane of this `name` that rollcall up keeps")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "provider existing: kubeconfig file of an administrator of the cluster")
	flags.StringVar(&o.context, "context", "", "provider existing: the cluster's context in it")
	flags.StringVar(&o.images, "images", string(daemonimage.Default), "provider existing: "+imagesUsage+", unless the nodes have them")
	flags.BoolVar(&o.simulatedNodes, "simulated-nodes", false, "provider existing: simulate nodes beside the cluster's, with a label and a taint of their own, for as long as the run takes")
	flags.BoolVar(&o.ownerReferences, "check-owner-references", false, "provider embedded: have kube-apiserver's admission plugin OwnerReferencesPermissionEnforcement on, as some distributions have it")
	flags.IntVar(&o.workers, "workers", defaultWorkers, "provider kind: how many nodes with a kubelet scenarios share")
	flags.BoolVar(&o.keep, "keep", false, "provider kind: leave the cluster as it is at the end, and say how to remove it")
	flags.StringVar(&o.kubernetesVersion, "kubernetes-version", "", "Kubernetes version of the control plane, such as 1.36.3 (default: the newest one rollcall knows)")
	flags.StringVar(&o.artifacts, "artifacts", "_artifacts", "folder for report.yaml, report.html, junit.xml, recordings/ and logs/")
	flags.Var(&o.focus, "focus", "run only specs that decide this requirement or family (SURGE-002, SURGE; several with commas) or whose text matches this regular expression; may be given more than once")
	flags.Var(&o.skip, "skip", "leave out specs that decide this, or whose text matches this, as -focus has it; may be given more than once")
	flags.StringVar(&o.failedIn, "failed-in", "", "run only specs that decide what failed, or was inconclusive, in this report")
	flags.Func("sample", "run `n` of the selected specs, drawn by the seed, beside those that take nodes with a kubelet and the main paths of the families (default: all of them)", o.setSample)
	flags.Func("shard", "run the `i/n`-th part of the selected specs; the other parts run elsewhere, with the same -seed, and `rollcall merge` makes one report of all", o.setShard)
	flags.StringVar(&o.baseline, "baseline", "", "exit with 0 if nothing is worse than in this report (a file, or the folder of a run), whatever fails in both")
	flags.IntVar(&o.stopAfter, "stop-after", 0, "end the run once this many specs have failed (default: none ends it)")
	flags.BoolVar(&o.list, "list", false, "name the selected specs with what they decide, and run nothing")
	flags.BoolVar(&o.dryRun, "dry-run", false, "read and check all files and flags, and whether the cluster can be used; say what would be done, and do nothing")
	flags.IntVar(&o.procs, "procs", defaultProcs, fmt.Sprintf("how many specs run at once (unless this is given, on embedded %d, on kind no more than %d for each processor)", embeddedProcs, procsPerProcessor))
	flags.Int64Var(&o.seed, "seed", 0, "seed of the specs' order and of every random choice (default: the time; the report shows it)")
	flags.DurationVar(&o.patience, "patience", scenario.DefaultPatience, "how long to wait for what the implementation should do; the report shows any other value than the default")
	flags.StringVar(&o.onExit, "on-exit", onExitStop, "when the implementation ends by itself: "+onExitStop+" the run, or "+onExitRestart+" it and go on; either way it is reported, and the run does not exit with 0")
	flags.BoolVar(&o.keepGoing, "keep-going", false, fmt.Sprintf("go on although the first %d specs could not be decided, all for the same reason", alikeAtFirst))
	flags.BoolVar(&o.json, "json", false, jsonUsage)
	flags.BoolVar(&o.verbose, "v", false, "name every spec as it runs, and tell every failure of it")
	return flags
}

// checkValues refuses values that a flag cannot have.
func (o *options) checkValues() error {
	switch {
	case o.json && (o.list || o.dryRun):
		return usagef("-json tells of a run: -list and -dry-run start none")
	case o.onExit != onExitStop && o.onExit != onExitRestart:
		return usagef("-on-exit %q: there are %s and %s", o.onExit, onExitStop, onExitRestart)
	case o.procs < 1:
		return usagef("-procs %d: must be at least 1", o.procs)
	case o.patience <= 0:
		return usagef("-patience %s: must be above 0", o.patience)
	case o.stopAfter < 0:
		return usagef("-stop-after %d: must be the number of failures, or 0 for no limit", o.stopAfter)
	case o.shard != nil && o.seed == 0:
		return usagef("-shard %s: give every shard the same -seed, such as -seed=1, so that together they are one run", o.shard)
	case o.artifacts == "":
		return usagef("-artifacts: name a folder")
	}
	return nil
}

// locateArtifacts finds the folder that the run would write to, and refuses one that is somebody else's or cannot be written to.
func (o *options) locateArtifacts() (err error) {
	o.artifactsAsNamed = o.artifacts
	if o.artifacts, err = filepath.Abs(o.artifacts); err != nil {
		return usagef("-artifacts: %w", err)
	}
	if info, err := os.Stat(o.artifacts); err == nil && !info.IsDir() {
		return usagef("-artifacts %s: not a folder", o.artifacts)
	}
	if o.list {
		return nil
	}
	if err := refuseForeign(o.artifacts); err != nil {
		return usageError{err}
	}
	// Now, and not when the control plane has been built.
	if err := writable(existingParent(o.artifacts)); err != nil {
		return usagef("-artifacts %s: %s: %w: name a folder that you can write to", o.artifacts, existingParent(o.artifacts), err)
	}
	return nil
}

// checkCluster refuses what cannot be had of a cluster.
func (o options) checkCluster() error {
	if o.provider != "" && !slices.Contains(providers(), o.provider) {
		return usagef("-provider %q: there are %s", o.provider, strings.Join(providers(), ", "))
	}
	if o.provider != existing.ProviderName && (o.kubeconfig+o.context != "" || o.images != "" && o.images != string(daemonimage.Default)) {
		return usagef("-kubeconfig, -context and -images are for -provider=%s alone: name it to use a cluster of your own", existing.ProviderName)
	}
	if o.simulatedNodes && o.provider != existing.ProviderName {
		return usagef("-simulated-nodes is for -provider=%s: other providers simulate nodes in any case", existing.ProviderName)
	}
	if o.provider == existing.ProviderName && o.kubernetesVersion != "" {
		return usagef("-kubernetes-version is not for -provider=%s: the cluster has its version already", existing.ProviderName)
	}
	if o.kubernetesVersion != "" {
		if _, err := controlplane.ParseVersion(o.kubernetesVersion); err != nil {
			return usagef("-kubernetes-version: %w", err)
		}
	}
	if o.provider != "" {
		if err := o.suits(o.provider); err != nil {
			return err
		}
	}
	if o.workers < 1 {
		return usagef("-workers %d: must be at least 1", o.workers)
	}
	return nil
}

// checkOn refuses options beside -on that `rollcall up` has set.
func (o options) checkOn(flags *flag.FlagSet) error {
	if o.on == "" {
		return nil
	}
	if err := checkWarmName("-on", o.on); err != nil {
		return err
	}
	set := []string{"provider", "kubernetes-version", "workers", "keep", "kubeconfig", "context", "images", "simulated-nodes", "check-owner-references"}
	var err error
	flags.Visit(func(f *flag.Flag) {
		if slices.Contains(set, f.Name) {
			err = usagef("-%s is not for runs with -on %s: `rollcall up` has set it", f.Name, o.on)
		}
	})
	return err
}

// providers are the names of those there are.
func providers() []string {
	return []string{embedded.ProviderName, kind.ProviderName, existing.ProviderName}
}

// suits refuses options that the provider does not take.
func (o options) suits(provider string) error {
	if provider != kind.ProviderName && o.keep {
		return usagef("-keep is for -provider=%s, this is %s", kind.ProviderName, provider)
	}
	if provider != kind.ProviderName && o.workers != defaultWorkers {
		return usagef("-workers is for -provider=%s, this is %s", kind.ProviderName, provider)
	}
	if provider != embedded.ProviderName && o.ownerReferences {
		return usagef("-check-owner-references is for -provider=%s, this is %s", embedded.ProviderName, provider)
	}
	return nil
}

// choose returns the provider asked for, or the one that this machine has what it takes for; then it says why.
func (o options) choose(ctx context.Context, out io.Writer) (provider, error) {
	say := func(format string, args ...any) { fmt.Fprintf(out, "rollcall: "+format+"\n", args...) }
	if o.on != "" {
		found, err := findWarm(ctx, o.on, say)
		return &warmProvider{warm: found}, err
	}
	chosen := o.provider
	if chosen == "" {
		if err := kind.EngineAnswers(ctx); err != nil {
			chosen = embedded.ProviderName
			say("provider embedded, since no Docker engine answers; -provider=kind says what it takes")
		} else {
			chosen = kind.ProviderName
			say("provider kind, since a Docker engine answers; -provider=embedded does without")
		}
		if err := o.suits(chosen); err != nil {
			return nil, err
		}
	}
	switch chosen {
	case kind.ProviderName:
		return &kindProvider{version: o.kubernetesVersion, workers: o.workers, keep: o.keep, out: out}, nil
	case existing.ProviderName:
		return &existingProvider{kubeconfig: o.kubeconfig, context: o.context, images: daemonimage.Place(o.images), simulate: o.simulatedNodes, out: out}, nil
	}
	return &embeddedProvider{version: o.kubernetesVersion, ownerReferences: o.ownerReferences, out: out}, nil
}

// takeImplementation defines -implementation.
func takeImplementation(flags *flag.FlagSet, file *string) {
	flags.StringVar(file, "implementation", "reference", "implementation file, or the name of a shipped one: "+strings.Join(implementation.Shipped(), ", "))
}
