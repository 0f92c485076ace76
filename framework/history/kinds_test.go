package history_test

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// known are the kinds of Kubernetes, and ours.
func known() *runtime.Scheme {
	known := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(known))
	known.AddKnownTypes(history.UnitedGroupVersion(), &history.UnitedDaemonSet{}, &history.UnitedDaemonSetList{})
	return known
}

func TestEveryKindIsDefinedOnceAndAsTheClientsKnowIt(t *testing.T) {
	var names []history.Kind
	for _, definition := range history.Definitions() {
		name := definition.Name()
		names = append(names, name)
		kinds, _, err := known().ObjectKinds(definition.New())
		if err != nil || !slices.Contains(kinds, definition.GroupVersionKind) {
			t.Errorf("%s: its objects are %v (%v)", name, kinds, err)
		}
		list := definition.GroupVersion().WithKind(definition.GroupVersionKind.Kind + "List")
		if kinds, _, err = known().ObjectKinds(definition.NewList()); err != nil || !slices.Contains(kinds, list) {
			t.Errorf("%s: its lists are %v (%v)", name, kinds, err)
		}
	}
	slices.Sort(names)
	want := []history.Kind{
		history.KindControllerRevision, history.KindDaemonSet, history.KindDeployment, history.KindEvent, history.KindNode, history.KindPod,
		history.KindPodDisruptionBudget, history.KindReplicaSet, history.KindReplicationController, history.KindStatefulSet,
		history.KindUnitedDaemonSet,
	}
	if !slices.Equal(names, want) {
		t.Errorf("defined are %v, want %v", names, want)
	}
}

func TestWhatIsMadeAsAMarkIsOfItsKindAndNoTwoShareIt(t *testing.T) {
	for _, definition := range history.Definitions() {
		inert := definition.NewInert("n")
		if inert == nil {
			if definition.Namespaced && !definition.EvidenceOnly {
				t.Errorf("%s: there is no mark where there is no object", definition.Name())
			}
			continue
		}
		kinds, _, err := known().ObjectKinds(inert)
		if err != nil || !slices.Contains(kinds, definition.GroupVersionKind) {
			t.Errorf("%s: what is made is %v (%v)", definition.Name(), kinds, err)
		}
		inert.SetName("changed")
		if again := definition.NewInert("m"); again.GetName() == "changed" || again.GetName() == "" || again.GetNamespace() != "m" {
			t.Errorf("%s: another one is %s/%s", definition.Name(), again.GetNamespace(), again.GetName())
		}
	}
}

func TestAKindIsNamedByItsGroupUnlessItIsOneOfKubernetes(t *testing.T) {
	for kind, want := range map[schema.GroupKind]history.Kind{
		{Kind: "Pod"}:                                "Pod",
		{Group: "apps", Kind: "DaemonSet"}:           history.KindDaemonSet,
		{Group: "apps.kruise.io", Kind: "DaemonSet"}: "DaemonSet.apps.kruise.io",
	} {
		if got := history.KindOf(kind); got != want {
			t.Errorf("%v is %s, want %s", kind, got, want)
		}
	}
	_, err := history.NewObject("DaemonSet.apps.kruise.io")
	if err == nil || !strings.Contains(err.Error(), `kind "DaemonSet.apps.kruise.io" cannot be recorded: recordings hold ControllerRevision, DaemonSet, Deployment, Event`) {
		t.Error(err)
	}
}
