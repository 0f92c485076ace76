package plan

import (
	"encoding/json"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// planSubsets returns the DaemonSets of subsets that are to be created, brought back to what they should be, and deleted.
func (f *family) planSubsets() (writes []SubsetWrite, deletions []*appsv1.DaemonSet) {
	if !f.dissolving {
		for _, subset := range f.United.Spec.Subsets {
			if write := f.writeSubset(subset.Name); write != nil {
				writes = append(writes, *write)
			}
		}
	}
	for name, ds := range f.members {
		if name != Original && ds.DeletionTimestamp == nil && (f.dissolving || !f.specified(name)) && !f.used(name) {
			deletions = append(deletions, ds)
		}
	}
	return writes, deletions
}

func (f *family) writeSubset(name string) *SubsetWrite {
	wanted := f.wanted[name]
	if wanted == nil {
		return nil
	}
	hash := hashOf(wanted)
	if refused := f.Refused[name]; refused.Why != "" && refused.Hash == hash {
		return nil
	}
	there := f.named(wanted.Name)
	switch {
	case there == nil:
		return &SubsetWrite{Subset: name, DaemonSet: wanted, Hash: hash}
	case there.DeletionTimestamp != nil:
		return nil
	case metav1.IsControlledBy(there, f.United) && f.Written[there.UID] == Written{Hash: hash, Generation: there.Generation} &&
		labels.Set(wanted.Labels).AsSelector().Matches(labels.Set(there.Labels)):
		return nil
	}
	update := there.DeepCopy()
	update.Spec, update.OwnerReferences = wanted.Spec, wanted.OwnerReferences
	update.Labels = labels.Merge(update.Labels, wanted.Labels)
	return &SubsetWrite{Subset: name, DaemonSet: update, Hash: hash}
}

func (f *family) specified(name string) bool {
	for _, subset := range f.United.Spec.Subsets {
		if subset.Name == name {
			return true
		}
	}
	return false
}

// used reports whether a node is the member's, or is to be, or still has a pod of it.
func (f *family) used(name string) bool {
	return slices.ContainsFunc(f.nodes, func(m *member) bool { return m.home == name || m.incoming == name || len(m.pods[name]) > 0 })
}

// hashOf tells DaemonSets apart by what is written of them. It cannot fail: they are made of what was decoded from JSON.
func hashOf(ds *appsv1.DaemonSet) string {
	encoded, _ := json.Marshal([]any{ds.Labels, ds.OwnerReferences, ds.Spec})
	return digest(string(encoded))
}
