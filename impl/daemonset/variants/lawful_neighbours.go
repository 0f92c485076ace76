package variants

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulNeighbours write on objects that the requirements say little of: histories, the status of pods, and nodes.
func lawfulNeighbours() []Variant {
	return []Variant{
		{Name: "finalizer-on-histories", Says: "Puts a finalizer of its own on the histories that it creates, and takes it away from those that are being deleted, ten times a second.",
			Lawful: "HISTORY-001 and HISTORY-002 say what a history has, and not what it has not. What deletes histories (HISTORY-011, HISTORY-016, HISTORY-025) says when at the latest, and they go in the order of HISTORY-019.",
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if actions.CreateRevision != nil {
					controllerutil.AddFinalizer(actions.CreateRevision, finalizer)
				}
			}),
			Reconciler: lettingHistoriesGo},
		{Name: "marks-disruption-targets", Says: "Gives each pod that runs the condition DisruptionTarget before it deletes it, as Kubernetes does for evictions and taints.",
			Lawful: "AVAIL-001 has Ready and its time decide alone, and PDB-034 knows of DisruptionTarget on a pod that is not terminating yet. The number of deletions and creations (ROLLING-018, SURGE-023) stays.",
			Writer: func(c client.Client) client.Client { return markingTargets{c} }},
		{Name: "annotates-nodes", Says: "Has an annotation on each node on which an old pod, or an updated one that is not Ready, is left, and takes it away then.",
			Lawful:     "SURGE-025 names what is not written at rest, and nodes are not of it. TARGET-001 has labels and taints decide; UNITED-020 is about labels, too.",
			Reconciler: annotatingNodes},
	}
}

// lettingHistoriesGo takes the finalizer away. It looks by itself: of a history that nobody owns any more no DaemonSet hears.
func lettingHistoriesGo(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
	var once sync.Once
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		once.Do(func() {
			// Until the process ends.
			go wait.UntilWithContext(context.WithoutCancel(ctx), func(ctx context.Context) {
				if err := letHistoriesGo(ctx, c); err != nil {
					log.FromContext(ctx).Info("A history was not let go", "reason", err.Error())
				}
			}, 100*time.Millisecond)
		})
		return inner.Reconcile(ctx, request)
	})
}

// letHistoriesGo lets the oldest go first.
func letHistoriesGo(ctx context.Context, c client.Client) error {
	var histories appsv1.ControllerRevisionList
	if err := c.List(ctx, &histories, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list histories: %w", err)
	}
	var going []*appsv1.ControllerRevision
	for i := range histories.Items {
		if history := &histories.Items[i]; history.DeletionTimestamp != nil && controllerutil.ContainsFinalizer(history, finalizer) {
			going = append(going, history.DeepCopy())
		}
	}
	slices.SortFunc(going, func(a, b *appsv1.ControllerRevision) int { return cmp.Compare(a.Revision, b.Revision) })
	for _, history := range going {
		controllerutil.RemoveFinalizer(history, finalizer)
		if err := c.Update(ctx, history); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("let history %s go: %w", history.Name, err)
		}
	}
	return nil
}

// markingTargets marks pods before it deletes them. Both writes hold for the pod as it was seen.
type markingTargets struct{ client.Client }

// Delete implements client.Client.
func (c markingTargets) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod || pod.Status.Phase != corev1.PodRunning || conditionOfPod(pod, corev1.DisruptionTarget) == corev1.ConditionTrue {
		return c.Client.Delete(ctx, object, options...)
	}
	marked, err := withPodCondition(ctx, c.Client, pod, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "DeletionByDaemonSetController", Message: "DaemonSet controller: deleting the pod",
	})
	if err != nil {
		return err
	}
	return c.Client.Delete(ctx, object, append(slices.Clone(options), client.Preconditions{UID: &marked.UID, ResourceVersion: &marked.ResourceVersion})...)
}

func conditionOfPod(pod *corev1.Pod, kind corev1.PodConditionType) corev1.ConditionStatus {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == kind {
			return condition.Status
		}
	}
	return ""
}

// withPodCondition writes a condition into the status of the pod, only as it was seen if that has a resourceVersion, and returns the pod with it.
func withPodCondition(ctx context.Context, c client.Client, pod *corev1.Pod, condition corev1.PodCondition) (*corev1.Pod, error) {
	written := map[string]any{
		"type": condition.Type, "status": condition.Status, "reason": condition.Reason, "message": condition.Message, "lastTransitionTime": metav1.Now(),
	}
	metadata := map[string]any{"uid": pod.UID}
	if pod.ResourceVersion != "" {
		metadata["resourceVersion"] = pod.ResourceVersion
	}
	body, err := json.Marshal(map[string]any{"metadata": metadata, "status": map[string]any{"conditions": []any{written}}})
	if err != nil {
		return nil, fmt.Errorf("encode the condition of pod %s: %w", pod.Name, err)
	}
	patched := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
	if err := c.Status().Patch(ctx, patched, client.RawPatch(types.StrategicMergePatchType, body)); err != nil {
		return nil, err
	}
	return patched, nil
}

// annotatingNodes has the nodes say on which of them a DaemonSet is being rolled out, after every pass.
func annotatingNodes(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		result, err := inner.Reconcile(ctx, request)
		if err != nil {
			return result, err
		}
		left, err := annotateNodes(ctx, c, request)
		if left && result.RequeueAfter == 0 {
			result.RequeueAfter = 100 * time.Millisecond
		}
		return result, err
	})
}

// annotatedAtOnce is how many nodes it writes to in a pass, so that no pod waits for them.
const annotatedAtOnce = 5

// annotateNodes reports whether more nodes are left to annotate than it does at once.
func annotateNodes(ctx context.Context, c client.Client, request reconcile.Request) (left bool, err error) {
	changing, err := nodesOfRollout(ctx, c, request)
	if err != nil {
		return false, err
	}
	hash := fnv.New32a()
	fmt.Fprint(hash, request.String())
	key := fmt.Sprintf("rollout.example.com/%08x", hash.Sum32())
	var nodes corev1.NodeList
	if err := c.List(ctx, &nodes); err != nil {
		return false, fmt.Errorf("list nodes: %w", err)
	}
	written := 0
	for i := range nodes.Items {
		node := &nodes.Items[i]
		value, found := node.Annotations[key]
		wanted, wants := changing[node.Name]
		if found == wants && value == wanted {
			continue
		}
		if written == annotatedAtOnce {
			return true, nil
		}
		written++
		changed := node.DeepCopy()
		delete(changed.Annotations, key)
		if wants {
			metav1.SetMetaDataAnnotation(&changed.ObjectMeta, key, wanted)
		}
		if err := c.Patch(ctx, changed, client.MergeFrom(node)); client.IgnoreNotFound(err) != nil {
			return false, fmt.Errorf("annotate node %s: %w", node.Name, err)
		}
	}
	return false, nil
}

// nodesOfRollout says of the nodes that a rollout has not done with what is left there. It goes by the history with the largest number.
func nodesOfRollout(ctx context.Context, c client.Client, request reconcile.Request) (map[string]string, error) {
	changing := map[string]string{}
	ds := &appsv1.DaemonSet{}
	if err := c.Get(ctx, request.NamespacedName, ds); err != nil {
		return changing, client.IgnoreNotFound(err)
	}
	var histories appsv1.ControllerRevisionList
	var pods corev1.PodList
	if err := c.List(ctx, &histories, client.InNamespace(request.Namespace)); err != nil {
		return nil, fmt.Errorf("list histories: %w", err)
	}
	if err := c.List(ctx, &pods, client.InNamespace(request.Namespace)); err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	current := &appsv1.ControllerRevision{}
	for i := range histories.Items {
		if each := &histories.Items[i]; metav1.IsControlledBy(each, ds) && each.Revision > current.Revision {
			current = each
		}
	}
	if ds.DeletionTimestamp != nil || current.Name == "" {
		return changing, nil
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		switch {
		case !metav1.IsControlledBy(pod, ds) || pod.DeletionTimestamp != nil:
		case pod.Labels[plan.HashLabel] != current.Labels[plan.HashLabel]:
			changing[pod.Spec.NodeName] = "upgrade-required"
		case !plan.IsReady(pod) && changing[pod.Spec.NodeName] == "":
			changing[pod.Spec.NodeName] = "validation-required"
		}
	}
	return changing, nil
}
