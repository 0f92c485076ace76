package united

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// annotation is one of the target's template, which the patch of a subset takes away.
const annotation = "example.org/of-the-target"

// ofTarget gives the target's template the annotation.
func ofTarget() Edit {
	return Edit{Says: "annotation " + annotation, Apply: func(ds *appsv1.DaemonSet) {
		metav1.SetMetaDataAnnotation(&ds.Spec.Template.ObjectMeta, annotation, "true")
	}}
}

// withoutAnnotation is the patch that takes the annotation away, too.
func withoutAnnotation(patch history.UnitedPatch) history.UnitedPatch {
	return withFields(patch, func(fields map[string]any) {
		fields["metadata"] = map[string]any{"annotations": map[string]any{annotation: nil}}
	})
}

// tolerating is the patch that has pods tolerate taints of the key, too.
func tolerating(patch history.UnitedPatch, key string) history.UnitedPatch {
	return withFields(patch, func(fields map[string]any) {
		if spec, is := fields["spec"].(map[string]any); is {
			spec["tolerations"] = []map[string]string{{"key": key, "operator": string(corev1.TolerationOpExists)}}
		}
	})
}

// withFields is the patch with more in it.
func withFields(patch history.UnitedPatch, add func(fields map[string]any)) history.UnitedPatch {
	fields := map[string]any{}
	// It was encoded from as much.
	_ = json.Unmarshal(patch.Template.Raw, &fields)
	add(fields)
	return PatchTemplate(fields)
}

// variable is an environment variable of the target's container, which the patch of a subset takes away.
const variable = "OF_THE_TARGET"

func withVariable() Edit {
	return Edit{Says: "variable " + variable, Apply: func(ds *appsv1.DaemonSet) {
		container := &ds.Spec.Template.Spec.Containers[0]
		container.Env = append(container.Env, corev1.EnvVar{Name: variable, Value: "true"})
	}}
}

// withoutVariable is the patch that takes the variable away, too, by a directive.
func withoutVariable(patch history.UnitedPatch) history.UnitedPatch {
	return withFields(patch, func(fields map[string]any) {
		spec, _ := fields["spec"].(map[string]any)
		containers, _ := spec["containers"].([]any)
		for _, container := range containers {
			if container, is := container.(map[string]any); is {
				container["env"] = []map[string]string{{"name": variable, "$patch": "delete"}}
			}
		}
	})
}

// variableOn holds when the pods on the nodes have the variable, or have not.
func variableOn(has bool, nodes ...string) state.Condition {
	return state.Right(fmt.Sprintf("the pods on the nodes %s have the variable %s: %t", strings.Join(nodes, ", "), variable, has), func(cluster *history.Cluster) error {
		for _, pod := range cluster.Pods {
			if !slices.Contains(nodes, history.NodeOf(pod)) || !history.IsLive(pod) {
				continue
			}
			container := history.Daemon(&pod.Spec)
			if container == nil {
				return fmt.Errorf("pod %s has no container of the target", pod.Name)
			}
			if found := slices.ContainsFunc(container.Env, func(is corev1.EnvVar) bool { return is.Name == variable }); found != has {
				return fmt.Errorf("pod %s has it: %t", pod.Name, found)
			}
		}
		return nil
	})
}

// notOn is the subset without the nodes with that kind of disk, a label that no node has.
func notOn(subset history.UnitedSubset, value string) history.UnitedSubset {
	subset.Selector.MatchExpressions = append(subset.Selector.MatchExpressions,
		corev1.NodeSelectorRequirement{Key: "disk", Operator: corev1.NodeSelectorOpNotIn, Values: []string{value}})
	return subset
}

// cleared holds when one DaemonSet of a subset lacks the annotation that a patch takes away, and all others have it.
func cleared() state.Condition {
	return state.Right("what a patch sets to null is gone from that subset, and from no other", func(cluster *history.Cluster) error {
		for _, united := range cluster.United() {
			lacking := 0
			for _, subset := range cluster.FamilyOf(united).Subsets {
				if _, has := subset.Spec.Template.Annotations[annotation]; !has {
					lacking++
				}
			}
			if lacking != 1 {
				return fmt.Errorf("%d DaemonSets of subsets have no annotation %s, not 1", lacking, annotation)
			}
		}
		return nil
	})
}
