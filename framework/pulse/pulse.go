// Package pulse notices when an API server stands still: it stores nothing, or tells nobody of what it stored.
//
// A Lease is written several times a second, and watched. A beat is one write that its watch has brought in time: it went through the API server into
// etcd, and back out of both. All processes of a run that use one cluster write the same Lease, and one that has just heard another's beat leaves its own
// out, so the cluster has one pulse, however many listen. A process that gets no processor time hears nothing either, and what it records is as late.
package pulse

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
)

const (
	// Interval is the pause between two beats.
	Interval = 250 * time.Millisecond
	// Silence is the longest time without a beat that is no standstill: judges let a controller hear of things that late.
	Silence = time.Second

	// recent is a beat after which another process leaves its own out.
	recent = Interval * 9 / 10
	// leaseName is the name of the Lease.
	leaseName = "pulse"
	// answerTimeout bounds one request. It is long enough for the API server to say what is wrong.
	answerTimeout = 10 * time.Second
)

// Options say where the Lease is.
type Options struct {
	// Config of a client that may make namespaces and Leases.
	Config *rest.Config
	// Namespace of the Lease, made with the Labels if there is none.
	Namespace string
	Labels    map[string]string
}

// Pulse is a cluster's. Its methods may be called from several goroutines. A nil Pulse knows of no standstill.
type Pulse struct {
	client  kubernetes.Interface
	options Options
	stop    context.CancelFunc
	running sync.WaitGroup
	began   chan struct{}
	// every is the pause between two beats.
	every  time.Duration
	rhythm rhythm
}

// Start returns once a beat was heard. The context bounds the start only.
func Start(ctx context.Context, options Options) (*Pulse, error) {
	config := rest.CopyConfig(options.Config)
	// A beat must not wait for its own client.
	config.QPS = -1
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for the pulse of the API server: %w", err)
	}
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	p := &Pulse{client: client, options: options, stop: stop, began: make(chan struct{}), every: Interval}
	if err := p.makeLease(ctx); err != nil {
		stop()
		return nil, fmt.Errorf("make the Lease by which standstills of the API server are noticed: %w", err)
	}
	p.running.Go(func() { wait.UntilWithContext(beating, p.listen, Interval) })
	p.running.Go(func() { wait.UntilWithContext(beating, p.beat, Interval) })
	select {
	case <-p.began:
		return p, nil
	case <-ctx.Done():
		p.Stop()
		return nil, fmt.Errorf("write and watch Lease %s in namespace %s: %w", leaseName, options.Namespace, errors.Join(context.Cause(ctx), p.rhythm.now().trouble))
	}
}

// askInterval is the pause between two questions of a Pulse that only asks.
const askInterval = 500 * time.Millisecond

// Ask returns a Pulse that writes nothing: a beat is an answer to a question that comes in time. It tells when nobody is answered, and not whether watches bring what is
// stored. It returns once an answer was had; the context bounds that only.
func Ask(ctx context.Context, question func(context.Context) error) (*Pulse, error) {
	asking, stop := context.WithCancel(context.WithoutCancel(ctx))
	p := &Pulse{stop: stop, began: make(chan struct{}), every: askInterval}
	p.running.Go(func() {
		wait.NonSlidingUntilWithContext(asking, func(ctx context.Context) { p.ask(ctx, question) }, askInterval)
	})
	select {
	case <-p.began:
		return p, nil
	case <-ctx.Done():
		p.Stop()
		return nil, fmt.Errorf("ask the API server anything: %w", errors.Join(context.Cause(ctx), p.rhythm.now().trouble))
	}
}

// ask asks once.
func (p *Pulse) ask(ctx context.Context, question func(context.Context) error) {
	asked := now().wall
	bounded, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if err := question(bounded); err != nil {
		p.rhythm.fail(err)
	} else if first := p.rhythm.hear(asked, now()); first {
		close(p.began)
	}
}

// Stop ends the pulse. What it noticed stays known.
func (p *Pulse) Stop() {
	if p == nil {
		return
	}
	p.stop()
	p.running.Wait()
}

func (p *Pulse) leases() coordinationclient.LeaseInterface {
	return p.client.CoordinationV1().Leases(p.options.Namespace)
}

// makeLease makes the Lease and its namespace, unless another process has.
func (p *Pulse) makeLease(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.options.Namespace, Labels: p.options.Labels}}
	if _, err := p.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: leaseName}}
	if _, err := p.leases().Create(ctx, lease, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// beat writes the Lease, unless another process has just done so.
func (p *Pulse) beat(ctx context.Context) {
	now := now().wall
	if p.rhythm.beatLately(now) {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	renewal := fmt.Appendf(nil, `{"spec":{"renewTime":%q}}`, now.UTC().Format(metav1.RFC3339Micro))
	_, err := p.leases().Patch(bounded, leaseName, types.MergePatchType, renewal, metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		err = p.makeLease(bounded)
	}
	if err != nil {
		p.rhythm.fail(err)
	}
}

// listen hears beats until the watch ends, which is no surprise.
func (p *Pulse) listen(ctx context.Context) {
	only := fields.OneTermEqualSelector(metav1.ObjectNameField, leaseName)
	watcher, err := p.leases().Watch(ctx, metav1.ListOptions{FieldSelector: only.String()})
	if err != nil {
		p.rhythm.fail(err)
		return
	}
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		if event.Type == watch.Error {
			p.rhythm.fail(apierrors.FromObject(event.Object))
			return
		}
		lease, ok := event.Object.(*coordinationv1.Lease)
		if !ok || event.Type == watch.Deleted || lease.Spec.RenewTime == nil {
			continue
		}
		if first := p.rhythm.hear(lease.Spec.RenewTime.Time, now()); first {
			close(p.began)
		}
	}
}
