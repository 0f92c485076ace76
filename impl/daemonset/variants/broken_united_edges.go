package variants

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// brokenUnitedEdges are right about healthy pods, plain patches and limits, and objects that nobody else touches.
func brokenUnitedEdges() []Variant {
	return []Variant{
		{Name: "united-relabels-ready-pods", Says: "Brings no pod of the target that is not Ready to the revision that differs by the affinity alone, so that it is restarted.",
			Breaks: []string{"UNITED-013"}, United: relabelReadyPods},
		{Name: "united-relabels-every-pod", Says: "Brings pods of the target that wait for a rollout to the revision that the affinity makes, so that they are left out.",
			Breaks: []string{"UNITED-014"}, United: uniting(relabelEveryPod)},
		{Name: "united-leaves-labels-that-mean-nothing", Says: "Leaves a node alone whose label has a value that is no member's.",
			Breaks: []string{"UNITED-041"}, United: uniting(leaveForeignLabels)},
		{Name: "united-loses-directives", Says: "Loses the directives of a patch, such as $patch: delete.", Breaks: []string{"UNITED-007"},
			United: seeingUnited(func(united *api.UnitedDaemonSet) {
				for i := range united.Spec.Subsets {
					patch := &united.Spec.Subsets[i].Patch
					patch.Template = withoutDirectives(patch.Template)
				}
			})},
		{Name: "united-compares-containers-alone", Says: "Takes a patch that speaks of no container for one that changes nothing.", Breaks: []string{"UNITED-007"},
			United: movingAs(func(state *plan.State) {
				state.United = state.United.DeepCopy()
				for i := range state.United.Spec.Subsets {
					if patch := &state.United.Spec.Subsets[i].Patch; patch.Template != nil && !speaksOfContainers(patch.Template) {
						*patch = api.Patch{}
					}
				}
			})},
		{Name: "united-restores-the-first-strategy", Says: "Gives the target back, when it goes, the update strategy that this had when it came.",
			Breaks: []string{"UNITED-032"}, United: restoreFirstStrategy},
		{Name: "united-reads-percentages-as-numbers", Says: "Takes a maxSurge that is a percentage for none when nodes are to be moved.", Breaks: []string{"UNITED-030"},
			United: func(next plan.Planner) plan.Planner {
				return func(state plan.State, now time.Time) plan.Actions {
					if surgesByPercentage(state) {
						return movingAs(withStrategy("0", "1"))(next)(state, now)
					}
					return next(state, now)
				}
			}},
		{Name: "united-knows-generations-by-name", Says: "Does nothing about a generation lower than one that it has seen of an object of the same name.",
			Breaks: []string{"UNITED-015", "UNITED-017"}, United: knowGenerations},
		{Name: "united-lists-nodes-by-age", Says: "Lists the nodes of a subset in the order in which they were registered.", Breaks: []string{"UNITED-018"},
			United: reportingUnited(func(status *api.Status, state plan.State) {
				born := map[string]time.Time{}
				for _, node := range state.Nodes {
					born[node.Name] = node.CreationTimestamp.Time
				}
				for i := range status.SubsetStatuses {
					slices.SortStableFunc(status.SubsetStatuses[i].MatchNodes, func(a, b string) int {
						return cmp.Or(born[a].Compare(born[b]), cmp.Compare(len(a), len(b)))
					})
				}
			})},
	}
}

// targetOf is the target; nil if there is none.
func targetOf(state plan.State) *appsv1.DaemonSet {
	for _, ds := range state.DaemonSets {
		if ds.Name == state.United.Spec.TargetRef.Name {
			return ds
		}
	}
	return nil
}

// relabelReadyPods plans for the target as if those of its pods that are not Ready were not there.
func relabelReadyPods(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		state.Pods = slices.DeleteFunc(slices.Clone(state.Pods), func(pod *corev1.Pod) bool { return !daemons.IsReady(pod) })
		half := next(state, now)
		actions.UpdateTarget, actions.RelabelPods = half.UpdateTarget, half.RelabelPods
		return actions
	}
}

// relabelEveryPod brings along all other pods of the target that have another revision.
func relabelEveryPod(actions *plan.Actions, state plan.State) {
	target := targetOf(state)
	if target == nil || len(actions.RelabelPods) == 0 {
		return
	}
	hash := actions.RelabelPods[0].Hash
	actions.RelabelPods = nil
	for _, pod := range state.Pods {
		if metav1.IsControlledBy(pod, target) && pod.DeletionTimestamp == nil && pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] != hash {
			actions.RelabelPods = append(actions.RelabelPods, plan.PodLabel{Pod: pod, Hash: hash})
		}
	}
}

// leaveForeignLabels leaves nodes alone that are labelled for whom nobody knows.
func leaveForeignLabels(actions *plan.Actions, state plan.State) {
	keys := homes(state)
	if state.United.DeletionTimestamp != nil {
		return
	}
	actions.LabelNodes = slices.DeleteFunc(slices.Clone(actions.LabelNodes), func(labels plan.NodeLabels) bool {
		home := labels.Node.Labels[keys.Home]
		return home != "" && home != plan.Original && subsetNamed(state, home) == nil
	})
}

// withoutDirectives returns the patch without the fields whose names begin with $, and the elements of lists that had nothing else.
func withoutDirectives(patch *runtime.RawExtension) *runtime.RawExtension {
	var value any
	if patch == nil || json.Unmarshal(patch.Raw, &value) != nil {
		return patch
	}
	// It can be encoded as it was decoded.
	encoded, _ := json.Marshal(plainly(value))
	return &runtime.RawExtension{Raw: encoded}
}

func plainly(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			if value[name] = plainly(field); strings.HasPrefix(name, "$") {
				delete(value, name)
			}
		}
	case []any:
		var kept []any
		for _, element := range value {
			element = plainly(element)
			if fields, object := element.(map[string]any); !object || len(fields) > 0 {
				kept = append(kept, element)
			}
		}
		return kept
	}
	return value
}

func speaksOfContainers(patch *runtime.RawExtension) bool {
	var template struct {
		Spec struct {
			Containers []any `json:"containers"`
		} `json:"spec"`
	}
	return json.Unmarshal(patch.Raw, &template) != nil || len(template.Spec.Containers) > 0
}

// restoreFirstStrategy remembers the strategy of each target from when the process first saw it with the UnitedDaemonSet.
func restoreFirstStrategy(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	first := map[types.UID]appsv1.DaemonSetUpdateStrategy{}
	return func(state plan.State, now time.Time) plan.Actions {
		mu.Lock()
		defer mu.Unlock()
		actions := next(state, now)
		target := targetOf(state)
		if target == nil {
			return actions
		}
		if _, suspended := target.Annotations[plan.StrategyAnnotation]; !suspended {
			if _, known := first[state.United.UID]; !known {
				first[state.United.UID] = *target.Spec.UpdateStrategy.DeepCopy()
			}
		}
		if update := actions.UpdateTarget; update != nil && state.United.DeletionTimestamp != nil {
			strategy, known := first[state.United.UID]
			if _, suspends := update.Annotations[plan.StrategyAnnotation]; !suspends && known {
				update.Spec.UpdateStrategy = strategy
			}
		}
		return actions
	}
}

func surgesByPercentage(state plan.State) bool {
	target := targetOf(state)
	if target == nil {
		return false
	}
	strategy := target.Spec.UpdateStrategy
	if kept := target.Annotations[plan.StrategyAnnotation]; kept != "" {
		_ = json.Unmarshal([]byte(kept), &strategy)
	}
	rolling := strategy.RollingUpdate
	return rolling != nil && rolling.MaxSurge != nil && rolling.MaxSurge.Type == intstr.String && rolling.MaxSurge.StrVal != "0%"
}

// knowGenerations leaves objects alone whose generation is lower than the highest that it has seen under their name.
func knowGenerations(next plan.Planner) plan.Planner {
	var mu sync.Mutex
	highest := map[string]int64{}
	return func(state plan.State, now time.Time) plan.Actions {
		mu.Lock()
		defer mu.Unlock()
		key := state.United.Namespace + "/" + state.United.Name
		if state.United.Generation < highest[key] && state.United.DeletionTimestamp == nil {
			return plan.Actions{}
		}
		highest[key] = state.United.Generation
		return next(state, now)
	}
}
