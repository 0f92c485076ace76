package variants

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenUpkeeps look badly after the histories that there are, and after the labels that tie pods to them.
func brokenUpkeeps() []Variant {
	return []Variant{
		{Name: "keeps-duplicate-histories", Says: "Deletes no history of the current template.",
			Breaks: []string{"HISTORY-011"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				actions.DeleteRevisions = slices.DeleteFunc(slices.Clone(actions.DeleteRevisions), func(r *appsv1.ControllerRevision) bool {
					return isCurrent(state, r)
				})
			})},
		{Name: "relabels-every-pod", Says: "Relabels all pods when it relabels those of a duplicate history.",
			Breaks: []string{"HISTORY-012"}, Planner: doing(relabelAll)},
		{Name: "leaves-histories-unlabelled", Says: "Adds no missing revision label to a history.",
			Breaks: []string{"HISTORY-013"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				withoutUpdates(actions, func(update plan.RevisionUpdate) bool {
					return slices.ContainsFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool {
						return r.UID == update.Revision.UID && r.Labels[plan.HashLabel] == ""
					})
				})
			})},
		{Name: "adopts-no-history", Says: "Adopts no history.",
			Breaks: []string{"HISTORY-014"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				withoutUpdates(actions, func(update plan.RevisionUpdate) bool { return update.Adopt })
			})},
		{Name: "adopts-for-a-deleted-daemonset", Says: "Adopts histories for a DaemonSet that is being deleted.",
			Breaks: []string{"HISTORY-015"},
			Reconciler: func(inner reconcile.Reconciler, c client.Client) reconcile.Reconciler {
				return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
					if err := adoptForDeleted(ctx, c, request); err != nil {
						return reconcile.Result{}, err
					}
					return inner.Reconcile(ctx, request)
				})
			}},
		{Name: "trims-histories-once-a-rollout", Says: "Deletes old histories when a rollout ends, in passes for a new generation and in its first one, and at no other time.",
			Breaks: []string{"HISTORY-016"}, Planner: remember(trimOnce)},
		{Name: "trims-the-current-history-too", Says: "Deletes the history of the current template when it deletes others.",
			Breaks: []string{"HISTORY-018"},
			Planner: doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
				if len(actions.DeleteRevisions) == 0 {
					return
				}
				for _, revision := range state.Revisions {
					if isCurrent(state, revision) && !slices.Contains(actions.DeleteRevisions, revision) {
						actions.DeleteRevisions = append(actions.DeleteRevisions, revision)
					}
				}
			})},
		{Name: "trims-the-newest-history", Says: "Deletes beyond the limit the histories with the highest numbers.",
			Breaks: []string{"HISTORY-019"},
			Planner: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions {
					actions := next(state, now)
					if len(actions.DeleteRevisions) == 0 {
						return actions
					}
					reversed := state
					reversed.Revisions = nil
					for _, revision := range state.Revisions {
						other := revision.DeepCopy()
						if !isCurrent(state, revision) {
							other.Revision = -other.Revision
						}
						reversed.Revisions = append(reversed.Revisions, other)
					}
					actions.DeleteRevisions = next(reversed, now).DeleteRevisions
					return actions
				}
			}},
		{Name: "counts-the-current-history", Says: "Counts the current history towards the limit.",
			Breaks: []string{"HISTORY-020"},
			Planner: seeingSpec(func(spec *appsv1.DaemonSetSpec, _ plan.State, _ time.Time) {
				if limit := spec.RevisionHistoryLimit; limit != nil && *limit > 0 {
					*limit--
				}
			})},
		{Name: "ignores-the-template-generation", Says: "Takes a pod for outdated whose revision label no history has, whatever its template generation.",
			Breaks: []string{"HISTORY-022", "HISTORY-023"},
			Planner: seeing(func(state *plan.State, _ time.Time) {
				changePods(state, every, func(pod *corev1.Pod) { delete(pod.Labels, plan.GenerationLabel) })
			})},
		{Name: "adds-no-missing-label", Says: "Gives no pod the revision label that it lacks.",
			Breaks: []string{"HISTORY-023"},
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for i := range actions.PatchPods {
					if actions.PatchPods[i].Pod.Labels[plan.HashLabel] == "" {
						actions.PatchPods[i].Hash = ""
					}
				}
				withoutEmptyPatches(actions)
			})},
		{Name: "takes-unknown-labels-for-current", Says: "Takes a pod for updated whose revision label no history has.",
			Breaks:  []string{"HISTORY-024"},
			Planner: withHash(func(pod *corev1.Pod, known map[string]bool) bool { return !known[pod.Labels[plan.HashLabel]] })},
	}
}

// isCurrent reports whether the history holds the current template, by its label or by its content.
func isCurrent(state plan.State, revision *appsv1.ControllerRevision) bool {
	current, err := plan.NewRevision(state.DaemonSet, 0)
	return err == nil && string(current.Data.Raw) == string(revision.Data.Raw)
}

// withoutUpdates drops updates of histories.
func withoutUpdates(actions *plan.Actions, dropped func(plan.RevisionUpdate) bool) {
	actions.UpdateRevisions = slices.DeleteFunc(slices.Clone(actions.UpdateRevisions), dropped)
}

// rollout is whether a pass has been made, and whether there were old pods then.
type rollout struct{ known, underWay bool }

func trimOnce(m *memory[rollout]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		before, isUpdated := m.of(state), updated(state)
		underWay := slices.ContainsFunc(state.Pods, func(pod *corev1.Pod) bool {
			return metav1.IsControlledBy(pod, state.DaemonSet) && !isUpdated(pod)
		})
		ends := before.underWay && !underWay
		if before.known && !ends && state.DaemonSet.Status.ObservedGeneration == state.DaemonSet.Generation {
			actions.DeleteRevisions = slices.DeleteFunc(slices.Clone(actions.DeleteRevisions), func(r *appsv1.ControllerRevision) bool { return !isCurrent(state, r) })
		}
		*before = rollout{known: true, underWay: underWay}
	})
}

func relabelAll(actions *plan.Actions, state plan.State, _ time.Time) {
	hash := ""
	for _, patch := range actions.PatchPods {
		if patch.Pod.Labels[plan.HashLabel] != "" && patch.Hash != "" {
			hash = patch.Hash
		}
	}
	if hash == "" {
		return
	}
	actions.PatchPods = nil
	for _, pod := range state.Pods {
		if metav1.IsControlledBy(pod, state.DaemonSet) {
			actions.PatchPods = append(actions.PatchPods, plan.PodPatch{Pod: pod, Hash: hash})
		}
	}
}

func adoptForDeleted(ctx context.Context, c client.Client, request reconcile.Request) error {
	ds := &appsv1.DaemonSet{}
	if err := c.Get(ctx, request.NamespacedName, ds); err != nil || ds.DeletionTimestamp == nil {
		return client.IgnoreNotFound(err)
	}
	selector, err := metav1.LabelSelectorAsSelector(ds.Spec.Selector)
	if err != nil {
		return err
	}
	var all appsv1.ControllerRevisionList
	if err := c.List(ctx, &all, client.InNamespace(ds.Namespace)); err != nil {
		return err
	}
	for i := range all.Items {
		revision := all.Items[i].DeepCopy()
		if metav1.GetControllerOf(revision) != nil || !selector.Matches(labels.Set(revision.Labels)) {
			continue
		}
		revision.OwnerReferences = append(revision.OwnerReferences, *metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet")))
		if err := c.Update(ctx, revision); err != nil {
			return err
		}
	}
	return nil
}
