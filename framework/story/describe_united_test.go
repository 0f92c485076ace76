package story

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestAUnitedDaemonSetHasItsWords(t *testing.T) {
	before := &history.UnitedDaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agents"}}
	before.Spec.TargetRef = history.UnitedTarget{Kind: "DaemonSet", Name: "agent"}
	after, _ := before.DeepCopyObject().(*history.UnitedDaemonSet)
	after.Spec.Subsets = []history.UnitedSubset{{Name: "edge", Selector: history.UnitedSelector{Names: []string{"node-1", "node-2"}}}, {Name: "gpu"}}
	after.Status.SubsetStatuses = []history.UnitedSubsetStatus{{Name: "edge", DesiredNumberScheduled: 2}}
	after.Status.Conditions = []metav1.Condition{{Type: "Overlapping", Status: metav1.ConditionFalse, Reason: "Disjoint", Message: "none"}}
	want := "DaemonSet agent, different nowhere -> DaemonSet agent, different on edge (node-1, node-2), gpu (by labels); " +
		"status says edge desired 0 -> 2, Overlapping False (Disjoint): none"
	if got := strings.Join(unitedChanges(before, after), "; "); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := unitedChanges(after, after); got != nil {
		t.Errorf("nothing changed, and it says %q", got)
	}
	if got, want := familyInWords(after), "UnitedDaemonSet agents: DaemonSet agent, different on edge (node-1, node-2), gpu (by labels); status: edge desired 2, misscheduled 0"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
