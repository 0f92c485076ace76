// Command runtime is a controller of DaemonSets, with maxSurge, made with controller-runtime. It is an example of what rollcall tests:
//
//	rollcall run -implementation=docs/examples/runtime/runtime.yaml
//
// A DaemonSet is reconciled when it changes, or one of its pods, histories or nodes, and when a pod becomes available by the clock. Its parts:
//
//   - reconciler.go: the order of a reconciliation
//   - revisions.go: the ControllerRevisions, of which the current template's is found or made
//   - pods.go: which nodes should run a pod, and the pod for one
//   - decide.go: pure functions from what there is to what is to be done, and to the status
//   - act.go: doing it, telling it in Events, and no decision before the cache shows what was done already
//
// It claims DaemonSet and Surge; runtime.yaml has how rollcall runs it, rbac.yaml what it may do. It fails nothing that it claims, on Kubernetes 1.37.0
// and simulated nodes. How two replicas elect a leader is not in runtime.yaml, so RECOVERY-005 is not asked of it.
package main

import (
	"errors"
	"flag"
	"net/http"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	probes := flag.String("health-probe-bind-address", ":8081", "address of /readyz")
	elect := flag.Bool("leader-elect", false, "work only while no other replica does")
	flag.Parse() // controller-runtime registers --kubeconfig
	ctrl.SetLogger(klog.Background())
	if err := run(*probes, *elect); err != nil {
		klog.ErrorS(err, "ended")
		os.Exit(1)
	}
}

func run(probes string, elect bool) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 50, 100
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                  clientgoscheme.Scheme,
		HealthProbeBindAddress:  probes,
		Metrics:                 metricsserver.Options{BindAddress: "0"},
		LeaderElection:          elect,
		LeaderElectionID:        "example-runtime",
		LeaderElectionNamespace: "runtime-system",
	})
	if err != nil {
		return err
	}
	r := &reconciler{
		client:   manager.GetClient(),
		reader:   manager.GetAPIReader(),
		scheme:   manager.GetScheme(),
		recorder: manager.GetEventRecorder("example-runtime"),
		failed:   flowcontrol.NewBackOff(time.Second, 15*time.Minute),
		writes:   map[types.UID][]write{},
	}
	if err := ctrl.NewControllerManagedBy(manager).
		For(&appsv1.DaemonSet{}).
		Owns(&corev1.Pod{}).
		Owns(&appsv1.ControllerRevision{}).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(r.all)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).
		Complete(r); err != nil {
		return err
	}
	// Ready once it has seen the cluster: what is late from then on is its own fault.
	if err := manager.AddReadyzCheck("cache", func(request *http.Request) error {
		if !manager.GetCache().WaitForCacheSync(request.Context()) {
			return errors.New("the cache has not synced")
		}
		return nil
	}); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
