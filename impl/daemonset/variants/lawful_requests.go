package variants

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// lawfulRequests ask the API server otherwise, or more often.
func lawfulRequests() []Variant {
	return []Variant{
		{Name: "evicts-before-it-deletes", Says: "Evicts the pods that it is to delete, and deletes those whose eviction is refused.",
			Lawful: "No requirement says by which request a pod is deleted, and no budget holds a rollout back (CROSS-003).",
			Writer: func(c client.Client) client.Client { return evicting{c} }},
		{Name: "deletes-again", Says: "Deletes each of its pods that is on its way out once more, with the grace period that it has.",
			Lawful:     "What is deleted already is not changed by that.",
			Reconciler: deleteAgain},
		{Name: "pauses-for-ten-seconds-after-a-refusal", Says: "Asks for no pod of a DaemonSet for ten seconds after the API server has refused one.",
			Lawful: "RECOVERY-006 lets pauses between attempts grow.",
			Writer: func(c client.Client) client.Client { return &pausing{Client: c, pause: 10 * time.Second} }},
		{Name: "announces-updates-in-place", Says: "Annotates each pod before it updates it in place.",
			Lawful: "What the requirements ask for is there; none forbids more.",
			Writer: func(c client.Client) client.Client { return announcingUpdates{c} }},
	}
}

// evicting evicts pods.
type evicting struct{ client.Client }

// Delete implements client.Client.
func (c evicting) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return c.Client.Delete(ctx, object, options...)
	}
	var with client.DeleteOptions
	with.ApplyOptions(options)
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}, DeleteOptions: with.AsDeleteOptions()}
	err := c.SubResource("eviction").Create(ctx, pod.DeepCopy(), eviction)
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return err
	}
	return c.Client.Delete(ctx, object, options...)
}

// deleteAgain deletes pods once more before each pass, each pod once.
func deleteAgain(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
	var done sync.Map
	return before(func(ctx context.Context, c client.Client, request reconcile.Request) error {
		ds := &appsv1.DaemonSet{}
		if err := c.Get(ctx, request.NamespacedName, ds); err != nil || ds.DeletionTimestamp != nil {
			return client.IgnoreNotFound(err)
		}
		var pods corev1.PodList
		if err := c.List(ctx, &pods, client.InNamespace(request.Namespace)); err != nil {
			return err
		}
		var errs []error
		for i := range pods.Items {
			pod := &pods.Items[i]
			grace := pod.DeletionGracePeriodSeconds
			if grace == nil || *grace == 0 || !metav1.IsControlledBy(pod, ds) {
				continue
			}
			if _, known := done.LoadOrStore(pod.UID, true); !known {
				err := c.Delete(ctx, pod, client.Preconditions{UID: &pod.UID}, client.GracePeriodSeconds(*grace))
				errs = append(errs, client.IgnoreNotFound(err))
			}
		}
		return errors.Join(errs...)
	})(inner, c)
}

// pausing answers creations of pods itself for a while after one of the same controller was refused: by what the API server said then.
type pausing struct {
	client.Client
	pause time.Duration

	mu      sync.Mutex
	refused map[types.UID]refusal
}

// refusal is an answer, and when it was.
type refusal struct {
	at  time.Time
	err error
}

// Create implements client.Client.
func (c *pausing) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	_, isPod := object.(*corev1.Pod)
	owner := metav1.GetControllerOf(object)
	if !isPod || owner == nil {
		return c.Client.Create(ctx, object, options...)
	}
	c.mu.Lock()
	last, known := c.refused[owner.UID]
	c.mu.Unlock()
	if known && time.Since(last.at) < c.pause {
		return last.err
	}
	err := c.Client.Create(ctx, object, options...)
	if refuses(err) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.refused == nil {
			c.refused = map[types.UID]refusal{}
		}
		c.refused[owner.UID] = refusal{time.Now(), err}
	}
	return err
}

// refuses reports whether the API server is against the object, by a rule that holds for others like it.
func refuses(err error) bool {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return false
	}
	switch answer.Status().Code {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// announcingUpdates annotates pods before it updates them in place.
type announcingUpdates struct{ client.Client }

// Patch implements client.Client.
func (c announcingUpdates) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	return otherPatch{c.Client, updatesImages, func(pod, patched *corev1.Pod) error {
		seen := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: patched.Namespace, Name: patched.Name, ResourceVersion: patched.ResourceVersion}}
		announced := seen.DeepCopy()
		metav1.SetMetaDataAnnotation(&announced.ObjectMeta, updating, "true")
		if err := c.Client.Patch(ctx, announced, client.MergeFromWithOptions(seen, client.MergeFromWithOptimisticLock{})); err != nil {
			return err
		}
		patched.ResourceVersion = announced.ResourceVersion
		metav1.SetMetaDataAnnotation(&patched.ObjectMeta, updating, "true")
		patched.DeepCopyInto(pod)
		return c.Update(ctx, pod)
	}}.Patch(ctx, object, patch, options...)
}

const updating = "example.com/updating"
