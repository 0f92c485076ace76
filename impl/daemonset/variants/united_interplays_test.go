package variants_test

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// united is a State under construction: a target whose pods are on all nodes n0, n1, …, and subsets by names of nodes.
type united struct {
	plan.State
	keys plan.Keys
	now  time.Time
}

func unite(t *testing.T, nodes int, maxSurge, maxUnavailable string, subsets ...api.Subset) *united {
	t.Helper()
	w := newWorld(t, nodes, maxSurge, maxUnavailable)
	w.everywhere()
	u := &united{keys: plan.KeysOf("ns", "agent"), now: w.now}
	target := w.DaemonSet
	target.Spec.Template = *plan.Gate(&target.Spec.Template, u.keys, plan.Original)
	u.United = &api.UnitedDaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "united", UID: "united", Finalizers: []string{plan.Finalizer}}}
	u.United.Spec.TargetRef.Name, u.United.Spec.Subsets = "agent", subsets
	u.DaemonSets, u.Nodes, u.Pods, u.Written = []*appsv1.DaemonSet{target}, w.Nodes, w.Pods, map[types.UID]plan.Written{}
	for _, node := range u.Nodes {
		node.Labels = map[string]string{u.keys.Home: plan.Original}
	}
	return u
}

func subset(name, image string, nodes ...string) api.Subset {
	patch := fmt.Appendf(nil, `{"spec":{"containers":[{"name":"agent","image":%q}]}}`, image)
	return api.Subset{Name: name, Patch: api.Patch{Template: &runtime.RawExtension{Raw: patch}}, Selector: api.Selector{Names: nodes}}
}

// write does what the plan wants of the DaemonSets of subsets, and returns of how many.
func (u *united) write(planner plan.Planner) int {
	writes := planner(u.State, u.now).Subsets
	for _, write := range writes {
		ds := write.DaemonSet.DeepCopy()
		if ds.ResourceVersion == "" {
			ds.UID, ds.ResourceVersion = types.UID(ds.Name), "1"
			u.DaemonSets = append(u.DaemonSets, ds)
		}
		for i := range u.DaemonSets {
			if u.DaemonSets[i].Name == ds.Name {
				u.DaemonSets[i] = ds
			}
		}
		u.Written[ds.UID] = plan.Written{Hash: write.Hash, Generation: ds.Generation}
	}
	return len(writes)
}

// labels are the changes of a node's labels that the plan wants.
func (u *united) labels(planner plan.Planner, node string) map[string]*string {
	for _, labels := range planner(u.State, u.now).LabelNodes {
		if labels.Node.Name == node {
			return labels.Labels
		}
	}
	return nil
}

func unitedPlanners(t *testing.T, name string) map[bool]plan.Planner {
	t.Helper()
	v, err := variants.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return map[bool]plan.Planner{false: plan.Plan, true: v.United(plan.Plan)}
}

func TestASubsetWithoutNodesIsLeftAsItIs(t *testing.T) {
	for variant, planner := range unitedPlanners(t, "united-leaves-subsets-without-nodes-as-they-are") {
		u := unite(t, 1, "0", "1", subset("edge", "e1", "n9"))
		if u.write(planner) != 1 {
			t.Fatalf("variant %t makes no DaemonSet", variant)
		}
		u.United.Spec.Subsets[0] = subset("edge", "e2", "n9")
		if written := u.write(planner) == 1; written == variant {
			t.Errorf("variant %t writes: %t", variant, written)
		}
		u.Nodes[0].Labels[u.keys.Home] = "edge"
		if written := u.write(planner) == 1; written != variant {
			t.Errorf("variant %t writes once there is a node: %t", variant, written)
		}
	}
}

func TestASubsetIsNotChangedWhileANodeIsHandedOver(t *testing.T) {
	for variant, planner := range unitedPlanners(t, "united-settles-before-it-changes-a-subset") {
		u := unite(t, 2, "1", "0", subset("edge", "broken", "n0"))
		if u.write(planner) != 1 || u.labels(planner, "n0")[u.keys.Incoming] == nil {
			t.Fatalf("variant %t does not begin to move the node", variant)
		}
		u.Nodes[0].Labels[u.keys.Incoming] = "edge"
		u.United.Spec.Subsets[0] = subset("edge", "repaired", "n0")
		if written := u.write(planner) == 1; written == variant {
			t.Errorf("variant %t writes: %t", variant, written)
		}
	}
}

func TestAPodThatTerminatesIsCountedOn(t *testing.T) {
	for variant, planner := range unitedPlanners(t, "united-counts-on-pods-that-terminate") {
		u := unite(t, 2, "0", "1", subset("edge", "e1", "n0"))
		u.write(planner)
		u.Pods[1].DeletionTimestamp = ptr.To(metav1.NewTime(u.now))
		if moves := u.labels(planner, "n0") != nil; moves != variant {
			t.Errorf("variant %t moves a node while another has none: %t", variant, moves)
		}
		u = unite(t, 2, "1", "0", subset("edge", "e1", "n0"))
		u.write(planner)
		u.Nodes[0].Labels[u.keys.Incoming] = "edge"
		ds := u.DaemonSets[1]
		incoming := daemons.NewPod(ds, daemons.TemplateHash(&ds.Spec.Template, nil), "n0")
		incoming.Name, incoming.UID, incoming.Spec.NodeName, incoming.Status = "incoming", "incoming", "n0", u.Pods[0].Status
		u.Pods = append(u.Pods, incoming)
		if home := u.labels(planner, "n0")[u.keys.Home]; home == nil || *home != "edge" {
			t.Errorf("variant %t does not hand over", variant)
		}
		incoming.DeletionTimestamp = ptr.To(metav1.NewTime(u.now))
		if over := u.labels(planner, "n0")[u.keys.Home] != nil; over != variant {
			t.Errorf("variant %t hands over to a pod that terminates: %t", variant, over)
		}
	}
}

func TestANodeIsPassedOnWhereAPatchIsBad(t *testing.T) {
	for variant, planner := range unitedPlanners(t, "united-passes-on-what-a-bad-patch-cannot-have") {
		bad := subset("bad", "", "n0", "n1")
		bad.Patch.Template.Raw = []byte(`{"metadata":{"labels":{"app":"another"}}}`)
		u := unite(t, 2, "0", "2", bad, subset("edge", "e1", "n0"))
		u.write(planner)
		if moves := u.labels(planner, "n0") != nil; moves != variant {
			t.Errorf("variant %t moves the node of both subsets: %t", variant, moves)
		}
		if u.labels(planner, "n1") != nil {
			t.Errorf("variant %t moves the node of the bad subset alone", variant)
		}
		u.United.Spec.Subsets[0] = subset("bad", "repaired", "n0", "n1")
		u.write(planner)
		if u.labels(planner, "n0") == nil || u.labels(planner, "n1") == nil {
			t.Errorf("variant %t does not move the nodes of the repaired subset", variant)
		}
	}
}
