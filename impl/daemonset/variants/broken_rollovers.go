package variants

import (
	"cmp"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenRollovers go wrong where a rollout is overtaken by another one.
func brokenRollovers() []Variant {
	return []Variant{
		{Name: "a-third-revision-keeps-the-second", Says: "Keeps the younger of two old pods on a node when a third revision overtakes the second, available or not.",
			Breaks: []string{"ROLLOVER-002", "SURGE-016"}, Planner: doing(keepOneOld(func(a, b *corev1.Pod) int {
				return b.CreationTimestamp.Compare(a.CreationTimestamp.Time)
			}))},
		{Name: "a-third-revision-keeps-the-first", Says: "Keeps the older of two old pods on a node when a third revision overtakes the second, available or not.",
			Breaks: []string{"ROLLOVER-003"}, Planner: doing(keepOneOld(func(a, b *corev1.Pod) int {
				return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
			}))},
		{Name: "finishes-what-it-began", Says: "Rolls a template out to the end before it takes notice of the next.",
			Breaks: []string{"ROLLOVER-001", "ROLLOVER-002", "ROLLOVER-004", "PAUSE-007"}, Planner: remember(finishFirst)},
		{Name: "overlooks-quick-changes", Says: "Takes no notice of a template that follows within a second on another.",
			Breaks: []string{"ROLLOVER-005"}, Planner: remember(overlookQuickChanges)},
		{Name: "creates-what-it-planned-to-the-end", Says: "Takes half a second for each pod that it creates, and looks again when all are created.",
			Breaks: []string{"ROLLOVER-001"},
			Writer: func(c client.Client) client.Client { return &serial{Client: c, takes: 500 * time.Millisecond} }},
		{Name: "a-repair-waits-for-its-turn", Says: "Deletes an old pod that is not Ready only while maxUnavailable is not used up.",
			Breaks: []string{"ROLLOVER-004"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				room := roomOf(state, now)
				if !maySurge(state) && room <= 0 {
					withoutDeletions(actions, deletedFor(plan.ReasonOldUnavailable))
				}
			})},
		{Name: "a-third-revision-keeps-the-younger-ready-pod",
			Says:   "Keeps the younger of two old pods that are Ready when a third revision overtakes the second, although it is not available yet.",
			Breaks: []string{"ROLLOVER-002", "SURGE-016"},
			Planner: doing(func(actions *plan.Actions, state plan.State, now time.Time) {
				if actions.CreateRevision == nil {
					keepOneOld(readyThenYounger)(actions, state, now)
				}
			})},
	}
}

// keepOneOld keeps of the old pods on a node the first in this order, whatever it is good for.
func keepOneOld(order func(a, b *corev1.Pod) int) func(*plan.Actions, plan.State, time.Time) {
	return func(actions *plan.Actions, state plan.State, _ time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		for _, n := range nodes(state) {
			if len(n.olds) < 2 {
				continue
			}
			withoutDeletions(actions, func(d plan.PodDeletion) bool { return d.Node == n.name && slices.Contains(n.olds, d.Pod) })
			slices.SortFunc(n.olds, order)
			for _, pod := range n.olds[1:] {
				remove(actions, pod, plan.ReasonDuplicate)
			}
		}
	}
}

// readyThenYounger is an order of pods in which the first is to be kept.
func readyThenYounger(a, b *corev1.Pod) int {
	unready := func(pod *corev1.Pod) int32 { return count(!plan.IsReady(pod)) }
	return cmp.Or(cmp.Compare(unready(a), unready(b)), b.CreationTimestamp.Compare(a.CreationTimestamp.Time))
}

// template is one of a DaemonSet, with what the API server numbers it by.
type template struct {
	generation string
	spec       *corev1.PodTemplateSpec
	// underWay: its rollout has not ended.
	underWay bool
	// seen is when the last one was, be it this one or another; overlooked are those that never count.
	seen       time.Time
	latest     string
	overlooked map[string]bool
}

func templateOf(ds *appsv1.DaemonSet) (generation string, spec *corev1.PodTemplateSpec) {
	return ds.Annotations[appsv1.DeprecatedTemplateGeneration], ds.Spec.Template.DeepCopy()
}

// show makes the state one with this template.
func (t *template) show(state *plan.State) {
	ds := state.DaemonSet.DeepCopy()
	t.spec.DeepCopyInto(&ds.Spec.Template)
	metav1.SetMetaDataAnnotation(&ds.ObjectMeta, appsv1.DeprecatedTemplateGeneration, t.generation)
	state.DaemonSet = ds
}

func finishFirst(m *memory[template]) Around {
	return func(next plan.Planner) plan.Planner {
		return func(state plan.State, now time.Time) plan.Actions {
			t := m.of(state)
			if t.spec == nil || !t.underWay {
				t.generation, t.spec = templateOf(state.DaemonSet)
			}
			behind := t.generation != state.DaemonSet.Annotations[appsv1.DeprecatedTemplateGeneration]
			t.show(&state)
			actions := next(state, now)
			t.underWay = actions.RolloutInProgress
			if behind && !t.underWay {
				comeBack(&actions, time.Millisecond)
			}
			return actions
		}
	}
}

func overlookQuickChanges(m *memory[template]) Around {
	return seeing(func(state *plan.State, now time.Time) {
		t := m.of(*state)
		generation, spec := templateOf(state.DaemonSet)
		if t.overlooked == nil {
			t.overlooked = map[string]bool{}
		}
		if generation != t.latest {
			t.overlooked[generation] = t.spec != nil && now.Sub(t.seen) < time.Second
			t.latest, t.seen = generation, now
		}
		if !t.overlooked[generation] {
			t.generation, t.spec = generation, spec
		}
		t.show(state)
	})
}
