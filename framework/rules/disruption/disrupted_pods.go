package disruption

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// DisruptedKept is PDB-012.
func DisruptedKept() judge.Rule {
	return judge.Rule{
		Requirement: "PDB-012",
		Kind:        judge.Prohibition,
		Promise:     "a pod whose eviction was accepted stays listed in disruptedPods until it is seen terminating",
		Needs:       []history.Kind{history.KindPod, history.KindPodDisruptionBudget},
		Situations:  situations(),
		New: func(history.Header) judge.Observer {
			return &disruptedKept{ledger: newLedger(), left: map[types.UID]bool{}}
		},
	}
}

type disruptedKept struct {
	judge.Exercise
	*ledger
	// left are the pods that began to terminate, or went.
	left map[types.UID]bool
}

// Observe implements judge.Observer.
func (o *disruptedKept) Observe(s *judge.Scene) []judge.Violation {
	wrote := o.see(s)
	if pod, ok := s.Change.Object.(*corev1.Pod); ok && (pod.DeletionTimestamp != nil || s.Change.Type == watch.Deleted) {
		o.left[pod.UID] = true
	}
	if wrote == nil {
		return nil
	}
	var violations []judge.Violation
	if len(wrote.before.Status.DisruptedPods) > 0 {
		o.PutToTest()
	}
	for _, name := range unlisted(wrote) {
		pod, listed := podNamed(wrote.Pods, name), wrote.before.Status.DisruptedPods[name]
		// Both times are of whole seconds: in the same one the entry may be that of an earlier pod of the name.
		earlier := pod != nil && !pod.CreationTimestamp.Time.Before(listed.Truncate(time.Second))
		if pod == nil || earlier || o.left[pod.UID] || s.Now.Sub(listed.Time) > history.DisruptedTimeout-2*time.Second {
			continue
		}
		violations = append(violations, judge.Violation{
			Node: history.NodeOf(pod), Got: fmt.Sprintf("pod %s, listed for %s, listed no more, and not terminating", name, s.Now.Sub(listed.Time).Round(time.Second)),
			Before: state.BudgetNumbers(wrote.before.Status), After: state.BudgetNumbers(wrote.after.Status), Window: slices.Clone(wrote.trail),
		})
	}
	return violations
}

// unlisted are the pods that the write takes off the list.
func unlisted(w *statusWrite) []string {
	var names []string
	for name := range w.before.Status.DisruptedPods {
		if _, still := w.after.Status.DisruptedPods[name]; !still {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// DisruptedDropped is PDB-016.
func DisruptedDropped() judge.Rule {
	return follows("PDB-016", "a pod that terminates or is gone is promptly taken off disruptedPods", field{
		applies: func(b *budget) bool { return !b.relabelled && !b.shared && b.evicting && !syncFailed(b.object) },
		wrong: func(b *budget) string {
			var names []string
			for name := range b.object.Status.DisruptedPods {
				if pod := podNamed(b.Pods, name); pod == nil || pod.DeletionTimestamp != nil {
					names = append(names, name)
				}
			}
			if len(names) == 0 {
				return ""
			}
			slices.Sort(names)
			return "listed in disruptedPods, but terminating or gone: " + strings.Join(names, ", ")
		},
	})
}

// podNamed returns the pod of that name among those.
func podNamed(pods []*corev1.Pod, name string) *corev1.Pod {
	for _, pod := range pods {
		if pod.Name == name {
			return pod
		}
	}
	return nil
}
