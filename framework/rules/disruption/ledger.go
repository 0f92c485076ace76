package disruption

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// ledger is what a rule remembers of the recorded budgets.
type ledger struct {
	budgets map[types.UID]*budget
	// writing are the budgets whose status the harness is writing, by the number of the act; harness, until when it may have.
	writing map[int]types.UID
	harness map[types.UID]time.Time
}

// budget is what a rule remembers of one.
type budget struct {
	object *policyv1.PodDisruptionBudget
	history.Reckoning
	// asked names what the status has to say; since is from when it has to, before the numbers then.
	asked  string
	since  time.Time
	before string
	// relabelled: what the status has to say changed because a pod got other labels, by which the budget no longer selects it.
	relabelled bool
	// unprompted: it changed with a workload's replicas, and no pod nor the budget has changed since. Nobody promises to look for that alone.
	unprompted bool
	// shared: another budget selects one of the pods too.
	shared bool
	// written: the status was written since.
	written bool
	// forged: the harness wrote the status last, and nothing else has happened since by which the implementation would have to look at it.
	forged bool
	// evicting: disruptedPods listed a pod at some time.
	evicting bool
	// trail are the newest entries that changed the budget, or what its status has to say, or that mark a pod as evicted.
	trail []history.Entry
}

// trailed bounds a trail: what fits on a screen.
const trailed = 11

// statusWrite is a status of a budget, written by the implementation.
type statusWrite struct {
	*budget
	before, after *policyv1.PodDisruptionBudget
}

func newLedger() *ledger {
	return &ledger{budgets: map[types.UID]*budget{}, writing: map[int]types.UID{}, harness: map[types.UID]time.Time{}}
}

// see takes a step in, and returns the status that the implementation wrote in it, nil if it wrote none.
func (l *ledger) see(s *judge.Scene) *statusWrite {
	change := s.Change
	switch {
	case change.Stimulus != nil && change.Stimulus.Act.WritesStatus() && change.Stimulus.Kind == history.KindPodDisruptionBudget:
		l.writing[change.Stimulus.Number] = change.Stimulus.UID
		return nil
	case change.Outcome != nil:
		if uid, writing := l.writing[change.Outcome.Stimulus]; writing {
			delete(l.writing, change.Outcome.Stimulus)
			l.harness[uid] = s.Now.Add(judge.Lag)
		}
		return nil
	case change.Object == nil || change.Kind == history.KindNode:
		return nil
	}
	wrote, forged := l.statusWrite(s)
	all := s.Cluster.Budgets()
	for _, object := range all {
		l.follow(s, object, all)
	}
	if forged {
		l.budgets[change.Object.GetUID()].forged = true
	}
	if gone, ok := change.Object.(*policyv1.PodDisruptionBudget); ok && change.Type == watch.Deleted {
		delete(l.budgets, gone.UID)
	}
	if wrote == nil {
		return nil
	}
	b := l.budgets[wrote.after.UID]
	b.written, b.forged = true, false
	wrote.budget = b
	return wrote
}

// follow brings what is known of the budget up to date.
func (l *ledger) follow(s *judge.Scene, object *policyv1.PodDisruptionBudget, all []*policyv1.PodDisruptionBudget) {
	b := l.budgets[object.UID]
	if b == nil {
		b = &budget{}
		l.budgets[object.UID] = b
	}
	b.object, b.Reckoning = object, s.Cluster.Reckon(object)
	b.evicting = b.evicting || len(object.Status.DisruptedPods) > 0
	b.shared = false
	for _, other := range all {
		for _, pod := range b.Pods {
			b.shared = b.shared || other.UID != object.UID && history.Selects(other, pod)
		}
	}
	asked := fmt.Sprint(object.Generation, b.Tallies, len(b.Unmanaged), len(b.Unscaled), len(b.Unknown))
	if asked != b.asked || s.Change.Object.GetUID() == object.UID || b.evicts(s.Change) {
		b.trail = append(b.trail[max(0, len(b.trail)-trailed+1):], s.Change.Entry)
	}
	prompts := s.Change.Object.GetUID() == object.UID || selected(s.Change, object)
	if asked != b.asked || b.unprompted && prompts {
		b.unprompted = !prompts
		b.asked, b.since, b.written = asked, s.Now, false
		b.before = state.BudgetNumbers(object.Status)
		b.relabelled, b.forged = relabelled(s.Change, object), false
	}
}

// selected reports whether the change is one of a pod that the budget selects, or did.
func selected(change history.Change, object *policyv1.PodDisruptionBudget) bool {
	after, isPod := change.Object.(*corev1.Pod)
	before, existed := change.Before.(*corev1.Pod)
	return isPod && (history.Selects(object, after) || existed && history.Selects(object, before))
}

// evicts reports whether the change marks one of the budget's pods as evicted.
func (b *budget) evicts(change history.Change) bool {
	after, isPod := change.Object.(*corev1.Pod)
	before, existed := change.Before.(*corev1.Pod)
	return isPod && existed && history.Selects(b.object, after) && !history.IsEvicted(before) && history.IsEvicted(after)
}

// relabelled reports whether the change is that the budget no longer selects a pod, which is still there.
func relabelled(change history.Change, object *policyv1.PodDisruptionBudget) bool {
	after, isPod := change.Object.(*corev1.Pod)
	before, existed := change.Before.(*corev1.Pod)
	return isPod && existed && change.Type != watch.Deleted && history.Selects(object, before) && !history.Selects(object, after)
}

// statusWrite returns the status that the implementation wrote in the step, or that the harness wrote one. The API server writes one itself when it accepts
// an eviction: it lists the pod.
func (l *ledger) statusWrite(s *judge.Scene) (wrote *statusWrite, forged bool) {
	after, isBudget := s.Change.Object.(*policyv1.PodDisruptionBudget)
	before, existed := s.Change.Before.(*policyv1.PodDisruptionBudget)
	if !isBudget || !existed || s.Change.Type != watch.Modified || equality.Semantic.DeepEqual(before.Status, after.Status) {
		return nil, false
	}
	who := history.Unknown
	if s.Change.Author != nil {
		who = s.Change.Author.Who
	}
	switch {
	case who == history.Harness, who == history.Unknown && l.harnessWrites(after.UID, s.Now):
		return nil, true
	case who == history.APIServer, who == history.Unknown && listsMore(before, after):
		return nil, false
	}
	return &statusWrite{before: before, after: after}, false
}

func (l *ledger) harnessWrites(uid types.UID, now time.Time) bool {
	for _, writing := range l.writing {
		if writing == uid {
			return true
		}
	}
	return now.Before(l.harness[uid])
}

// listsMore reports whether a pod was listed as disrupted that was not before.
func listsMore(before, after *policyv1.PodDisruptionBudget) bool {
	for pod := range after.Status.DisruptedPods {
		if _, listed := before.Status.DisruptedPods[pod]; !listed {
			return true
		}
	}
	return false
}

// wants are the numbers that the status has to say, in words.
func (b *budget) wants() string {
	if !b.Computable() {
		return "allowed 0"
	}
	var all []string
	for _, t := range b.Tallies {
		all = append(all, fmt.Sprintf("allowed %d, healthy %d, desired %d, expected %d", t.Allowed, t.Healthy, t.Desired, t.Expected))
	}
	return strings.Join(all, " or ")
}

// now tells the numbers of the status, and those that it has to say.
func (b *budget) now() string {
	return fmt.Sprintf("%s; the pods make it %s", state.BudgetNumbers(b.object.Status), b.wants())
}
