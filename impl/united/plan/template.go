package plan

import (
	"encoding/json"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
)

// subsetDaemonSet returns the DaemonSet of a subset, as it is to be, for the target's template with the subset's patch.
func subsetDaemonSet(united *api.UnitedDaemonSet, subset string, target *appsv1.DaemonSet, patched *corev1.PodTemplateSpec) *appsv1.DaemonSet {
	own := labels.Set{DaemonSetLabel: DaemonSetName(united.Name, subset), SubsetLabel: subset}
	template := Gate(patched, KeysOf(target.Namespace, target.Name), subset)
	template.Labels = labels.Merge(template.Labels, own)
	selector := target.Spec.Selector.DeepCopy()
	selector.MatchLabels = labels.Merge(selector.MatchLabels, labels.Set{DaemonSetLabel: own[DaemonSetLabel]})
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: united.Namespace, Name: own[DaemonSetLabel], Labels: own,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(united, api.GroupVersion.WithKind(api.Kind))},
		},
		Spec: appsv1.DaemonSetSpec{
			Selector:             selector,
			Template:             *template,
			UpdateStrategy:       strategyOf(target),
			MinReadySeconds:      target.Spec.MinReadySeconds,
			RevisionHistoryLimit: target.Spec.RevisionHistoryLimit,
		},
	}
}

// patch returns the patched template. Where pods run, and which are the target's family, is not the patch's to say.
func patch(template *corev1.PodTemplateSpec, by api.Patch, selector *metav1.LabelSelector) (*corev1.PodTemplateSpec, error) {
	if by.Template == nil {
		return template.DeepCopy(), nil
	}
	before, err := json.Marshal(template)
	if err != nil {
		return nil, fmt.Errorf("encode the target's template: %w", err)
	}
	after, err := strategicpatch.StrategicMergePatch(before, by.Template.Raw, corev1.PodTemplateSpec{})
	if err != nil {
		return nil, fmt.Errorf("the patch cannot be applied: %w", err)
	}
	patched := &corev1.PodTemplateSpec{}
	if err := json.Unmarshal(after, patched); err != nil {
		return nil, fmt.Errorf("the patch does not make a pod template: %w", err)
	}
	family, err := metav1.LabelSelectorAsSelector(selector)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the target's selector: %w", err)
	case !family.Matches(labels.Set(patched.Labels)):
		return nil, errors.New("the patch changes labels that the target's selector asks for")
	case len(patched.Spec.Containers) == 0:
		return nil, errors.New("the patch leaves no containers")
	case patched.Spec.NodeName != template.Spec.NodeName || !apiequality.Semantic.DeepEqual(patched.Spec.NodeSelector, template.Spec.NodeSelector),
		!apiequality.Semantic.DeepEqual(patched.Spec.Affinity, template.Spec.Affinity):
		return nil, errors.New("the patch changes nodeName, nodeSelector or affinity: the subset's selector says where its pods run")
	}
	return patched, nil
}

// strategyOf returns the user's strategy, suspended or not.
func strategyOf(target *appsv1.DaemonSet) appsv1.DaemonSetUpdateStrategy {
	if suspended := suspendedStrategy(target); suspended != nil {
		return *suspended
	}
	return *target.Spec.UpdateStrategy.DeepCopy()
}

// suspendedStrategy returns the strategy to give back to the target; nil if it has its own, be it since somebody has changed it meanwhile.
func suspendedStrategy(target *appsv1.DaemonSet) *appsv1.DaemonSetUpdateStrategy {
	kept, suspended := target.Annotations[StrategyAnnotation]
	if !suspended || target.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType {
		return nil
	}
	strategy := &appsv1.DaemonSetUpdateStrategy{}
	if err := json.Unmarshal([]byte(kept), strategy); err != nil {
		return nil
	}
	return strategy
}
