package main

import (
	"context"
	"errors"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

var daemonSetKind = appsv1.SchemeGroupVersion.WithKind("DaemonSet")

type controller struct {
	client    kubernetes.Interface
	sets      appslisters.DaemonSetLister
	revisions appslisters.ControllerRevisionLister
	pods      corelisters.PodLister
	nodes     corelisters.NodeLister
	queue     workqueue.TypedRateLimitingInterface[string]
	recorder  record.EventRecorder
	pending   *pending
	failed    *flowcontrol.Backoff
}

func newController(client kubernetes.Interface, factory informers.SharedInformerFactory, recorder record.EventRecorder) (*controller, error) {
	c := &controller{
		client:    client,
		sets:      factory.Apps().V1().DaemonSets().Lister(),
		revisions: factory.Apps().V1().ControllerRevisions().Lister(),
		pods:      factory.Core().V1().Pods().Lister(),
		nodes:     factory.Core().V1().Nodes().Lister(),
		queue:     workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		recorder:  recorder,
		pending:   newPending(),
		failed:    flowcontrol.NewBackOff(time.Second, 15*time.Minute),
	}
	handlers := map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		factory.Apps().V1().DaemonSets().Informer(): cache.ResourceEventHandlerFuncs{
			AddFunc:    c.enqueue,
			UpdateFunc: func(_, updated any) { c.enqueue(updated) },
			DeleteFunc: c.enqueue,
		},
		factory.Core().V1().Pods().Informer(): cache.ResourceEventHandlerFuncs{
			AddFunc:    c.podSeen,
			UpdateFunc: func(_, updated any) { c.podSeen(updated) },
			DeleteFunc: c.podGone,
		},
		factory.Apps().V1().ControllerRevisions().Informer(): cache.ResourceEventHandlerFuncs{
			AddFunc:    c.revisionSeen,
			UpdateFunc: func(_, updated any) { c.revisionSeen(updated) },
			DeleteFunc: c.revisionSeen,
		},
		factory.Core().V1().Nodes().Informer(): cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { c.enqueueAll() },
			UpdateFunc: func(before, after any) {
				if nodeChanged(before.(*corev1.Node), after.(*corev1.Node)) {
					c.enqueueAll()
				}
			},
			DeleteFunc: func(any) { c.enqueueAll() },
		},
	}
	for informer, handler := range handlers {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *controller) run(ctx context.Context, workers int) {
	defer utilruntime.HandleCrash()
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			wait.UntilWithContext(ctx, func(ctx context.Context) {
				for c.next(ctx) {
				}
			}, time.Second)
		})
	}
	<-ctx.Done()
	c.queue.ShutDown()
	group.Wait()
}

func (c *controller) next(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(ctx, key); err != nil {
		klog.ErrorS(err, "Sync failed", "daemonset", key)
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

func (c *controller) enqueue(object any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
		c.queue.Add(key)
	}
}

func (c *controller) enqueueAll() {
	sets, err := c.sets.List(labels.Everything())
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	for _, set := range sets {
		c.enqueue(set)
	}
}

func (c *controller) podSeen(object any) {
	pod := object.(*corev1.Pod)
	if owner := metav1.GetControllerOf(pod); owner != nil {
		if owner.Kind == daemonSetKind.Kind {
			key := pod.Namespace + "/" + owner.Name
			c.pending.created(key, pod.Name)
			if pod.DeletionTimestamp != nil {
				c.pending.deleted(key, pod.Name)
			}
			c.queue.Add(key)
		}
		return
	}
	// An orphan: whoever selects it may adopt it.
	sets, err := c.sets.DaemonSets(pod.Namespace).List(labels.Everything())
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	for _, set := range sets {
		selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
		if err == nil && selector.Matches(labels.Set(pod.Labels)) {
			c.enqueue(set)
		}
	}
}

// revisionSeen has the owner of a revision looked at: one may have been deleted by hand.
func (c *controller) revisionSeen(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	if revision, ok := object.(*appsv1.ControllerRevision); ok {
		if owner := metav1.GetControllerOf(revision); owner != nil && owner.Kind == daemonSetKind.Kind {
			c.queue.Add(revision.Namespace + "/" + owner.Name)
		}
	}
}

func (c *controller) podGone(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return
	}
	if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind == daemonSetKind.Kind {
		key := pod.Namespace + "/" + owner.Name
		c.pending.created(key, pod.Name)
		c.pending.deleted(key, pod.Name)
		c.queue.Add(key)
	}
}

func (c *controller) sync(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	// Asked before anything is read from the cache: what it shows from here on has all that was done.
	current := c.pending.done(key)
	cached, err := c.sets.DaemonSets(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		c.pending.forget(key)
		return nil
	}
	if err != nil || cached.DeletionTimestamp != nil {
		return err
	}
	set := cached.DeepCopy()

	revision, old, err := c.history(ctx, set)
	if err != nil {
		return err
	}
	pods, err := c.claim(ctx, set)
	if err != nil {
		return err
	}
	nodes, err := c.nodes.List(labels.Everything())
	if err != nil {
		return err
	}
	v := look(set, nodes, pods, revision.Labels[appsv1.DefaultDaemonSetUniqueLabelKey], time.Now())
	var errs []error
	if current {
		errs = append(errs, c.label(ctx, v), c.act(ctx, v, key), c.truncate(ctx, set, pods, old))
	}
	// The status says how things are, whether or not anything could be done.
	errs = append(errs, c.updateStatus(ctx, set, v.status()))
	if v.wake > 0 {
		c.queue.AddAfter(key, v.wake)
	}
	return errors.Join(errs...)
}
