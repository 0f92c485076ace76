package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/cluster/existing"
	"github.com/rollcall-conformance/rollcall/framework/passive"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// untilRolledOut is the one thing that -until waits for.
const untilRolledOut = "rolled-out"

// watching is what `rollcall watch` is asked for.
type watching struct {
	kubeconfig, context, artifacts, until string
	targets                               passive.Targets
	lasting                               time.Duration
	size, keep                            int
	json                                  bool
	config                                *rest.Config
}

// The defaults of recordings: a rollout on 500 nodes makes about 10 MiB.
const (
	recordingSize  = 32
	recordingsKept = 20
	mebibyte       = 1 << 20
)

func parseWatch(args []string, out io.Writer) (watching, error) {
	var w watching
	var namespace string
	var everywhere bool
	flags := newFlags("watch", out)
	describe(flags, `rollcall watch -kubeconfig FILE -context NAME (-n NAMESPACE | -A) [-until rolled-out] [-for 10m] daemonset[/NAME]...

Records the rollouts of DaemonSets in a cluster that others use, and judges them while they go on. It writes nothing to the cluster: fixtures/rbac/watch.yaml has all
that it may do. A broken promise is shown about ten seconds after it broke, a rollout's numbers when it is over. docs/watch.md says which promises are judged.

  rollcall watch -kubeconfig ~/.kube/config -context prod -n kube-system -until rolled-out -for 30m daemonset/cilium

daemonset alone stands for all of the namespace, with -A for all there are. Without -until and -for it goes on until Ctrl-C.

Exit code: 0 no promise was broken, 1 one was, 2 usage or bad input, 3 something could not be judged, or the rollout was not over in time.
`)
	flags.StringVar(&w.kubeconfig, "kubeconfig", "", "kubeconfig `file`")
	flags.StringVar(&w.context, "context", "", "the cluster's context in it")
	flags.StringVar(&namespace, "n", "", "`namespace` of the DaemonSets")
	flags.BoolVar(&everywhere, "A", false, "watch all namespaces")
	flags.StringVar(&w.until, "until", "", "end when this has happened: "+untilRolledOut+", a rollout that was seen is over, and no other goes on")
	flags.DurationVar(&w.lasting, "for", 0, "end after this time (default: go on)")
	flags.StringVar(&w.artifacts, "artifacts", "_watch", "folder for the recordings; it must be empty, or not exist")
	flags.IntVar(&w.size, "recording-size", recordingSize, "begin another recording after so many MiB")
	flags.IntVar(&w.keep, "keep", recordingsKept, "keep so many recordings, the last ones, beside the first that show a requirement broken; 0: all")
	flags.BoolVar(&w.json, "json", false, jsonUsage)
	if err := parseFlags(flags, args); err != nil {
		return w, err
	}
	switch {
	case everywhere == (namespace != ""):
		return w, usagef("name the namespace with -n, or all of them with -A")
	case w.until != "" && w.until != untilRolledOut:
		return w, usagef("-until %s: there is %s", w.until, untilRolledOut)
	case w.lasting < 0:
		return w, usagef("-for %s: must be longer than nothing", w.lasting)
	case w.size < 1:
		return w, usagef("-recording-size %d: at least 1 MiB", w.size)
	case w.keep < 0:
		return w, usagef("-keep %d: a number of recordings, or 0 for all", w.keep)
	}
	var err error
	if w.targets, err = readTargets(namespace, flags.Args()); err != nil {
		return w, err
	}
	entries, err := os.ReadDir(w.artifacts)
	if err != nil && !os.IsNotExist(err) {
		return w, usagef("-artifacts: %w", err)
	}
	if len(entries) > 0 {
		return w, usagef("-artifacts %s: it is not empty: remove it, or name another folder", w.artifacts)
	}
	config, err := existing.ReadConfig(w.kubeconfig, w.context)
	if err != nil {
		return w, usageError{err}
	}
	if w.config, err = clientcmd.NewDefaultClientConfig(*config, &clientcmd.ConfigOverrides{}).ClientConfig(); err != nil {
		return w, usageError{err}
	}
	// A proof that a recording is complete takes a dozen small requests at once.
	w.config.UserAgent, w.config.QPS, w.config.Burst = "rollcall-watch", 20, 40
	return w, nil
}

// readTargets reads daemonset, daemonset/NAME and their short forms.
func readTargets(namespace string, args []string) (passive.Targets, error) {
	targets := passive.Targets{Namespace: namespace}
	all := false
	for _, arg := range args {
		kind, name, named := strings.Cut(arg, "/")
		switch strings.ToLower(kind) {
		case "daemonset", "daemonsets", "ds":
		default:
			return targets, usagef("%s: want daemonset or daemonset/NAME; flags come first", arg)
		}
		switch {
		case !named:
			all = true
		case name == "":
			return targets, usagef("%s: name the DaemonSet", arg)
		case namespace == "":
			return targets, usagef("%s: a name needs its namespace: -n instead of -A", arg)
		default:
			targets.Names = append(targets.Names, name)
		}
	}
	if all == (len(targets.Names) > 0) {
		return targets, usagef("name what to watch: daemonset/NAME, once or several times, or daemonset for all")
	}
	return targets, nil
}

// watchCluster is `rollcall watch`.
func watchCluster(ctx context.Context, args []string, out io.Writer) (int, error) {
	w, err := parseWatch(args, out)
	if err != nil {
		return exitUsage, err
	}
	catalogue, err := requirements.Load()
	if err != nil {
		return exitHarness, err
	}
	_, err = os.Stat(w.artifacts)
	made := os.IsNotExist(err)
	if err := os.MkdirAll(w.artifacts, 0o755); err != nil {
		return exitUsage, usagef("-artifacts: %w", err)
	}
	if w.lasting > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.lasting)
		defer cancel()
	}
	out, told := streams(w.json, out, os.Stderr)
	teller := newTeller(out, told, catalogue)
	fmt.Fprintf(out, "rollcall: watching %s; recordings are in %s\n", w.targets, w.artifacts)
	result, err := passive.Watch(ctx, passive.Options{
		Config: w.config, Targets: w.targets, Folder: w.artifacts, Size: int64(w.size) * mebibyte, Keep: w.keep, Tell: teller, Until: w.done(),
	})
	if result == nil {
		if made {
			err = errors.Join(err, os.Remove(w.artifacts))
		}
		switch {
		case errors.Is(err, passive.ErrTargets):
			return exitUsage, usageError{err}
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
			return exitUsage, usagef("%w\n    fixtures/rbac/watch.yaml has all that it takes", err)
		}
		return exitHarness, err
	}
	if err == nil && w.until != "" && !w.done()(result) {
		fmt.Fprintln(out, "rollcall: the watch ended before a rollout did")
	}
	code := w.exitCode(result, err)
	teller.summary(result, code)
	if code == exitNotConformant && err != nil {
		fmt.Fprintf(os.Stderr, "rollcall watch: %v\n", err)
		err = nil
	}
	return code, err
}

// exitCode is that of a watch with a result, which ended with the error.
func (w watching) exitCode(result *passive.Result, err error) int {
	switch {
	case result.Violations > 0:
		return exitNotConformant
	case err != nil, result.Unproven != "", len(result.Missed) > 0, w.until != "" && !w.done()(result):
		return exitHarness
	}
	return exitConformant
}

// done reports, for -until, whether it has happened; nil without.
func (w watching) done() func(*passive.Result) bool {
	if w.until == "" {
		return nil
	}
	// One that something else put an end to, such as the deletion of its DaemonSet, never got there.
	over := func(r *passive.Rollout) bool { return !r.Overtaken }
	return func(result *passive.Result) bool {
		return slices.ContainsFunc(result.Rollouts, over) && len(result.UnderWay) == 0
	}
}
