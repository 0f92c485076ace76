package variants

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/impl/united/api"
	"github.com/rollcall-conformance/rollcall/impl/united/plan"
)

// lawfulUnitedStrangers name, label and list otherwise than the reference what there is of a UnitedDaemonSet, or take their time for a node.
func lawfulUnitedStrangers() []Variant {
	return []Variant{
		{Name: "united-has-names-of-its-own",
			Says: "Has labels of nodes, of DaemonSets and of their pods in another domain, another annotation on the target, and other names of the DaemonSets of subsets.",
			Lawful: "UNITED-011 has nodes labelled by their subsets, and UNITED-012 and UNITED-015 ask for node affinities, by no key. UNITED-015 has one DaemonSet for each subset, owned by the UnitedDaemonSet, of no name. " +
				"UNITED-039 is about what the selectors select. UNITED-013 names the strategy, and not where the user's is kept.",
			United: namedOtherwise},
		{Name: "united-labels-nodes-twice",
			Says: "Gives every node that it labels a second label of the same value, and takes it away with the first.",
			Lawful: "UNITED-011 asks for a label and forbids no second one, which the nodes of one subset alone share, too. UNITED-020 and UNITED-041: it is gone in the end, and put back if somebody edits it. " +
				"No affinity names it, so UNITED-012, UNITED-015 and UNITED-040 do not speak of it.",
			United: uniting(labelTwice)},
		{Name: "united-lists-subsets-by-name",
			Says: "Lists the subsets in the status by their names, and the conditions by their types.",
			Lawful: "UNITED-018 has an entry for each subset with its name, and its nodes sorted; of the order of the entries it says nothing, and the list is a map by name. " +
				"UNITED-009 and UNITED-010 go by the order of the spec. UNITED-024 and UNITED-036 to UNITED-038 ask for conditions in no order.",
			United: uniting(listByName)},
		{Name: "united-leaves-nodes-empty-for-a-while",
			Says: "Gives a node that has no label to its member two seconds after it could.",
			Lawful: "No requirement says how fast a node gets its member's pod; elsewhere a reaction may take five seconds. Such a node counts as one that is out for UNITED-027 and UNITED-028, however long that lasts. " +
				"UNITED-029 asks for a pod no earlier, and UNITED-030 is about nodes that change hands with maxSurge, which keep a label. UNITED-006 and UNITED-040: it gets no other pod meanwhile. UNITED-041 says nothing of when labels are put back.",
			United: fillNodesLate},
	}
}

const (
	// referenceDomain is the one of the reference's labels and annotations; incoming ones are in a part of it.
	referenceDomain = "united.rollcall.dev/"
	strangeDomain   = "placement.example.org/"
	// strangePrefix is before the names of the DaemonSets of subsets.
	strangePrefix = "part-of-"
)

// betweenDomains puts each domain in the place of the other: it undoes itself, and hides what others have written in the reference's.
var betweenDomains = strings.NewReplacer(referenceDomain, strangeDomain, strangeDomain, referenceDomain)

// namedOtherwise shows the planner what there is by the names of the reference, and has what it decides written by others.
func namedOtherwise(next plan.Planner) plan.Planner {
	return func(state plan.State, now time.Time) plan.Actions {
		there := map[types.UID]*appsv1.DaemonSet{}
		sets := make([]*appsv1.DaemonSet, len(state.DaemonSets))
		for i, ds := range state.DaemonSets {
			there[ds.UID] = ds
			sets[i] = inOtherDomain(ds)
			if name, strange := strings.CutPrefix(ds.Name, strangePrefix); strange && ofUnited(sets[i]) {
				sets[i].Name = name
			}
		}
		labelled := make([]*corev1.Node, len(state.Nodes))
		for i, node := range state.Nodes {
			seen := *node
			seen.Labels = map[string]string{}
			for key, value := range node.Labels {
				seen.Labels[betweenDomains.Replace(key)] = value
			}
			labelled[i] = &seen
		}
		revisions := make([]*appsv1.ControllerRevision, len(state.Revisions))
		for i, revision := range state.Revisions {
			seen := *revision
			seen.Data.Raw = []byte(betweenDomains.Replace(string(revision.Data.Raw)))
			revisions[i] = &seen
		}
		state.DaemonSets, state.Nodes, state.Revisions = sets, labelled, revisions

		actions := next(state, now)
		for i := range actions.LabelNodes {
			labels := map[string]*string{}
			for key, value := range actions.LabelNodes[i].Labels {
				labels[betweenDomains.Replace(key)] = value
			}
			actions.LabelNodes[i].Labels = labels
		}
		for i := range actions.Subsets {
			ds := inOtherDomain(actions.Subsets[i].DaemonSet)
			ds.Name = strangePrefix + ds.Name
			if before := there[ds.UID]; before != nil {
				ds.Name = before.Name
			}
			actions.Subsets[i].DaemonSet = ds
		}
		for i, ds := range actions.Delete {
			if before := there[ds.UID]; before != nil {
				actions.Delete[i] = before
			}
		}
		if actions.UpdateTarget != nil {
			actions.UpdateTarget = inOtherDomain(actions.UpdateTarget)
		}
		return actions
	}
}

// inOtherDomain returns a copy with the keys of the other domain, wherever they are.
func inOtherDomain(ds *appsv1.DaemonSet) *appsv1.DaemonSet {
	// What was decoded from JSON can be encoded, and decoded again.
	encoded, _ := json.Marshal(ds)
	changed := &appsv1.DaemonSet{}
	_ = json.Unmarshal([]byte(betweenDomains.Replace(string(encoded))), changed)
	return changed
}

// ofUnited reports whether the DaemonSet is that of a subset, also after its owner has left it behind.
func ofUnited(ds *appsv1.DaemonSet) bool {
	if owner := metav1.GetControllerOfNoCopy(ds); owner != nil {
		return owner.Kind == api.Kind
	}
	return ds.Labels[plan.DaemonSetLabel] != "" || ds.Spec.Template.Labels[plan.DaemonSetLabel] != ""
}

// labelTwice has every node carry in a second label what it has in the first, once the actions are carried out.
func labelTwice(actions *plan.Actions, state plan.State) {
	if !slices.Contains(state.United.Finalizers, plan.Finalizer) {
		return
	}
	home := homes(state).Home
	second := "subset-of.example.org/" + path.Base(home)
	actions.LabelNodes = slices.Clone(actions.LabelNodes)
	var left []plan.NodeLabels
	for _, node := range state.Nodes {
		value, labelled := node.Labels[home]
		at := slices.IndexFunc(actions.LabelNodes, func(labels plan.NodeLabels) bool { return labels.Node.UID == node.UID })
		if at >= 0 {
			if changed, changes := actions.LabelNodes[at].Labels[home]; changes {
				labelled = changed != nil
				if labelled {
					value = *changed
				}
			}
		}
		var wanted *string
		if labelled {
			wanted = &value
		}
		if has, there := node.Labels[second]; there == labelled && (!labelled || has == value) {
			continue
		}
		if at < 0 {
			left = append(left, plan.NodeLabels{Node: node, Labels: map[string]*string{second: wanted}})
			continue
		}
		labels := maps.Clone(actions.LabelNodes[at].Labels)
		labels[second] = wanted
		actions.LabelNodes[at].Labels = labels
	}
	if len(left) > 0 {
		// It goes when there is nothing more to take away.
		actions.LabelNodes, actions.DropFinalizer = append(actions.LabelNodes, left...), false
	}
}

func listByName(actions *plan.Actions, state plan.State) {
	if actions.Status == nil {
		return
	}
	status := actions.Status.DeepCopy()
	slices.SortFunc(status.SubsetStatuses, func(a, b api.SubsetStatus) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(status.Conditions, func(a, b metav1.Condition) int { return cmp.Compare(a.Type, b.Type) })
	actions.Status = nil
	if !apiequality.Semantic.DeepEqual(&state.United.Status, status) {
		actions.Status = status
	}
}

// fillNodesLate puts off that a node gets a member which has none.
func fillNodesLate(next plan.Planner) plan.Planner {
	due := &late{}
	return func(state plan.State, now time.Time) plan.Actions {
		actions := next(state, now)
		home := homes(state).Home
		key := func(node *corev1.Node) types.UID { return state.United.UID + "/" + node.UID }
		wanted := map[types.UID]bool{}
		actions.LabelNodes = slices.DeleteFunc(slices.Clone(actions.LabelNodes), func(labels plan.NodeLabels) bool {
			if _, has := labels.Node.Labels[home]; has || labels.Labels[home] == nil {
				return false
			}
			wanted[key(labels.Node)] = true
			left := due.left(key(labels.Node), now)
			if left > 0 {
				planAgain(&actions, left)
			}
			return left > 0
		})
		for _, node := range state.Nodes {
			if !wanted[key(node)] {
				due.forget(key(node))
			}
		}
		return actions
	}
}
