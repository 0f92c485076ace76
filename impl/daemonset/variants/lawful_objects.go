package variants

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulObjects give their objects other names, labels and fields.
func lawfulObjects() []Variant {
	return []Variant{
		{Name: "extra-labels-and-annotations", Says: "Puts a label and an annotation of its own on pods and history objects.",
			Lawful: "What the requirements ask for is there; none forbids more.", Planner: doing(decorate)},
		{Name: "extra-events", Says: "Records an event on the DaemonSet for every creation that it plans.",
			Lawful: "COND-004 asks for some events and forbids none.",
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for _, creation := range actions.CreatePods {
					actions.Events = append(actions.Events, plan.Event{
						Type: corev1.EventTypeNormal, Reason: "Planned", Message: fmt.Sprintf("a pod on %s, %s", creation.Node, creation.Reason),
					})
				}
			})},
		{Name: "extra-condition", Says: "Keeps a condition of its own in the status.",
			Lawful: "A status may have conditions. It is written once, so that SURGE-025 holds.", Planner: doing(addCondition)},
		{Name: "other-hashes", Says: "Computes other revision labels, and with them other names of history objects.",
			Lawful: "HISTORY-002 asks for a hash of the template in the name and the label, not for a particular one.", Planner: translateHashes("other-")},
		{Name: "long-hashes", Says: "Computes revision labels of more than forty characters.",
			Lawful: "A label may have 63 characters, and no requirement asks for fewer.", Planner: translateHashes(strings.Repeat("0123456789", 4))},
		{Name: "other-pod-names", Says: "Names pods by itself, after the DaemonSet and a number.",
			Lawful: "No requirement says how pods are named.", Planner: remembering(numberPods)},
		{Name: "pods-do-not-block-deletion", Says: "Leaves blockOwnerDeletion out of the owner references of pods.",
			Lawful: "No requirement asks for more of an owner reference than that it is the controller's.",
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for _, creation := range actions.CreatePods {
					for i := range creation.Pod.OwnerReferences {
						creation.Pod.OwnerReferences[i].BlockOwnerDeletion = nil
					}
				}
			})},
		{Name: "binds-by-node-name", Says: "Creates pods that are bound to their node already, without the scheduler.",
			Lawful: "SURGE-026 names both ways.",
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				for _, creation := range actions.CreatePods {
					creation.Pod.Spec.NodeName = creation.Node
				}
			})},
	}
}

func decorate(actions *plan.Actions, _ plan.State, _ time.Time) {
	const key, value = "example.com/made-by", "variant"
	for _, creation := range actions.CreatePods {
		creation.Pod.Labels[key] = value
		metav1.SetMetaDataAnnotation(&creation.Pod.ObjectMeta, key, value)
	}
	if actions.CreateRevision != nil {
		actions.CreateRevision.Labels[key] = value
		metav1.SetMetaDataAnnotation(&actions.CreateRevision.ObjectMeta, key, value)
	}
}

func addCondition(actions *plan.Actions, state plan.State, _ time.Time) {
	if actions.Status == nil {
		return
	}
	const kind = "Observed"
	for _, have := range actions.Status.Conditions {
		if have.Type == kind {
			return
		}
	}
	actions.Status.Conditions = append(actions.Status.Conditions, appsv1.DaemonSetCondition{
		Type: kind, Status: corev1.ConditionTrue, Reason: "Seen", LastTransitionTime: state.DaemonSet.CreationTimestamp,
	})
}

// translateHashes speaks to the planner in its own hashes, and to the API server in others, which begin with the prefix. Histories that others wrote keep theirs.
func translateHashes(prefix string) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			ds := state.DaemonSet
			state.Revisions = append([]*appsv1.ControllerRevision(nil), state.Revisions...)
			others := map[string]bool{}
			of := func(hash string) string {
				if others[hash] {
					return hash
				}
				return prefix + hash
			}
			for i, revision := range state.Revisions {
				// One that has lost its label has the hash in its name.
				label, labelled := revision.Labels[plan.HashLabel]
				if hash, ours := strings.CutPrefix(label, prefix); ours || !labelled {
					state.Revisions[i] = revision.DeepCopy()
					if labelled {
						state.Revisions[i].Labels[plan.HashLabel] = hash
					}
					state.Revisions[i].Name = strings.Replace(revision.Name, prefix, "", 1)
				} else {
					others[label] = true
				}
			}
			originals := map[types.UID]*corev1.Pod{}
			for _, pod := range state.Pods {
				originals[pod.UID] = pod
			}
			changePods(&state, every, func(pod *corev1.Pod) {
				// A pod without labels has none to write to.
				if hash, ours := strings.CutPrefix(pod.Labels[plan.HashLabel], prefix); ours {
					pod.Labels[plan.HashLabel] = hash
				}
			})
			actions := next(state, now)
			if actions.CreateRevision != nil {
				rename(ds, prefix, actions.CreateRevision)
			}
			for _, update := range actions.UpdateRevisions {
				if !others[update.Revision.Labels[plan.HashLabel]] {
					rename(ds, prefix, update.Revision)
				}
			}
			for i, revision := range actions.DeleteRevisions {
				if !others[revision.Labels[plan.HashLabel]] {
					actions.DeleteRevisions[i] = revision.DeepCopy()
					rename(ds, prefix, actions.DeleteRevisions[i])
				}
			}
			for _, creation := range actions.CreatePods {
				creation.Pod.Labels[plan.HashLabel] = of(creation.Hash)
			}
			for i, patch := range actions.PatchPods {
				actions.PatchPods[i].Pod = originals[patch.Pod.UID]
				if patch.Hash != "" {
					actions.PatchPods[i].Hash = of(patch.Hash)
				}
			}
			for _, update := range actions.UpdatePods {
				update.Labels[plan.HashLabel] = of(update.Labels[plan.HashLabel])
			}
			return actions
		}
	}
}

func rename(ds *appsv1.DaemonSet, prefix string, revision *appsv1.ControllerRevision) {
	hash := revision.Labels[plan.HashLabel]
	revision.Labels[plan.HashLabel] = prefix + hash
	begins, shortened := strings.CutSuffix(revision.Name, "-"+hash)
	if rest, ours := strings.CutPrefix(revision.Name, ds.Name+"-"); ours {
		revision.Name = ds.Name + "-" + prefix + rest
	} else if shortened && strings.HasPrefix(ds.Name, begins) {
		revision.Name = within(begins, "-"+prefix+hash)
	}
}

// within puts the two together, the first as much of it as there is room for in the name of an object.
func within(name, suffix string) string {
	return strings.TrimRight(name[:min(len(name), validation.DNS1123SubdomainMaxLength-len(suffix))], "-.") + suffix
}

// numberPods names pods after the time at which the process began and a number.
func numberPods() Around {
	var serial atomic.Int64
	return sinceStart(func(began func(time.Time) time.Time) Around {
		return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
			for _, creation := range actions.CreatePods {
				creation.Pod.GenerateName = ""
				creation.Pod.Name = within(state.DaemonSet.Name, fmt.Sprintf(".%d.%d", began(now).UnixMilli(), serial.Add(1)))
			}
		})
	})
}
