package disruption

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// Overdrawn is EVICT-010: what an eviction leaves, by everything that those who decide on it could know.
func Overdrawn() judge.Rule {
	return judge.Rule{
		Requirement: "EVICT-010",
		Kind:        judge.Prohibition,
		Promise:     "no eviction of a healthy pod leaves a budget fewer healthy pods than it desires",
		Needs:       []history.Kind{history.KindPod, history.KindPodDisruptionBudget},
		Situations:  situations(),
		New: func(history.Header) judge.Observer {
			return &overdrawn{ledger: newLedger(), lost: map[types.UID]loss{}, least: map[types.UID][]lowered{}}
		},
	}
}

// overdrawn counts the pods that a budget can be thought to have. Whoever decides on an eviction does so by a status that may be behind by bound, so a pod
// that was lost otherwise less than that ago counts as there. One whose eviction was accepted does not: that is written down before.
type overdrawn struct {
	judge.Exercise
	*ledger
	// lost are the pods that ceased to be healthy, or to have the labels that they had.
	lost map[types.UID]loss
	// least are the numbers of pods that the budget desired before, and until when.
	least map[types.UID][]lowered
}

type loss struct {
	pod     *corev1.Pod
	at      time.Time
	evicted bool
}

type lowered struct {
	desired int32
	until   time.Time
}

// Observe implements judge.Observer.
func (o *overdrawn) Observe(s *judge.Scene) []judge.Violation {
	was := map[types.UID]int32{}
	for uid, b := range o.budgets {
		if past := o.least[uid]; b.unprompted && len(past) > 0 {
			// Nobody promises to have looked since the workload was scaled.
			past[len(past)-1].until = s.Now
		}
		if most, known := b.desires(); known {
			was[uid] = most
		}
	}
	o.see(s)
	for uid, desired := range was {
		if b := o.budgets[uid]; b != nil {
			if now, known := b.desires(); !known || now != desired {
				o.least[uid] = append(o.least[uid], lowered{desired, s.Now})
			}
		}
	}
	before, existed := s.Change.Before.(*corev1.Pod)
	pod, isPod := s.Change.Object.(*corev1.Pod)
	if !isPod || !existed {
		return nil
	}
	evicted := !history.IsEvicted(before) && history.IsEvicted(pod)
	relabelled := !equality.Semantic.DeepEqual(before.Labels, pod.Labels)
	if isHealthy(before) && (s.Change.Type == watch.Deleted || !isHealthy(pod) || evicted || relabelled) {
		o.lost[pod.UID] = loss{before, s.Now, evicted}
	}
	if !evicted || !isHealthy(before) || !history.IsReady(before) || s.Interrupted() || s.Now.Sub(s.WorkingSince()) < bound {
		// Without its controller a budget is what the status says, however old that is.
		return nil
	}
	var violations []judge.Violation
	for _, b := range o.budgets {
		if b.forged || !history.Selects(b.object, before) {
			continue
		}
		desired, known := o.desired(b, s.Now)
		if !known {
			continue
		}
		o.PutToTest()
		if left := o.left(b, s.Now); left < desired {
			violations = append(violations, judge.Violation{
				Node: history.NodeOf(pod), Got: fmt.Sprintf("PodDisruptionBudget %s: %d healthy pods left of %d desired by the eviction of pod %s", b.object.Name, left, desired, pod.Name),
				Before: b.before, After: state.BudgetNumbers(b.object.Status), Window: slices.Clone(b.trail),
			})
		}
	}
	return violations
}

// desired is the smallest number that those who decide can think desired.
func (o *overdrawn) desired(b *budget, now time.Time) (int32, bool) {
	least, known := b.desires()
	for _, past := range o.least[b.object.UID] {
		if now.Sub(past.until) < bound {
			least = min(least, past.desired)
		}
	}
	return least, known
}

// desires is the number of healthy pods that the budget asks for.
func (b *budget) desires() (least int32, known bool) {
	for i, tally := range b.Tallies {
		if i == 0 || tally.Desired < least {
			least = tally.Desired
		}
	}
	return least, len(b.Tallies) > 0
}

// left counts the pods that can be thought healthy now.
func (o *overdrawn) left(b *budget, now time.Time) int32 {
	var count int32
	for _, pod := range b.Pods {
		if isHealthy(pod) && !history.IsEvicted(pod) {
			count++
		}
	}
	for uid, loss := range o.lost {
		if !loss.evicted && now.Sub(loss.at) < bound && history.Selects(b.object, loss.pod) && !isHealthy(podWith(b.Pods, uid)) {
			count++
		}
	}
	return count
}

// isHealthy reports whether the pod can be thought healthy, by what it says.
func isHealthy(pod *corev1.Pod) bool {
	return pod != nil && pod.DeletionTimestamp == nil && history.SaysReady(pod)
}

func podWith(pods []*corev1.Pod, uid types.UID) *corev1.Pod {
	for _, pod := range pods {
		if pod.UID == uid {
			return pod
		}
	}
	return nil
}
