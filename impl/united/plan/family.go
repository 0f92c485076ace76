package plan

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/united/api"
)

// family is a state as the steps of a plan see it.
type family struct {
	State
	now  time.Time
	keys Keys
	// target is nil where there is none to work with; template is its own, without the gate.
	target   *appsv1.DaemonSet
	template *corev1.PodTemplateSpec
	// members are the DaemonSets by member: the target's, and those of subsets that the UnitedDaemonSet controls, in its spec or not any more.
	members map[string]*appsv1.DaemonSet
	// invalid says of subsets, by name, what is wrong with them; wanted are the DaemonSets of the others.
	invalid map[string]string
	wanted  map[string]*appsv1.DaemonSet
	// patched are the templates of members that there are or are to be, without their gates and labels of their own.
	patched map[string]*corev1.PodTemplateSpec
	// nodes are those with a place in the family, or with its labels.
	nodes []*member
	// dissolving: the UnitedDaemonSet is to go, and everything to be given back.
	dissolving bool
}

// member is a node, with what is there and what should be.
type member struct {
	*corev1.Node
	home, incoming string
	// belongs is whom the node belongs to; empty if it has no place in the family.
	belongs string
	// selectedBy are the subsets that select it, in the order of the spec.
	selectedBy []string
	// pods are those of the family there, whatever their state, by member.
	pods map[string][]*corev1.Pod
	// counts: the target would run a pod there.
	counts bool
}

func newFamily(state State, now time.Time) *family {
	united := state.United
	f := &family{
		State: state, now: now, keys: KeysOf(united.Namespace, united.Spec.TargetRef.Name), members: map[string]*appsv1.DaemonSet{},
		invalid: map[string]string{}, wanted: map[string]*appsv1.DaemonSet{}, patched: map[string]*corev1.PodTemplateSpec{},
		dissolving: united.DeletionTimestamp != nil,
	}
	for _, ds := range state.DaemonSets {
		switch {
		case ds.Name == united.Spec.TargetRef.Name:
			if ds.DeletionTimestamp == nil {
				f.target, f.template = ds, Ungate(&ds.Spec.Template, f.keys)
				f.members[Original] = ds
			}
		case metav1.IsControlledBy(ds, united) && subsetOf(ds, united) != "":
			f.members[subsetOf(ds, united)] = ds
		}
	}
	if f.target == nil {
		return f
	}
	f.patched[Original] = f.template
	for _, subset := range united.Spec.Subsets {
		f.want(subset)
	}
	f.survey()
	return f
}

// subsetOf is the subset whose DaemonSet it is; empty if none is known. Somebody may have edited labels, but nobody the name, which tells whether one is right.
func subsetOf(ds *appsv1.DaemonSet, united *api.UnitedDaemonSet) string {
	subsets := []string{ds.Spec.Template.Labels[SubsetLabel]}
	for _, subset := range united.Spec.Subsets {
		subsets = append(subsets, subset.Name)
	}
	for _, subset := range subsets {
		if ds.Name == DaemonSetName(united.Name, subset) {
			return subset
		}
	}
	return ds.Labels[SubsetLabel]
}

// want works out the DaemonSet of a subset.
func (f *family) want(subset api.Subset) {
	patched, err := patch(f.template, subset.Patch, f.target.Spec.Selector)
	if err != nil {
		f.invalid[subset.Name] = err.Error()
		return
	}
	wanted := subsetDaemonSet(f.United, subset.Name, f.target, patched)
	f.patched[subset.Name], f.wanted[subset.Name] = patched, wanted
	if refused := f.Refused[subset.Name]; refused.Why != "" && refused.Hash == hashOf(wanted) {
		f.invalid[subset.Name] = refused.Why
	}
	if there := f.named(wanted.Name); there != nil && !metav1.IsControlledBy(there, f.United) && !adoptable(there, wanted) {
		f.invalid[subset.Name] = "the name of its DaemonSet, " + there.Name + ", is taken"
		delete(f.wanted, subset.Name)
	}
}

func (f *family) named(name string) *appsv1.DaemonSet {
	for _, ds := range f.DaemonSets {
		if ds.Name == name {
			return ds
		}
	}
	return nil
}

// adoptable reports whether nobody controls the DaemonSet, and it was the subset's.
func adoptable(there, wanted *appsv1.DaemonSet) bool {
	return metav1.GetControllerOfNoCopy(there) == nil && there.Labels[DaemonSetLabel] == wanted.Name
}

// survey works out who is where and who should be.
func (f *family) survey() {
	ungated := f.target.DeepCopy()
	ungated.Spec.Template = *f.template
	fits := nodeaffinity.NewRequiredNodeAffinity(f.template.Spec.NodeSelector, f.template.Spec.Affinity)
	pods := f.podsByNode()
	for _, node := range f.Nodes {
		m := &member{Node: node, home: node.Labels[f.keys.Home], incoming: node.Labels[f.keys.Incoming], pods: pods[node.Name]}
		if matches, err := fits.Match(node); err == nil && matches {
			m.counts, _ = daemons.Eligibility(ungated, node)
			m.selectedBy = f.selectedBy(node)
			m.belongs = f.belongs(m)
		}
		if m.belongs != "" || m.home != "" || m.incoming != "" {
			f.nodes = append(f.nodes, m)
		}
	}
}

func (f *family) selectedBy(node *corev1.Node) []string {
	var names []string
	for _, subset := range f.United.Spec.Subsets {
		if selects(subset.Selector, node) {
			names = append(names, subset.Name)
		}
	}
	return names
}

func selects(selector api.Selector, node *corev1.Node) bool {
	if len(selector.Names) > 0 {
		return slices.Contains(selector.Names, node.Name)
	}
	parsed, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: selector.MatchExpressions}}})
	return err == nil && parsed.Match(node)
}

// belongs returns the member that the node is to go to. Where that has no DaemonSet and cannot have one, or where its pod would be the same, the node stays
// with whom it has.
func (f *family) belongs(m *member) string {
	if f.dissolving || len(m.selectedBy) == 0 {
		return Original
	}
	first := m.selectedBy[0]
	if f.members[first] == nil && f.invalid[first] != "" {
		if f.members[m.home] != nil {
			return m.home
		}
		return Original
	}
	if here, there := f.patched[m.home], f.patched[first]; here != nil && there != nil && apiequality.Semantic.DeepEqual(here, there) {
		return m.home
	}
	return first
}

// podsByNode returns the family's pods by node and member.
func (f *family) podsByNode() map[string]map[string][]*corev1.Pod {
	memberOf := map[types.UID]string{}
	for name, ds := range f.members {
		memberOf[ds.UID] = name
	}
	pods := map[string]map[string][]*corev1.Pod{}
	for _, pod := range f.Pods {
		owner := metav1.GetControllerOfNoCopy(pod)
		if owner == nil || memberOf[owner.UID] == "" {
			continue
		}
		node := daemons.TargetNode(pod)
		if pods[node] == nil {
			pods[node] = map[string][]*corev1.Pod{}
		}
		pods[node][memberOf[owner.UID]] = append(pods[node][memberOf[owner.UID]], pod)
	}
	return pods
}

// available reports whether the member's pod on the node is available.
func (f *family) available(m *member, name string) bool {
	ds := f.members[name]
	return ds != nil && slices.ContainsFunc(m.pods[name], func(pod *corev1.Pod) bool { return daemons.IsAvailable(pod, ds.Spec.MinReadySeconds, f.now) })
}

// served reports whether any member's pod on the node is available.
func (f *family) served(m *member) bool {
	for name := range m.pods {
		if f.available(m, name) {
			return true
		}
	}
	return false
}

// again is after how long the next pod becomes available; 0 if none will.
func (f *family) again() time.Duration {
	var soonest time.Duration
	for _, m := range f.nodes {
		for name, pods := range m.pods {
			for _, pod := range pods {
				at, known := daemons.AvailableAt(pod, f.members[name].Spec.MinReadySeconds)
				if left := at.Sub(f.now); known && left > 0 && (soonest == 0 || left < soonest) {
					soonest = left
				}
			}
		}
	}
	return soonest
}

// rival returns the UnitedDaemonSet that has the target instead; nil if none has.
func rival(state State) *api.UnitedDaemonSet {
	first := state.United
	for _, other := range Rivals(state) {
		if goesBefore(other, first) {
			first = other
		}
	}
	if first == state.United {
		return nil
	}
	return first
}

// Rivals are the other UnitedDaemonSets of the same target.
func Rivals(state State) []*api.UnitedDaemonSet {
	var rivals []*api.UnitedDaemonSet
	for _, other := range state.Others {
		if other.Spec.TargetRef.Name == state.United.Spec.TargetRef.Name {
			rivals = append(rivals, other)
		}
	}
	return rivals
}

// goesBefore reports whether a has the target rather than b: the older. Of two of the same second that is whoever has begun, lest the target is taken
// from it again.
func goesBefore(a, b *api.UnitedDaemonSet) bool {
	if older := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); older != 0 {
		return older < 0
	}
	if begun(a) != begun(b) {
		return begun(a)
	}
	return a.Name < b.Name
}

// begun reports whether the UnitedDaemonSet has the finalizer, before which it does nothing.
func begun(united *api.UnitedDaemonSet) bool { return slices.Contains(united.Finalizers, Finalizer) }
