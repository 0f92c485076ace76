// Command informers is a controller of DaemonSets, with maxSurge, made of client-go's informers and a workqueue. It is an example of what rollcall
// tests:
//
//	rollcall run -implementation=docs/examples/informers/informers.yaml
//
// A DaemonSet is looked at when it changes, or one of its pods, histories or nodes, and when a pod becomes available by the clock. Its parts:
//
//   - controller.go: what wakes the controller, and the order of a look
//   - history.go: the ControllerRevisions, of which the current template's is found or made
//   - nodes.go: which nodes should run a pod, and the pod for one
//   - rollout.go: pure functions from what there is to what is to be done, and to the status
//   - act.go: doing it, and telling it in Events
//   - pending.go: no decision before the cache shows what was done already
//
// It claims DaemonSet and Surge; informers.yaml has how rollcall runs it, rbac.yaml what it may do. It elects no leader, so one replica runs, and
// RECOVERY-005 is not asked of it. What it has done it knows from its memory and its caches alone. So an answer that is lost, a list that is older than what it
// did, and a pod that no watch ever showed mislead it: it fails RECOVERY-008, -009, -012 and -013, as many controllers do, on Kubernetes 1.37.0 and simulated
// nodes.
package main

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig file; empty for the pod's own service account")
	probes := flag.String("health-probe-bind-address", ":8081", "address of /readyz")
	workers := flag.Int("workers", 4, "how many DaemonSets are worked on at once")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *kubeconfig, *probes, *workers); err != nil {
		klog.ErrorS(err, "ended")
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig, probes string, workers int) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 50, 100
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}

	var ready atomic.Bool
	server := &http.Server{Addr: probes, ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			if !ready.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})}
	go func() {
		if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			klog.ErrorS(err, "probe server ended")
		}
	}()
	defer server.Close()

	factory := informers.NewSharedInformerFactory(client, 10*time.Minute)
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	defer broadcaster.Shutdown()
	c, err := newController(client, factory, broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "example-informers"}))
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			klog.InfoS("Cache did not sync", "kind", kind)
			return ctx.Err()
		}
	}
	ready.Store(true)
	c.run(ctx, workers)
	return nil
}
