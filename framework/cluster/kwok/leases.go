package kwok

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-helpers/apimachinery/lease"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// heartbeat is how often a node renews its Lease, as a kubelet does. It lasts four times as long.
const heartbeat = 10 * time.Second

// Leases has the simulated nodes of a cluster renew their Leases, as kubelets do. KWOK can do that, and does not here: once a node is deleted while its Lease is
// being renewed, and registered again, KWOK v0.8.0 renews no Lease any more, for as long as it runs (its heap of times holds the node twice, and forgets where).
type Leases struct {
	client  kubernetes.Interface
	every   time.Duration
	stop    context.CancelFunc
	running sync.WaitGroup

	mu sync.Mutex
	// renewing ends the renewals of a node's Lease, by the node's name.
	renewing map[string]context.CancelFunc
}

// StartLeases returns once the nodes that are there are known. The context bounds that only. The kubeconfig is that of a user who may do everything.
func StartLeases(ctx context.Context, kubeconfig string, nodes Nodes) (*Leases, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("make a client for the Leases of simulated nodes: %w", err)
	}
	// No Lease may wait for another.
	config.QPS = -1
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for the Leases of simulated nodes: %w", err)
	}
	return startLeases(ctx, client, nodes, heartbeat)
}

func startLeases(ctx context.Context, client kubernetes.Interface, nodes Nodes, every time.Duration) (*Leases, error) {
	working, stop := context.WithCancel(klog.NewContext(context.WithoutCancel(ctx), logr.Discard()))
	l := &Leases{client: client, every: every, stop: stop, renewing: map[string]context.CancelFunc{}}
	simulated := informers.WithTweakListOptions(func(options *metav1.ListOptions) {
		options.LabelSelector = labels.Set{nodes.Label(): NodeLabelValue}.String()
	})
	informer := informers.NewSharedInformerFactoryWithOptions(client, 0, simulated).Core().V1().Nodes().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { l.renew(working, object.(*corev1.Node)) },
		UpdateFunc: func(before, object any) {
			if node := object.(*corev1.Node); node.UID != before.(*corev1.Node).UID {
				l.renew(working, node)
			}
		},
		DeleteFunc: func(object any) {
			if name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
				l.end(name)
			}
		},
	})
	if err != nil {
		stop()
		return nil, fmt.Errorf("follow the simulated nodes: %w", err)
	}
	l.running.Go(func() { informer.RunWithContext(working) })
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		l.Stop()
		return nil, fmt.Errorf("list the simulated nodes: %w", context.Cause(ctx))
	}
	return l, nil
}

// Stop ends all renewals. It may be called more than once.
func (l *Leases) Stop() {
	if l == nil {
		return
	}
	l.stop()
	l.running.Wait()
}

// renew renews the node's Lease until the node is gone. It ends the renewals of an earlier node of the name.
func (l *Leases) renew(ctx context.Context, node *corev1.Node) {
	l.end(node.Name)
	owned := func(lease *coordinationv1.Lease) error {
		lease.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}
		return nil
	}
	renewals := lease.NewController(clock.RealClock{}, l.client, node.Name, int32(4*l.every/time.Second), nil, l.every, node.Name, corev1.NamespaceNodeLease, owned)
	renewing, end := context.WithCancel(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewing[node.Name] = end
	l.running.Go(func() { renewals.Run(renewing) })
}

func (l *Leases) end(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if end := l.renewing[name]; end != nil {
		end()
		delete(l.renewing, name)
	}
}
