package variants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulChores write more than the reference does, or take more time for what they write.
func lawfulChores() []Variant {
	const more = "What the requirements ask for is there; none forbids more."
	return []Variant{
		{Name: "finalizer-on-pods", Says: "Puts a finalizer of its own on the pods that it creates, and takes it away as soon as a pod is being deleted.",
			Lawful: more,
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for _, creation := range actions.CreatePods {
					controllerutil.AddFinalizer(creation.Pod, finalizer)
				}
			}),
			Reconciler: before(letPodsGo)},
		{Name: "marks-the-daemonset", Says: "Puts a label and an annotation of its own on every DaemonSet.", Lawful: more, Reconciler: before(markDaemonSet)},
		{Name: "annotates-ready-pods", Says: "Writes an annotation on every pod that is Ready.", Lawful: more, Reconciler: before(annotateReady)},
		{Name: "looks-twice", Says: "Makes every pass twice.", Lawful: "A look is no write.",
			Reconciler: func(inner reconcile.Reconciler, _ client.Client) reconcile.Reconciler {
				return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
					if result, err := inner.Reconcile(ctx, request); err != nil {
						return result, err
					}
					return inner.Reconcile(ctx, request)
				})
			}},
		{Name: "takes-300-ms-for-a-pod", Says: "Creates or deletes one pod in a pass, at random, and takes 300 ms for each.",
			Lawful: "Who is at work is not late: see docs/verdicts.md.", Planner: remember(oneAPass),
			Writer: func(c client.Client) client.Client { return &serial{Client: c, takes: 300 * time.Millisecond} }},
	}
}

// before has something done before every pass.
func before(do func(context.Context, client.Client, reconcile.Request) error) func(reconcile.Reconciler, client.Client) reconcile.Reconciler {
	return func(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
		return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			if err := do(ctx, c, request); err != nil {
				return reconcile.Result{}, err
			}
			return inner.Reconcile(ctx, request)
		})
	}
}

// eachPod changes the pods of the request's namespace that which selects, by merge patches that hold for them as they were seen.
func eachPod(ctx context.Context, c client.Client, request reconcile.Request, which func(*corev1.Pod) bool, change func(*corev1.Pod)) error {
	var pods corev1.PodList
	if err := c.List(ctx, &pods, client.InNamespace(request.Namespace)); err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	var errs []error
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !which(pod) {
			continue
		}
		changed := pod.DeepCopy()
		change(changed)
		patch := client.MergeFromWithOptions(pod, client.MergeFromWithOptimisticLock{})
		errs = append(errs, client.IgnoreNotFound(c.Patch(ctx, changed, patch)))
	}
	return errors.Join(errs...)
}

func letPodsGo(ctx context.Context, c client.Client, request reconcile.Request) error {
	return eachPod(ctx, c, request, func(pod *corev1.Pod) bool {
		return pod.DeletionTimestamp != nil && slices.Contains(pod.Finalizers, finalizer)
	}, func(pod *corev1.Pod) { controllerutil.RemoveFinalizer(pod, finalizer) })
}

const seenReady = "example.com/seen-ready"

func annotateReady(ctx context.Context, c client.Client, request reconcile.Request) error {
	return eachPod(ctx, c, request, func(pod *corev1.Pod) bool {
		owner, condition := metav1.GetControllerOf(pod), ready(pod)
		return owner != nil && owner.Kind == "DaemonSet" && owner.Name == request.Name && pod.DeletionTimestamp == nil &&
			condition != nil && condition.Status == corev1.ConditionTrue && pod.Annotations[seenReady] == ""
	}, func(pod *corev1.Pod) { metav1.SetMetaDataAnnotation(&pod.ObjectMeta, seenReady, "true") })
}

func markDaemonSet(ctx context.Context, c client.Client, request reconcile.Request) error {
	const key, value = "example.com/seen-by", "variant"
	ds := &appsv1.DaemonSet{}
	if err := c.Get(ctx, request.NamespacedName, ds); err != nil {
		return client.IgnoreNotFound(err)
	}
	if ds.DeletionTimestamp != nil || ds.Labels[key] == value && ds.Annotations[key] == value {
		return nil
	}
	marked := ds.DeepCopy()
	metav1.SetMetaDataLabel(&marked.ObjectMeta, key, value)
	metav1.SetMetaDataAnnotation(&marked.ObjectMeta, key, value)
	return client.IgnoreNotFound(c.Patch(ctx, marked, client.MergeFrom(ds)))
}

// serial creates and deletes pods one after another, those of each DaemonSet by themselves.
type serial struct {
	client.Client
	takes time.Duration
	turns sync.Map
}

// Create implements client.Client.
func (c *serial) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	defer c.turn(ctx, object)()
	return c.Client.Create(ctx, object, options...)
}

// Delete implements client.Client.
func (c *serial) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	defer c.turn(ctx, object)()
	return c.Client.Delete(ctx, object, options...)
}

// turn waits until it is the turn of what is to be done to a pod, and for as long as that takes, or until the context ends. The function that it returns ends
// the turn.
func (c *serial) turn(ctx context.Context, object client.Object) (end func()) {
	if _, isPod := object.(*corev1.Pod); !isPod {
		return func() {}
	}
	var of types.UID
	if owner := metav1.GetControllerOf(object); owner != nil {
		of = owner.UID
	}
	held, _ := c.turns.LoadOrStore(of, &sync.Mutex{})
	mutex := held.(*sync.Mutex)
	mutex.Lock()
	select {
	case <-time.After(c.takes):
	case <-ctx.Done():
	}
	return mutex.Unlock
}
