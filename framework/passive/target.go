package passive

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
)

// Targets are the DaemonSets to watch.
type Targets struct {
	// Namespace they are in; empty for all namespaces.
	Namespace string
	// Names of the DaemonSets; empty for all of the namespace, or of all namespaces.
	Names []string
}

// String names them, for example "DaemonSet kube-system/cilium, kube-system/kube-proxy".
func (t Targets) String() string { return "DaemonSet " + strings.Join(t.named(), ", ") }

func (t Targets) named() []string {
	namespace := t.Namespace
	if namespace == "" {
		namespace = "*"
	}
	if len(t.Names) == 0 {
		return []string{namespace + "/*"}
	}
	var all []string
	for _, name := range t.Names {
		all = append(all, namespace+"/"+name)
	}
	return all
}

func (t Targets) has(name string) bool { return len(t.Names) == 0 || slices.Contains(t.Names, name) }

// Kinds are what is recorded of the targets.
func Kinds() []history.Kind {
	return []history.Kind{
		history.KindNode, history.KindDaemonSet, history.KindControllerRevision, history.KindPod, history.KindPodDisruptionBudget, history.KindEvent,
	}
}

// sources are those of the targets: the DaemonSets and what they control, every budget of their namespaces, every node, and what controllers say of the DaemonSets.
func (t Targets) sources(c client.WithWatch) ([]recorder.Source, error) {
	var sources []recorder.Source
	for _, kind := range Kinds() {
		namespace := t.Namespace
		if kind == history.KindNode {
			namespace = ""
		}
		source, err := recorder.Passively(c, kind, namespace)
		if err != nil {
			return nil, err
		}
		source.Wants, source.Managers = t.wants(kind), kind == history.KindPod || kind == history.KindDaemonSet
		sources = append(sources, source)
	}
	return sources, nil
}

// wants leaves out of a recording what is not about the targets, and heartbeats of nodes.
func (t Targets) wants(kind history.Kind) func(before, now history.Object) bool {
	switch kind {
	case history.KindNode:
		return isNoHeartbeat
	case history.KindDaemonSet:
		return func(_, now history.Object) bool { return t.has(now.GetName()) }
	case history.KindPod, history.KindControllerRevision:
		return func(before, now history.Object) bool { return before != nil || t.controls(now) }
	case history.KindEvent:
		return func(_, now history.Object) bool { return claimIn(now) != nil }
	}
	return nil
}

func isNoHeartbeat(before, now history.Object) bool {
	node, ok := now.(*corev1.Node)
	return !ok || before == nil || (before.GetDeletionTimestamp() == nil) != (now.GetDeletionTimestamp() == nil) || !history.SameToScenario(before, node)
}

// controls reports whether a target controls the object.
func (t Targets) controls(object history.Object) bool {
	controller := metav1.GetControllerOf(object)
	return controller != nil && controller.Kind == string(history.KindDaemonSet) && t.has(controller.Name)
}

// missing says which of the named DaemonSets there are none of; empty if there are all.
func (t Targets) missing(cluster *history.Cluster) string {
	var missing []string
	for _, name := range t.Names {
		there := false
		for _, ds := range cluster.DaemonSets {
			there = there || ds.Name == name
		}
		if !there {
			missing = append(missing, name)
		}
	}
	switch {
	case len(cluster.DaemonSets) == 0 && len(t.Names) == 0 && t.Namespace != "":
		return "there is no DaemonSet in namespace " + t.Namespace
	case len(missing) == 0:
		return ""
	}
	return fmt.Sprintf("there is no DaemonSet %s in namespace %s", strings.Join(missing, ", "), t.Namespace)
}
