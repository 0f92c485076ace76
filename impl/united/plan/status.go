package plan

import (
	"fmt"
	"slices"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
)

// listed is how many nodes a message names.
const listed = 10

// status returns what to write; nil if that is there already.
func (f *family) status() *api.Status {
	status := f.United.Status.DeepCopy()
	status.ObservedGeneration = f.United.Generation
	status.SubsetStatuses = f.subsetStatuses()
	f.setCondition(status, f.effective())
	if f.target == nil {
		// What they said of another target would have kubectl wait go on.
		for _, about := range []string{api.SubsetsValid, api.Overlapping, api.Settled} {
			meta.RemoveStatusCondition(&status.Conditions, about)
		}
	} else {
		f.setCondition(status, f.subsetsValid())
		f.setCondition(status, f.overlapping())
		f.setCondition(status, f.settled())
	}
	if apiequality.Semantic.DeepEqual(&f.United.Status, status) {
		return nil
	}
	return status
}

func (f *family) setCondition(status *api.Status, condition metav1.Condition) {
	condition.ObservedGeneration, condition.LastTransitionTime = f.United.Generation, metav1.NewTime(f.now).Rfc3339Copy()
	meta.SetStatusCondition(&status.Conditions, condition)
}

func (f *family) subsetStatuses() []api.SubsetStatus {
	var all []api.SubsetStatus
	for _, subset := range f.United.Spec.Subsets {
		one := api.SubsetStatus{Name: subset.Name}
		if ds := f.members[subset.Name]; ds != nil {
			one.DesiredNumberScheduled, one.NumberMisscheduled = ds.Status.DesiredNumberScheduled, ds.Status.NumberMisscheduled
		}
		for _, m := range f.nodes {
			if len(m.selectedBy) > 0 && m.selectedBy[0] == subset.Name {
				one.MatchNodes = append(one.MatchNodes, m.Name)
			}
		}
		all = append(all, one)
	}
	return all
}

func (f *family) effective() metav1.Condition {
	condition := metav1.Condition{Type: api.Effective, Status: metav1.ConditionFalse}
	name := f.United.Spec.TargetRef.Name
	other := rival(f.State)
	switch {
	case other != nil:
		condition.Reason, condition.Message = "TargetTaken", fmt.Sprintf("UnitedDaemonSet %s has DaemonSet %s as its target, and had it first", other.Name, name)
	case f.target == nil:
		condition.Reason, condition.Message = "TargetNotFound", fmt.Sprintf("there is no DaemonSet %s", name)
	default:
		condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, "TargetFound", fmt.Sprintf("the target is DaemonSet %s", name)
	}
	return condition
}

func (f *family) subsetsValid() metav1.Condition {
	var wrong []string
	for _, subset := range f.United.Spec.Subsets {
		if why := f.invalid[subset.Name]; why != "" {
			wrong = append(wrong, fmt.Sprintf("subset %s: %s", subset.Name, why))
		}
	}
	if len(wrong) == 0 {
		return metav1.Condition{Type: api.SubsetsValid, Status: metav1.ConditionTrue, Reason: "Valid", Message: "every patch can be applied"}
	}
	return metav1.Condition{Type: api.SubsetsValid, Status: metav1.ConditionFalse, Reason: "InvalidSubset", Message: strings.Join(wrong, "; ")}
}

func (f *family) overlapping() metav1.Condition {
	var lost []string
	for _, m := range f.nodes {
		if len(m.selectedBy) > 1 {
			lost = append(lost, fmt.Sprintf("node %s is subset %s's, not %s's", m.Name, m.selectedBy[0], strings.Join(m.selectedBy[1:], "'s, ")))
		}
	}
	if len(lost) == 0 {
		return metav1.Condition{Type: api.Overlapping, Status: metav1.ConditionFalse, Reason: "Disjoint", Message: "no node is selected by several subsets"}
	}
	return metav1.Condition{Type: api.Overlapping, Status: metav1.ConditionTrue, Reason: "FirstSubsetWins", Message: some(lost)}
}

func (f *family) settled() metav1.Condition {
	var moving []string
	for _, m := range f.nodes {
		if m.home != m.belongs || m.incoming != "" {
			moving = append(moving, m.Name)
		}
	}
	if len(moving) == 0 {
		return metav1.Condition{Type: api.Settled, Status: metav1.ConditionTrue, Reason: "Settled", Message: "every node is with the member that it belongs to"}
	}
	return metav1.Condition{Type: api.Settled, Status: metav1.ConditionFalse, Reason: "Moving", Message: "to be moved: " + some(moving)}
}

// some joins the first ones of the list, and says how many more there are.
func some(all []string) string {
	if more := len(all) - listed; more > 0 {
		all = append(slices.Clone(all[:listed]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}
