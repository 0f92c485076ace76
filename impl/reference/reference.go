// Package reference is the program around the reference controllers: flags, manager, probes, leader election.
package reference

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/rollcall-conformance/rollcall/impl/admission"
	"github.com/rollcall-conformance/rollcall/impl/daemonset"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/workload"
	"github.com/rollcall-conformance/rollcall/impl/disruption"
	"github.com/rollcall-conformance/rollcall/impl/features"
	"github.com/rollcall-conformance/rollcall/impl/requeue"
	"github.com/rollcall-conformance/rollcall/impl/statefulset"
	"github.com/rollcall-conformance/rollcall/impl/united"
	unitedapi "github.com/rollcall-conformance/rollcall/impl/united/api"
)

// The controllers, by the names that those have in kube-controller-manager which they replace.
const (
	DaemonSetController   = "daemonset-controller"
	DisruptionController  = "disruption-controller"
	StatefulSetController = "statefulset-controller"
)

// Options are those of the controllers. The command line decides about ConcurrentSyncs and SurgeDisabled. With another API than that of DaemonSets there is
// no disruption controller, and none of StatefulSets and UnitedDaemonSets.
type Options struct {
	DaemonSet   daemonset.Options
	Disruption  disruption.Options
	StatefulSet statefulset.Options
	United      united.Options
}

// Main runs the controllers until SIGINT or SIGTERM, with the arguments of the command line, and exits: 0 after a signal or --help, 2 for a mistake on
// the command line, 1 for any other error.
func Main(args []string, options Options) {
	if err := run(ctrl.SetupSignalHandler(), args, options); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			os.Exit(0)
		}
		fmt.Fprintln(os.Stderr, "rollcall-reference:", err)
		var usage *usageError
		if errors.As(err, &usage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// settings are what the flags say; --kubeconfig is controller-runtime's.
type settings struct {
	healthAddress, metricsAddress   string
	elect, readyWhenLeading         bool
	leaseDuration, renewDeadline    time.Duration
	retryPeriod                     time.Duration
	electionNamespace, electionName string
	qps                             float64
	burst                           int
	concurrentSyncs                 int
	surgeDisabled                   bool
	controllers                     []string
}

// usageError is a mistake on the command line.
type usageError struct{ cause error }

func (e *usageError) Error() string { return e.cause.Error() }
func (e *usageError) Unwrap() error { return e.cause }

func parse(args []string) (settings, error) {
	var s settings
	gates, err := features.New()
	if err != nil {
		return settings{}, fmt.Errorf("define the feature gates: %w", err)
	}
	flags := flag.NewFlagSet("rollcall-reference", flag.ContinueOnError)
	config.RegisterFlags(flags)
	klog.InitFlags(flags)
	flags.StringVar(&s.healthAddress, "health-probe-bind-address", ":8081", "where /healthz and /readyz are served; 0 for nowhere")
	flags.StringVar(&s.metricsAddress, "metrics-bind-address", ":8080", "where /metrics is served, over plain HTTP; 0 for nowhere")
	flags.BoolVar(&s.elect, "leader-elect", true, "work only while holding the election's lease, so that more than one replica may run")
	flags.StringVar(&s.electionNamespace, "leader-election-namespace", "rollcall-system", "namespace of the election's lease, and where the API server is asked whether it obeys the\nadmission policies; has to exist")
	flags.StringVar(&s.electionName, "leader-election-id", "rollcall-reference", "name of the election's lease")
	flags.DurationVar(&s.leaseDuration, "leader-elect-lease-duration", 15*time.Second, "how long others wait, since they last saw the lease renewed, before they take it; at least 1s")
	flags.DurationVar(&s.renewDeadline, "leader-elect-renew-deadline", 10*time.Second, "how long the leader tries to renew the lease before it ends")
	flags.DurationVar(&s.retryPeriod, "leader-elect-retry-period", 2*time.Second, "how often the lease is renewed, and looked at by those who wait")
	flags.BoolVar(&s.readyWhenLeading, "ready-when-leading", false,
		"answer /readyz with success only when working as the leader; for one replica, since a rollout of several waits for those that do not lead")
	// kube-controller-manager's defaults of 20 and 30 would make the client, not the policy, the speed of a rollout, and let the
	// reaction to a failed pod wait behind a hundred creations. API priority and fairness protects the API server.
	flags.Float64Var(&s.qps, "kube-api-qps", 500, "requests per second to the API server, on average")
	flags.IntVar(&s.burst, "kube-api-burst", 1000, "requests to the API server that may be made at once on top of that")
	flags.IntVar(&s.concurrentSyncs, "concurrent-syncs", requeue.DefaultConcurrentSyncs, "DaemonSets, and as many PodDisruptionBudgets and StatefulSets, that are worked on at the same time")
	all := []string{DaemonSetController, DisruptionController, StatefulSetController}
	s.controllers = all
	flags.Func("controllers", "what to run, separated by commas; kube-controller-manager has to run without these (default "+strings.Join(all, ",")+")",
		func(names string) (err error) {
			s.controllers, err = chosen(strings.Split(names, ","), all)
			return err
		})
	flags.Func("feature-gates", "features to switch on or off, as in NAME=true,OTHER=false; may be repeated:\n"+strings.Join(gates.KnownFeatures(), "\n"), gates.Set)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return settings{}, err
		}
		return settings{}, &usageError{cause: err}
	}
	switch {
	case flags.NArg() > 0:
		return settings{}, &usageError{cause: fmt.Errorf("unexpected argument %q: every setting is a flag, see --help", flags.Arg(0))}
	case s.elect && (s.leaseDuration < time.Second || s.leaseDuration <= s.renewDeadline || float64(s.renewDeadline) <= leaderelection.JitterFactor*float64(s.retryPeriod) || s.retryPeriod <= 0):
		return settings{}, &usageError{cause: fmt.Errorf(
			"--leader-elect-lease-duration=%v, --leader-elect-renew-deadline=%v and --leader-elect-retry-period=%v: the lease has to last at least 1s and longer than the deadline, and the deadline %v times as long as the retry period",
			s.leaseDuration, s.renewDeadline, s.retryPeriod, leaderelection.JitterFactor)}
	case s.qps <= 0 || s.burst <= 0:
		return settings{}, &usageError{cause: fmt.Errorf("--kube-api-qps=%v and --kube-api-burst=%d: both have to be above zero", s.qps, s.burst)}
	case s.concurrentSyncs <= 0:
		return settings{}, &usageError{cause: fmt.Errorf("--concurrent-syncs=%d: has to be above zero", s.concurrentSyncs)}
	}
	s.surgeDisabled = !gates.Enabled(features.DaemonSetUpdateSurge)
	return s, nil
}

// chosen returns the names if they are among all.
func chosen(names, all []string) ([]string, error) {
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("there is no controller %q: choose from %s", name, strings.Join(all, ", "))
		}
	}
	return names, nil
}

func run(ctx context.Context, args []string, options Options) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	logger := klog.Background()
	ctrl.SetLogger(logger)
	ctx = klog.NewContext(ctx, logger)

	manager, err := newManager(s, options.DaemonSet.Workload)
	if err != nil {
		return err
	}
	if err := addControllers(ctx, manager, s, options); err != nil {
		return err
	}
	if err := manager.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("serve /healthz: %w", err)
	}
	if err := manager.AddReadyzCheck("caches", cachesSynced(manager.GetCache())); err != nil {
		return fmt.Errorf("serve /readyz: %w", err)
	}
	if s.readyWhenLeading {
		if err := manager.AddReadyzCheck("leading", leading(manager.Elected())); err != nil {
			return fmt.Errorf("serve /readyz: %w", err)
		}
	}
	if err := manager.Start(ctx); err != nil {
		return fmt.Errorf("run the controllers: %w", err)
	}
	return nil
}

func addControllers(ctx context.Context, manager ctrl.Manager, s settings, options Options) error {
	// Another API's objects are for its own admission to look at.
	own := options.DaemonSet.Workload == nil
	if slices.Contains(s.controllers, DaemonSetController) {
		options.DaemonSet.ConcurrentSyncs, options.DaemonSet.SurgeDisabled = s.concurrentSyncs, s.surgeDisabled
		if err := daemonset.SetupWithManager(ctx, manager, options.DaemonSet); err != nil {
			return err
		}
		if own {
			// It reads by the indexes of the DaemonSet controller.
			if err := united.SetupWithManager(ctx, manager, options.United); err != nil {
				return err
			}
			if err := admission.SetupWithManager(manager, admission.Options{Surge: !s.surgeDisabled, Namespace: s.electionNamespace}); err != nil {
				return err
			}
		}
	}
	if own && slices.Contains(s.controllers, DisruptionController) {
		options.Disruption.ConcurrentSyncs = s.concurrentSyncs
		if err := disruption.SetupWithManager(ctx, manager, options.Disruption); err != nil {
			return err
		}
	}
	if own && slices.Contains(s.controllers, StatefulSetController) {
		options.StatefulSet.ConcurrentSyncs = s.concurrentSyncs
		return statefulset.SetupWithManager(manager, options.StatefulSet)
	}
	return nil
}

func newManager(s settings, api *workload.API) (ctrl.Manager, error) {
	kubeconfig, err := ctrl.GetConfig()
	if err != nil {
		return nil, fmt.Errorf("find a cluster; give --kubeconfig, set KUBECONFIG, or run in a pod: %w", err)
	}
	kubeconfig.QPS, kubeconfig.Burst = float32(s.qps), s.burst
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("register the Kubernetes kinds: %w", err)
	}
	if err := api.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("register the workload's kinds: %w", err)
	}
	if api == nil {
		if err := unitedapi.AddToScheme(scheme); err != nil {
			return nil, fmt.Errorf("register UnitedDaemonSets: %w", err)
		}
	}
	manager, err := ctrl.NewManager(kubeconfig, ctrl.Options{
		Scheme:                  scheme,
		Cache:                   cache.Options{DefaultTransform: cache.TransformStripManagedFields(), ByObject: disruption.Caches()},
		HealthProbeBindAddress:  s.healthAddress,
		Metrics:                 metricsserver.Options{BindAddress: s.metricsAddress},
		LeaderElection:          s.elect,
		LeaderElectionNamespace: s.electionNamespace,
		LeaderElectionID:        s.electionName,
		LeaseDuration:           &s.leaseDuration,
		RenewDeadline:           &s.renewDeadline,
		RetryPeriod:             &s.retryPeriod,
		// The process ends with its leadership, so the next leader need not wait for the lease to run out.
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return nil, fmt.Errorf("set up the controller manager for %s: %w", kubeconfig.Host, err)
	}
	return manager, nil
}

// cachesSynced is ready once the caches hold what the cluster has, leader or not: a standby that could not take over
// at once is not ready.
func cachesSynced(caches cache.Cache) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !caches.WaitForCacheSync(ctx) {
			return errors.New("caches are not synced yet")
		}
		return nil
	}
}

// leading is ready once elected: a process ends with its leadership.
func leading(elected <-chan struct{}) healthz.Checker {
	return func(*http.Request) error {
		select {
		case <-elected:
			return nil
		default:
			return errors.New("another one leads")
		}
	}
}
