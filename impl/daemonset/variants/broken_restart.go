package variants

import (
	"bytes"
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// starting reports whether an object was there before the process began.
type starting func(object metav1.Object, now time.Time) bool

// aware gives the planner a look at what was there before its process.
func aware(with func(before starting) Around) Around {
	return sinceStart(func(began func(time.Time) time.Time) Around {
		return with(func(object metav1.Object, now time.Time) bool {
			return object.GetCreationTimestamp().Time.Before(began(now))
		})
	})
}

// brokenRestarts do not go on where the process before them ended.
func brokenRestarts() []Variant {
	return []Variant{
		{Name: "forgets-clocks-that-ran-before-a-restart", Says: "Sets no timer for a pod that was Ready before the process began.",
			Breaks: []string{"RECOVERY-003"}, Planner: sinceStart(forgetClocks)},
		{Name: "trusts-the-status-when-it-starts", Says: "Does nothing in its first three seconds about a DaemonSet whose status says that every node has an available updated pod.",
			Breaks: []string{"SURGE-012", "TARGET-009"},
			Planner: sinceStart(func(began func(time.Time) time.Time) Around {
				return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
					says := state.DaemonSet.Status
					done := says.ObservedGeneration == state.DaemonSet.Generation && says.DesiredNumberScheduled > 0 &&
						says.UpdatedNumberScheduled == says.DesiredNumberScheduled && says.NumberAvailable == says.DesiredNumberScheduled
					if done && now.Sub(began(now)) < 3*time.Second {
						*actions = plan.Actions{}
					}
				})
			})},
		{Name: "forgets-surge-pods-of-before-a-restart", Says: "Does not hold a surge pod that was created before the process began against maxSurge.",
			Breaks: []string{"RECOVERY-002", "RECOVERY-005", "TAKEOVER-004"},
			Planner: aware(func(before starting) Around {
				return limiting(maxSurge, func(value *intstr.IntOrString, state plan.State, now time.Time) int {
					number := scaled(value, eligibleNodes(state), true)
					for _, n := range surging(state, now) {
						if before(n.news[0], now) {
							number++
						}
					}
					return number
				})
			})},
		{Name: "forgets-starting-pods-of-before-a-restart",
			Says:   "Does not hold a pod that was created before the process began, and is still starting, against maxUnavailable.",
			Breaks: []string{"RECOVERY-001"},
			Planner: aware(func(before starting) Around {
				return limiting(maxUnavailable, func(value *intstr.IntOrString, state plan.State, now time.Time) int {
					number := scaled(value, eligibleNodes(state), true)
					for _, n := range nodes(state) {
						if n.eligible && len(n.news) > 0 && !available(state, append(n.olds, n.news...), now) && before(n.news[0], now) {
							number++
						}
					}
					return number
				})
			})},
		{Name: "works-without-the-lease", Says: "Works beside the replica that leads.",
			Breaks: []string{"RECOVERY-005"}, Args: []string{"--leader-elect=false"}},
		{Name: "replaces-what-it-did-not-create", Says: "Replaces every pod that was created before the process began.",
			Breaks: []string{"TAKEOVER-001"}, NeedsKubelets: true, Planner: aware(func(before starting) Around {
				return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
					removeUpdated(actions, state, func(_ *node, pod *corev1.Pod) bool { return before(pod, now) })
				})
			})},
		{Name: "starts-anew-where-it-was-killed", Says: "Replaces the updated pods that stand beside an old one and were created before the process began.",
			Breaks: []string{"KUBELET-010"}, NeedsKubelets: true, Planner: aware(func(before starting) Around {
				return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
					removeUpdated(actions, state, func(n *node, pod *corev1.Pod) bool { return len(n.olds) > 0 && before(pod, now) })
				})
			})},
		{Name: "renumbers-what-it-finds", Says: "Gives the current history object that it finds when it begins a number of its own.",
			Breaks: []string{"TAKEOVER-003"}, NeedsKubelets: true, Planner: aware(renumber)},
		{Name: "leaves-marks-that-only-it-knows",
			Says:   "Gives the pods that it finds when it begins labels that no other controller takes for the current template's.",
			Breaks: []string{"TAKEOVER-002"}, NeedsKubelets: true, Planner: aware(mark), Writer: func(c client.Client) client.Client { return marking{c} }},
	}
}

func forgetClocks(began func(now time.Time) time.Time) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			actions, start := next(state, now), began(now)
			withoutPods(&state, func(pod *corev1.Pod) bool {
				return plan.IsReady(pod) && ready(pod).LastTransitionTime.Time.Before(start)
			})
			actions.RequeueAfter = next(state, now).RequeueAfter
			return actions
		}
	}
}

func removeUpdated(actions *plan.Actions, state plan.State, which func(*node, *corev1.Pod) bool) {
	if state.AwaitingOwnWrites {
		return
	}
	for _, n := range nodes(state) {
		for _, pod := range n.news {
			if which(n, pod) {
				remove(actions, pod, plan.ReasonOutdated)
			}
		}
	}
}

func renumber(before starting) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		name := plan.RevisionName(state.DaemonSet)
		i := slices.IndexFunc(state.Revisions, func(r *appsv1.ControllerRevision) bool { return r.Name == name })
		if i >= 0 && before(state.Revisions[i], now) && state.Revisions[i].Revision < 1000 {
			revision := state.Revisions[i].DeepCopy()
			revision.Revision = 1000
			actions.UpdateRevisions = []plan.RevisionUpdate{{Revision: revision}}
		}
	})
}

// claimed is the revision label that only the variant knows.
const claimed = "claimed"

func mark(before starting) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			var found []*corev1.Pod
			isUpdated, ds := updated(state), state.DaemonSet
			for _, pod := range state.Pods {
				if metav1.IsControlledBy(pod, ds) && before(pod, now) && isUpdated(pod) {
					found = append(found, pod)
				}
			}
			changePods(&state, func(pod *corev1.Pod) bool { return pod.Labels[plan.HashLabel] == claimed }, func(pod *corev1.Pod) {
				pod.Labels[plan.HashLabel] = plan.TemplateHash(&ds.Spec.Template, ds.Status.CollisionCount)
			})
			actions := next(state, now)
			for _, pod := range found {
				actions.PatchPods = append(actions.PatchPods, plan.PodPatch{Pod: pod, Hash: claimed})
			}
			return actions
		}
	}
}

// marking writes the mark together with a template generation that no template has.
type marking struct{ client.Client }

func (c marking) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	body, err := patch.Data(object)
	if err != nil {
		return err
	}
	label := []byte(`"` + plan.HashLabel + `":"` + claimed + `"`)
	body = bytes.Replace(body, label, append(slices.Clone(label), `,"`+plan.GenerationLabel+`":"0"`...), 1)
	return c.Client.Patch(ctx, object, client.RawPatch(patch.Type(), body), options...)
}
