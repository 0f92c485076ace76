package history

// UpdatePolicy is the annotation by which a DaemonSet says how its old pods become updated ones, with its two values.
type UpdatePolicy struct {
	Annotation string `json:"annotation"`
	// InPlaceIfPossible: old pods are patched where nothing but images differs. Recreate: they are deleted, as without the annotation.
	InPlaceIfPossible string `json:"inPlaceIfPossible"`
	Recreate          string `json:"recreate"`
}

// DefaultUpdatePolicy is the reference controller's.
func DefaultUpdatePolicy() UpdatePolicy {
	return UpdatePolicy{Annotation: "rollcall.dev/pod-update-policy", InPlaceIfPossible: "InPlaceIfPossible", Recreate: "Recreate"}
}

// UpdatesInPlace reports whether the workload, of whichever kind, asks for updates in place.
func (h Header) UpdatesInPlace(workload Object) bool {
	policy := DefaultUpdatePolicy()
	if h.UpdatePolicy != nil {
		policy = *h.UpdatePolicy
	}
	return workload.GetAnnotations()[policy.Annotation] == policy.InPlaceIfPossible
}
