package variants

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulHabits are ways in which controllers written from the requirements alone may differ.
func lawfulHabits() []Variant {
	const more = "What the requirements ask for is there; none forbids more."
	return []Variant{
		{Name: "deletes-unready-old-pods-at-once", Says: "Deletes an old pod that is not available as soon as an updated one is beside it.",
			Lawful: "SURGE-022 leaves open which of two pods is kept if neither is available.", Planner: doing(deleteUnreadyOlds)},
		{Name: "one-unhealthy-pod-at-a-time", Says: "Replaces one old pod a second that is not available, and no available one meanwhile.",
			Lawful: "ROLLING-008 only observes how many unhealthy pods are deleted at a time.", Planner: remember(oneUnhealthy)},
		{Name: "rounds-max-surge-down-to-one-at-least", Says: "Rounds a percentage of maxSurge down, and takes no fraction for less than one.", Lawful: "maxSurge is an upper bound.",
			Planner: limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, _ time.Time) int {
				return min(scaled(value, eligibleNodes(state), true), max(1, scaled(value, eligibleNodes(state), false)))
			})},
		{Name: "backs-off-from-three-seconds", Says: "Replaces a pod that failed after 3 s, 6 s, 12 s, …",
			Lawful:  "TARGET-010 asks for a delay that grows, not for one that begins with a second.",
			Planner: backOffBy(func(d time.Duration) time.Duration { return 3 * d }, func(d time.Duration) time.Duration { return d / 3 })},
		{Name: "backs-off-from-templates", Says: "Goes on backing off from pods that failed when anything but the template changes.",
			Lawful: "TARGET-010 has no other change of the spec begin anew.", Planner: remember(backOffFromTemplates)},
		{Name: "reacts-at-random", Says: "Reacts after a random delay of up to four seconds.",
			Lawful: "A reaction may take five seconds.", Reconciler: reactAtRandom(4 * time.Second)},
		{Name: "keeps-old-pods-that-tolerate-a-taint-themselves",
			Says:   "Lets an old pod stay on a node with a NoExecute taint that it tolerates itself, as one on a node with a NoSchedule taint.",
			Lawful: "DRAIN-008 leaves open what becomes of a pod that tolerates the taint itself.", Planner: seeing(keepEnduring)},
		{Name: "history-with-its-kind", Says: "Writes the kind of the object into the data of histories, beside the template.",
			Lawful: "HISTORY-001 asks for data that restore the template, and these do.", Planner: historyWithKind},
		{Name: "begins-with-number-ten", Says: "Gives the first history of a DaemonSet the number 10, and leaves a number out for each new one.",
			Lawful: "HISTORY-001 and -003 ask for numbers above 0 and above all others.",
			Planner: making(func(revision *appsv1.ControllerRevision, _ plan.State) {
				if revision.Revision == 1 {
					revision.Revision = 10
				} else {
					revision.Revision++
				}
			})},
		{Name: "reports-progress-in-a-condition", Says: "Keeps a condition Progressing, which is True during a rollout and False after it.",
			Lawful: more, Planner: reporting(reportProgress)},
		{Name: "reports-progress-in-an-annotation", Says: "Writes an annotation of the DaemonSet that says how many pods are updated, whenever that has changed.",
			Lawful: more, Reconciler: before(annotateProgress)},
		{Name: "announces-deletions", Says: "Annotates each pod before it deletes it.", Lawful: more,
			Writer: func(c client.Client) client.Client { return announcing{c} }},
		{Name: "updates-in-place-by-json-patch", Says: "Writes updates in place by JSON patches with the resourceVersion.",
			Lawful: "INPLACE-028 asks for one write, not for the verb.",
			Writer: func(c client.Client) client.Client { return jsonPatcher{c} }},
	}
}

func deleteUnreadyOlds(actions *plan.Actions, state plan.State, now time.Time) {
	if state.AwaitingOwnWrites || !rolling(state) || !maySurge(state) {
		return
	}
	for _, n := range nodes(state) {
		if !n.eligible || len(n.news) == 0 || available(state, n.olds, now) {
			continue
		}
		for _, old := range n.olds {
			remove(actions, old, plan.ReasonOldUnavailable)
		}
	}
}

func oneUnhealthy(m *memory[written]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		unhealthy := deletedFor(plan.ReasonOldUnavailable)
		due := 0
		for _, d := range actions.DeletePods {
			if unhealthy(d) {
				due++
			}
		}
		if state.AwaitingOwnWrites || due == 0 || inPlace(state) {
			return
		}
		last := m.of(state)
		wait := last.at.Add(time.Second).Sub(now)
		taken := wait > 0
		if !taken {
			last.at = now
		}
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			if d.Reason == plan.ReasonOutdated {
				return due > 1 || wait > 0
			}
			drop := unhealthy(d) && taken
			taken = taken || unhealthy(d)
			return drop
		})
		comeBack(actions, max(wait, 0)+time.Millisecond)
	})
}

// reactAtRandom makes a pass over a DaemonSet wait after the first request for it, each time for another while of up to most; the pass answers later requests too.
func reactAtRandom(most time.Duration) func(reconcile.Reconciler, client.Client) reconcile.Reconciler {
	return func(inner reconcile.Reconciler, _ client.Client) reconcile.Reconciler {
		source := rand.New(rand.NewPCG(1, 2))
		return reactAfter(inner, func() time.Duration { return time.Duration(source.Int64N(int64(most))) })
	}
}

// historyWithKind speaks to the planner in its own data, and to the API server in such as begins with the kind. Keys are in order: the API server sorts those of
// an object that is patched, and takes that for another value of data, which cannot be changed.
func historyWithKind(next plan.Planner) plan.Planner {
	const kind = `{"apiVersion":"apps/v1","kind":"DaemonSet",`
	return func(state plan.State, now time.Time) plan.Actions {
		originals := map[types.UID]*appsv1.ControllerRevision{}
		revisions := make([]*appsv1.ControllerRevision, len(state.Revisions))
		for i, revision := range state.Revisions {
			revisions[i] = revision
			if rest, found := bytes.CutPrefix(revision.Data.Raw, []byte(kind)); found {
				originals[revision.UID] = revision
				revisions[i] = revision.DeepCopy()
				revisions[i].Data.Raw = append([]byte("{"), rest...)
			}
		}
		state.Revisions = revisions
		actions := next(state, now)
		if created := actions.CreateRevision; created != nil {
			created.Data.Raw = append([]byte(kind), created.Data.Raw[1:]...)
		}
		for _, update := range actions.UpdateRevisions {
			if original := originals[update.Revision.UID]; original != nil {
				update.Revision.Data = original.Data
			}
		}
		return actions
	}
}

func reportProgress(status *appsv1.DaemonSetStatus, state plan.State, now time.Time) {
	const kind = "Progressing"
	want := appsv1.DaemonSetCondition{Type: kind, Status: corev1.ConditionTrue, Reason: "RollingOut", LastTransitionTime: metav1.NewTime(now).Rfc3339Copy()}
	if status.UpdatedNumberScheduled == status.DesiredNumberScheduled && status.NumberAvailable == status.DesiredNumberScheduled &&
		status.ObservedGeneration == state.DaemonSet.Generation {
		want.Status, want.Reason = corev1.ConditionFalse, "RolledOut"
	}
	for i := range status.Conditions {
		if have := &status.Conditions[i]; have.Type == kind {
			if have.Status != want.Status {
				*have = want
			}
			return
		}
	}
	status.Conditions = append(status.Conditions, want)
}

func annotateProgress(ctx context.Context, c client.Client, request reconcile.Request) error {
	const key = "example.com/progress"
	ds := &appsv1.DaemonSet{}
	if err := c.Get(ctx, request.NamespacedName, ds); err != nil {
		return client.IgnoreNotFound(err)
	}
	says := strconv.Itoa(int(ds.Status.UpdatedNumberScheduled)) + " of " + strconv.Itoa(int(ds.Status.DesiredNumberScheduled))
	if ds.DeletionTimestamp != nil || ds.Annotations[key] == says {
		return nil
	}
	changed := ds.DeepCopy()
	metav1.SetMetaDataAnnotation(&changed.ObjectMeta, key, says)
	return client.IgnoreNotFound(c.Patch(ctx, changed, client.MergeFrom(ds)))
}

// announcing annotates pods before it deletes them.
type announcing struct{ client.Client }

// Delete implements client.Client.
func (c announcing) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	pod, isPod := object.(*corev1.Pod)
	if !isPod {
		return c.Client.Delete(ctx, object, options...)
	}
	announced := pod.DeepCopy()
	metav1.SetMetaDataAnnotation(&announced.ObjectMeta, "example.com/going", "true")
	if err := c.Patch(ctx, announced, client.MergeFromWithOptions(pod, client.MergeFromWithOptimisticLock{})); err != nil {
		return err
	}
	uid, version := announced.UID, announced.ResourceVersion
	return c.Client.Delete(ctx, object, client.Preconditions{UID: &uid, ResourceVersion: &version})
}

// jsonPatcher updates pods in place by JSON patches.
type jsonPatcher struct{ client.Client }

// Patch implements client.Client.
func (c jsonPatcher) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	return otherPatch{c.Client, updatesImages, func(pod, patched *corev1.Pod) error {
		type operation struct {
			Op    string `json:"op"`
			Path  string `json:"path"`
			Value any    `json:"value"`
		}
		changes := []operation{
			{"replace", "/metadata/resourceVersion", patched.ResourceVersion},
			{"add", "/metadata/labels", patched.Labels},
			{"add", "/metadata/annotations", patched.Annotations},
		}
		for i, container := range patched.Spec.Containers {
			changes = append(changes, operation{"replace", fmt.Sprintf("/spec/containers/%d/image", i), container.Image})
		}
		body, err := json.Marshal(changes)
		if err != nil {
			return fmt.Errorf("encode the update: %w", err)
		}
		return c.Client.Patch(ctx, pod, client.RawPatch(types.JSONPatchType, body))
	}}.Patch(ctx, object, patch, options...)
}

// keepEnduring shows the NoExecute taints of a node as NoSchedule where it has old pods alone, all of which tolerate the former, and repels the template's pods by
// the latter, too.
func keepEnduring(state *plan.State, _ time.Time) {
	drives := func(taint *corev1.Taint) bool { return taint.Effect == corev1.TaintEffectNoExecute }
	repelling := func(node *corev1.Node) {
		for i := range node.Spec.Taints {
			if taint := &node.Spec.Taints[i]; drives(taint) {
				taint.Effect = corev1.TaintEffectNoSchedule
			}
		}
	}
	enduring := sets.New[string]()
	for _, n := range nodes(*state) {
		_, keeps := plan.Eligibility(state.DaemonSet, n.object)
		if keeps || len(n.olds) == 0 || len(n.news) > 0 || slices.ContainsFunc(n.olds, func(pod *corev1.Pod) bool {
			_, driven := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), n.object.Spec.Taints, pod.Spec.Tolerations, drives, true)
			return driven
		}) {
			continue
		}
		shown := n.object.DeepCopy()
		repelling(shown)
		if runs, _ := plan.Eligibility(state.DaemonSet, shown); !runs {
			enduring.Insert(n.name)
		}
	}
	changeNodes(state, func(node *corev1.Node) {
		if enduring.Has(node.Name) {
			repelling(node)
		}
	})
}

// failedOf are the pods that failed of the template with that hash, by node.
type failedOf struct {
	hash   string
	byNode map[string]plan.Backoff
}

func backOffFromTemplates(m *memory[failedOf]) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			known := m.of(state)
			if hash := plan.TemplateHash(&state.DaemonSet.Spec.Template, nil); known.hash != hash {
				*known = failedOf{hash: hash, byNode: map[string]plan.Backoff{}}
			}
			state.Backoff = maps.Clone(known.byNode)
			actions := next(state, now)
			maps.Copy(known.byNode, actions.Backoff)
			return actions
		}
	}
}
