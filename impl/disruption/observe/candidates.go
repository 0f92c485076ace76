package observe

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// LabelIndex is the cache index of pods by each of their labels, as "key=value". Without it a pass over one budget would look at every pod of the namespace.
const LabelIndex = "rollcall.dev/label"

// Index registers LabelIndex. It has to be called before the caches start.
func Index(ctx context.Context, indexer client.FieldIndexer) error {
	if err := indexer.IndexField(ctx, &corev1.Pod{}, LabelIndex, LabelsOf); err != nil {
		return fmt.Errorf("index pods by their labels: %w", err)
	}
	return nil
}

// LabelsOf is the index function of LabelIndex.
func LabelsOf(object client.Object) []string {
	labels := make([]string, 0, len(object.GetLabels()))
	for key, value := range object.GetLabels() {
		labels = append(labels, indexed(key, value))
	}
	return labels
}

func indexed(key, value string) string { return key + "=" + value }

// candidates are those pods of the budget's namespace which have the first of the labels that its selector asks for: all of them if it names no label.
func candidates(budget *policyv1.PodDisruptionBudget) []client.ListOption {
	options := []client.ListOption{client.InNamespace(budget.Namespace)}
	if selector := budget.Spec.Selector; selector != nil && len(selector.MatchLabels) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(selector.MatchLabels)))
		options = append(options, client.MatchingFields{LabelIndex: indexed(first, selector.MatchLabels[first])})
	}
	return options
}
