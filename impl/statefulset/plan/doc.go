// Package plan decides what the reference does next about a StatefulSet, as a pure function of what is known of it.
//
// It keeps what Kubernetes promises of StatefulSets: pods with ordinals, created in order or all at once, updated from the largest ordinal down to the
// partition, one after the other. Pods are updated in place where the StatefulSet asks for that and where they can be (INPLACE-018, INPLACE-031 on). What
// the controller of Kubernetes does besides is left out: pods and histories that nobody controls are not adopted, claims are never deleted, and
// maxUnavailable counts as 1.
package plan
