package variants

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// lawfulWaits wait between what they do, or for something to be over, within what promptly means.
func lawfulWaits() []Variant {
	const prompt = "A reaction may take five seconds."
	return []Variant{
		{Name: "polls-every-two-seconds", Says: "Looks at a DaemonSet at times two seconds apart, whatever happens in between, and sets no timers.",
			Lawful: prompt, Reconciler: pollEvery(2 * time.Second)},
		{Name: "retries-after-three-seconds", Says: "Looks three seconds after a pass that failed, and not before.", Lawful: prompt, Reconciler: retryLate(3 * time.Second)},
		{Name: "sees-nodes-late", Says: "Sees nodes as they were half a second ago, but for the labels that it gives them itself.",
			Lawful: "A prohibition that depends on a node counts from a second after it changed.", Planner: remember(seeNodesLate(500 * time.Millisecond))},
		{Name: "pauses-between-batches", Says: "Takes no further node into the rollout for two seconds after it took some.", Lawful: prompt, Planner: remember(pauseBetween)},
		{Name: "waits-for-leaving-pods", Says: "Takes no further node into the rollout while an old pod is on its way out, for three seconds at most.",
			Lawful: prompt, Planner: remember(waitForLeaving)},
	}
}

// takesNodes reports whether the plan takes further nodes into the rollout: it begins to surge there, or gives up an available old pod.
func takesNodes(actions *plan.Actions) bool {
	return slices.ContainsFunc(actions.CreatePods, createdFor(plan.ReasonSurge)) || slices.ContainsFunc(actions.DeletePods, deletedFor(plan.ReasonOutdated)) ||
		slices.ContainsFunc(actions.UpdatePods, updatedFor(plan.ReasonOutdated))
}

// takeNone drops what takes further nodes into the rollout.
func takeNone(actions *plan.Actions) {
	withoutCreations(actions, createdFor(plan.ReasonSurge))
	withoutDeletions(actions, deletedFor(plan.ReasonOutdated))
	actions.UpdatePods = slices.DeleteFunc(slices.Clone(actions.UpdatePods), updatedFor(plan.ReasonOutdated))
}

func pauseBetween(m *memory[written]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites || !takesNodes(actions) {
			return
		}
		last := m.of(state)
		if wait := last.at.Add(2 * time.Second).Sub(now); wait > 0 {
			takeNone(actions)
			comeBack(actions, wait)
			return
		}
		last.at = now
	})
}

func waitForLeaving(m *memory[holding]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		h, isUpdated := m.of(state), updated(state)
		leaving, wait := map[string]bool{}, false
		for _, pod := range state.Pods {
			if pod.DeletionTimestamp == nil || isUpdated(pod) || !metav1.IsControlledBy(pod, state.DaemonSet) {
				continue
			}
			leaving[string(pod.UID)] = true
			wait = h.held(string(pod.UID), 3*time.Second, now, actions) || wait
		}
		h.only(leaving)
		if wait {
			takeNone(actions)
		}
	})
}

// nodeSights are the nodes as they were, from the last ones that may be seen to those that there are.
type nodeSights struct {
	all []nodeSight
}

type nodeSight struct {
	at    time.Time
	nodes []*corev1.Node
}

func seeNodesLate(delay time.Duration) func(m *memory[nodeSights]) Around {
	return func(m *memory[nodeSights]) Around {
		return func(next plan.Planner) plan.Planner {
			return func(state plan.State, now time.Time) plan.Actions {
				wait := m.of(state).show(&state, delay, now)
				actions := next(state, now)
				comeBack(&actions, wait)
				return actions
			}
		}
	}
}

// show shows the nodes as they were, and returns when to look again to see those that there are; zero if they are shown.
func (s *nodeSights) show(state *plan.State, delay time.Duration, now time.Time) time.Duration {
	same := func(a, b *corev1.Node) bool { return a.UID == b.UID && a.ResourceVersion == b.ResourceVersion }
	if n := len(s.all); n == 0 || !slices.EqualFunc(s.all[n-1].nodes, state.Nodes, same) {
		s.all = append(s.all, nodeSight{at: now, nodes: state.Nodes})
	}
	for len(s.all) > 1 && !s.all[1].at.Add(delay).After(now) {
		s.all = s.all[1:]
	}
	state.Nodes = withOwnLabels(s.all[0].nodes, state.Nodes)
	if len(s.all) == 1 {
		return 0
	}
	return s.all[1].at.Add(delay).Sub(now)
}

// withOwnLabels returns the nodes as they were, with the labels that the implementation's controller of UnitedDaemonSets has given them by now: what an
// implementation writes itself it knows.
func withOwnLabels(were, are []*corev1.Node) []*corev1.Node {
	own := func(key, _ string) bool { return strings.HasSuffix(path.Dir(key), "united.rollcall.dev") }
	foreign := func(key, value string) bool { return !own(key, value) }
	now := map[types.UID]*corev1.Node{}
	for _, node := range are {
		now[node.UID] = node
	}
	shown := make([]*corev1.Node, len(were))
	for i, node := range were {
		shown[i] = node.DeepCopy()
		is := now[node.UID]
		if is == nil {
			continue
		}
		maps.DeleteFunc(shown[i].Labels, own)
		labels := maps.Clone(is.Labels)
		maps.DeleteFunc(labels, foreign)
		for key, value := range labels {
			metav1.SetMetaDataLabel(&shown[i].ObjectMeta, key, value)
		}
	}
	return shown
}

// due says when a DaemonSet is looked at again, and not before.
type due struct {
	mu sync.Mutex
	at map[reconcile.Request]time.Time
}

// in returns how long a request has to wait; zero or less if it has not.
func (d *due) in(request reconcile.Request) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Until(d.at[request])
}

// set has requests wait until then.
func (d *due) set(request reconcile.Request, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.at == nil {
		d.at = map[reconcile.Request]time.Time{}
	}
	d.at[request] = at
}

func pollEvery(period time.Duration) func(reconcile.Reconciler, client.Client) reconcile.Reconciler {
	return func(inner reconcile.Reconciler, _ client.Client) reconcile.Reconciler {
		var next due
		return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			if wait := next.in(request); wait > 0 {
				return reconcile.Result{RequeueAfter: wait}, nil
			}
			next.set(request, time.Now().Add(period))
			if _, err := inner.Reconcile(ctx, request); err != nil {
				log.FromContext(ctx).Error(err, "The pass failed")
			}
			return reconcile.Result{RequeueAfter: max(next.in(request), time.Millisecond)}, nil
		})
	}
}

func retryLate(delay time.Duration) func(reconcile.Reconciler, client.Client) reconcile.Reconciler {
	return func(inner reconcile.Reconciler, _ client.Client) reconcile.Reconciler {
		var next due
		return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			if wait := next.in(request); wait > 0 {
				return reconcile.Result{RequeueAfter: wait}, nil
			}
			result, err := inner.Reconcile(ctx, request)
			if err == nil {
				return result, nil
			}
			log.FromContext(ctx).Error(err, "The pass failed")
			next.set(request, time.Now().Add(delay))
			return reconcile.Result{RequeueAfter: delay}, nil
		})
	}
}
