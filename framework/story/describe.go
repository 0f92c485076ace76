package story

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Describe puts one step of a replay in words, for example "pod agent-x7k2p (updated) on node-3 became Ready". The cluster is the one
// that the step left; it may be nil, and pods are then not called updated (made from their DaemonSet's current template)
// and old.
func Describe(cluster *history.Cluster, change history.Change) string {
	return describe(cluster, change, nil)
}

// describe is Describe with each pod called what the reading says.
func describe(cluster *history.Cluster, change history.Change, read reading) string {
	if text := describeHarness(change.Entry); text != "" {
		return text
	}
	return subjectOf(cluster, change, read) + " " + strings.Join(predicatesOf(change), ", ")
}

func subjectOf(cluster *history.Cluster, change history.Change, read reading) string {
	switch object := change.Object.(type) {
	case *corev1.Pod:
		subject := "pod " + object.Name
		if called := read.of(cluster, object); called != "" {
			subject += " (" + called + ")"
		}
		if node := history.NodeOf(object); node != "" {
			subject += " on " + node
		}
		return subject
	case *corev1.Node:
		return "node " + object.Name
	case *appsv1.ControllerRevision:
		return fmt.Sprintf("ControllerRevision %s (revision %d)", object.Name, object.Revision)
	case *corev1.Event:
		return fmt.Sprintf("event %s on %s %s:", object.Reason, object.InvolvedObject.Kind, object.InvolvedObject.Name)
	}
	kind, _, _ := strings.Cut(string(change.Kind), ".")
	return kind + " " + change.Object.GetName()
}

// revisionOf returns "updated", "old" or, for a pod that none of its DaemonSet's templates could have made, "unknown"; "" for a pod that
// no recorded DaemonSet owns.
func revisionOf(cluster *history.Cluster, pod *corev1.Pod) string {
	switch {
	case cluster == nil || cluster.OwnerOf(pod) == nil:
		return ""
	case cluster.IsUpdated(pod):
		return "updated"
	case cluster.RevisionOf(pod) == history.NoRevision:
		return "unknown"
	}
	return "old"
}

// versionOf is the tag of the pod's image, where that is short: "v2"; else empty.
func versionOf(pod *corev1.Pod) string {
	container := history.Daemon(&pod.Spec)
	if container == nil {
		return ""
	}
	image := container.Image
	tag := image[strings.LastIndex(image, ":")+1:]
	if tag == image || strings.Contains(tag, "/") || len(tag) > longestVersion {
		return ""
	}
	return tag
}

// longestVersion is what a lane has room for.
const longestVersion = 8

func predicatesOf(change history.Change) []string {
	if event, ok := change.Object.(*corev1.Event); ok {
		return []string{event.Message}
	}
	if change.Type == watch.Deleted {
		return []string{"was removed" + stateAtRemoval(change.Object)}
	}
	if change.Before == nil {
		predicate := "was created"
		if change.Type != watch.Added {
			predicate = "was updated"
		}
		return []string{predicate + introduction(change.Object)}
	}
	var predicates []string
	switch object := change.Object.(type) {
	case *corev1.Pod:
		if before, ok := change.Before.(*corev1.Pod); ok {
			predicates = podChanges(before, object, change)
		}
	case *corev1.Node:
		if before, ok := change.Before.(*corev1.Node); ok {
			predicates = nodeChanges(before, object)
		}
	case *appsv1.DaemonSet:
		if before, ok := change.Before.(*appsv1.DaemonSet); ok {
			predicates = append(daemonSetSpecChanges(before, object), daemonSetStatusChanges(before, object)...)
		}
	case *appsv1.ControllerRevision:
		if before, ok := change.Before.(*appsv1.ControllerRevision); ok && before.Revision != object.Revision {
			predicates = append(predicates, fmt.Sprintf("got its number (was %d)", before.Revision))
		}
	case *policyv1.PodDisruptionBudget:
		if before, ok := change.Before.(*policyv1.PodDisruptionBudget); ok {
			predicates = budgetChanges(before, object)
		}
	case *history.UnitedDaemonSet:
		if before, ok := change.Before.(*history.UnitedDaemonSet); ok {
			predicates = unitedChanges(before, object)
		}
	}
	predicates = append(predicates, replicaChanges(change.Before, change.Object)...)
	predicates = append(predicates, metadataChanges(change)...)
	if len(predicates) == 0 {
		return []string{"was updated"}
	}
	return predicates
}

// introduction says what matters of an object seen for the first time.
func introduction(object history.Object) string {
	switch object := object.(type) {
	case *corev1.Pod:
		return ": " + podState(object)
	case *appsv1.DaemonSet:
		return ": " + strategyOf(object)
	case *policyv1.PodDisruptionBudget:
		return ": " + budgetOf(object)
	case *history.UnitedDaemonSet:
		return ": " + unitedOf(object)
	}
	return ""
}

// stateAtRemoval says what an object was when it went.
func stateAtRemoval(object history.Object) string {
	pod, ok := object.(*corev1.Pod)
	if !ok || pod.DeletionTimestamp != nil {
		return ""
	}
	return " at once: " + podState(pod)
}

// metadataChanges are those that mean the same for every kind.
func metadataChanges(change history.Change) []string {
	var changes []string
	before, after := change.Before, change.Object
	if before.GetDeletionTimestamp() == nil && after.GetDeletionTimestamp() != nil {
		changes = append(changes, "began terminating"+grace(after))
	}
	changes = append(changes, ownerChanges(before, after)...)
	changes = append(changes, mapChanges("label", before.GetLabels(), after.GetLabels())...)
	changes = append(changes, mapChanges("annotation", before.GetAnnotations(), after.GetAnnotations())...)
	if !slices.Equal(before.GetFinalizers(), after.GetFinalizers()) {
		changes = append(changes, fmt.Sprintf("finalizers %v -> %v", before.GetFinalizers(), after.GetFinalizers()))
	}
	return changes
}

func grace(object history.Object) string {
	if seconds := object.GetDeletionGracePeriodSeconds(); seconds != nil {
		return fmt.Sprintf(" (grace period %d s)", *seconds)
	}
	return ""
}

func ownerChanges(before, after history.Object) []string {
	owners := func(object history.Object) []string {
		var names []string
		for _, owner := range object.GetOwnerReferences() {
			if owner.Controller != nil && *owner.Controller {
				names = append(names, owner.Kind+" "+owner.Name)
			}
		}
		return names
	}
	from, to := owners(before), owners(after)
	switch {
	case slices.Equal(from, to):
		return nil
	case len(to) == 0:
		return []string{"was released by " + strings.Join(from, ", ")}
	case len(from) == 0:
		return []string{"was adopted by " + strings.Join(to, ", ")}
	}
	return []string{"went from " + strings.Join(from, ", ") + " to " + strings.Join(to, ", ")}
}

// shortened is a value's beginning, where it is long: the recording has it all.
func shortened(value string) string {
	const most = 40
	if runes := []rune(value); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return value
}

// bookkeeping are annotations of Kubernetes that change on their own and say nothing to a reader.
var bookkeeping = []string{appsv1.DeprecatedTemplateGeneration, "node.alpha.kubernetes.io/ttl"}

func mapChanges(what string, before, after map[string]string) []string {
	var changes []string
	all := maps.Clone(before)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, after)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(bookkeeping, key) {
			continue
		}
		from, had := before[key]
		to, has := after[key]
		switch {
		case had && !has:
			changes = append(changes, fmt.Sprintf("lost %s %s", what, key))
		case !had && has:
			changes = append(changes, fmt.Sprintf("got %s %s=%s", what, key, shortened(to)))
		case from != to:
			changes = append(changes, fmt.Sprintf("%s %s: %s -> %s", what, key, shortened(from), shortened(to)))
		}
	}
	return changes
}
