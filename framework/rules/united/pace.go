package united

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// Pace is UNITED-027: whatever moves nodes between members of a family keeps the target's limit. While a template is being rolled out each member keeps
// its own, which is for other rules.
func Pace() judge.Rule {
	return judge.Rule{
		Requirement: "UNITED-027",
		Kind:        judge.Prohibition,
		Promise:     "moves between the members of a family take no more nodes out at once than the target's maxUnavailable",
		Needs:       needs(),
		Situations:  []judge.Situation{situation.CordonedElsewhere(), situation.Rollout()},
		New: func(history.Header) judge.Observer {
			return &pace{families: newFamilies(), surging: newSurging(), served: map[types.UID]map[string]bool{}, own: map[types.UID]*corev1.Affinity{}, joining: map[string]time.Time{}, rolledOutAt: map[types.UID]time.Time{}}
		},
	}
}

type pace struct {
	judge.Exercise
	families
	surging surging
	// served are the nodes that have had an available pod, by DaemonSet. Before a DaemonSet is one of a family, a pod that goes takes its node along: what
	// the target gave up then is nothing that moves could take out.
	served map[types.UID]map[string]bool
	// own are the affinities that DaemonSets had at first, and last before they were members of a family: those of targets are the user's.
	own map[types.UID]*corev1.Affinity
	// aimed: the harness has since given a target another affinity, of which it cannot be told which part is the user's. Then nothing more is held against anybody.
	aimed bool
	// joining is when the harness last labelled nodes that had no pod then: they may have come to be the target's.
	joining map[string]time.Time
	// labelledAt is when the harness last gave a node other labels, by which it may have left the target, or joined it.
	labelledAt time.Time
	// disturbedAt is when the harness last did something that may have cost a node its pod. editedAt is when it last changed a DaemonSet: that does so only
	// where the template becomes another one. selectedAt is when a template came of it that selects other nodes, which a reaction may take its time for.
	disturbedAt, editedAt, selectedAt time.Time
	// rolledOutAt is when a pod of another template than its DaemonSet's last went, by family. Whoever moves nodes may not know of it yet.
	rolledOutAt map[types.UID]time.Time
}

// Observe implements judge.Observer.
func (o *pace) Observe(s *judge.Scene) []judge.Violation {
	o.learn(s)
	o.surging.learn(s)
	if o.disturbed(s); s.Change.Stimulus != nil {
		return nil
	}
	pod, ok := s.Change.Object.(*corev1.Pod)
	if !ok {
		return nil
	}
	family := o.familyOf(pod)
	o.remember(s, family, pod)
	if family == "" {
		return nil
	}
	before, _ := s.Change.Before.(*corev1.Pod)
	if before == nil || !history.IsLive(before) || s.Change.Type != watch.Deleted && pod.DeletionTimestamp == nil {
		return nil
	}
	if outdated(s, before) {
		o.rolledOutAt[family] = s.Now
	}
	return o.judge(s, family, before)
}

// disturbed notes what may cost nodes their pods and is none of the implementation's doing.
func (o *pace) disturbed(s *judge.Scene) {
	if stimulus := s.Change.Stimulus; stimulus != nil {
		switch act := stimulus.Act; {
		case act == history.UpdateDaemonSet:
			o.editedAt = s.Now
		case act == history.LabelNode:
			o.labelledAt = s.Now
			if !slices.ContainsFunc(slices.Collect(maps.Values(s.Cluster.Pods)), func(pod *corev1.Pod) bool { return history.NodeOf(pod) == stimulus.Name }) {
				o.joining[stimulus.Name] = s.Now
			}
		case act.Disturbs(), act == history.AddNode:
			o.disturbedAt = s.Now
		}
		return
	}
	after, isDaemonSet := s.Change.Object.(*appsv1.DaemonSet)
	before, existed := s.Change.Before.(*appsv1.DaemonSet)
	if isDaemonSet && (o.of[after.UID] == "" || !existed) {
		o.own[after.UID] = after.Spec.Template.Spec.Affinity
	}
	if isDaemonSet && existed && s.Lately(o.editedAt) && !history.SameTemplate(&before.Spec.Template, &after.Spec.Template) {
		o.disturbedAt = s.Now
		if !equality.Semantic.DeepEqual(before.Spec.Template.Spec.NodeSelector, after.Spec.Template.Spec.NodeSelector) {
			o.selectedAt = s.Now
		}
		if !equality.Semantic.DeepEqual(before.Spec.Template.Spec.Affinity, after.Spec.Template.Spec.Affinity) && !s.ByImplementation() {
			o.aimed = o.aimed || o.of[after.UID] == after.UID
		}
	}
}

// remember notes whether the pod's node is served by the pod's DaemonSet, which is one of the family, if of any.
func (o *pace) remember(s *judge.Scene, family types.UID, pod *corev1.Pod) {
	owner := metav1.GetControllerOf(pod)
	switch {
	case owner == nil:
	case s.Change.Type == watch.Deleted && family == "":
		delete(o.served[owner.UID], history.NodeOf(pod))
	case history.IsReady(pod) && history.IsLive(pod):
		if o.served[owner.UID] == nil {
			o.served[owner.UID] = map[string]bool{}
		}
		o.served[owner.UID][history.NodeOf(pod)] = true
	}
}

// servedOnce reports whether any member of the family has had an available pod on the node.
func (o *pace) servedOnce(family types.UID, node string) bool {
	for member, of := range o.of {
		if of == family && o.served[member][node] {
			return true
		}
	}
	return false
}

// judge looks at a pod that somebody deletes.
func (o *pace) judge(s *judge.Scene, family types.UID, pod *corev1.Pod) []judge.Violation {
	target := s.Workloads()[family]
	if target == nil || target.Object.DeletionTimestamp != nil || o.meddled || o.aimed || s.Lately(o.disturbedAt) || o.rollingOut(s, family) {
		return nil
	}
	if !o.selectedAt.IsZero() && s.Now.Sub(o.selectedAt) < judge.Lag+judge.Prompt {
		return nil
	}
	minReady := target.Object.Spec.MinReadySeconds
	if !history.IsAvailable(pod, minReady, s.Now) {
		return nil
	}
	var out []string
	nodes, left := 0, 0
	eachNode(s.Cluster, func(name string) {
		if !o.servedOnce(family, name) {
			return
		}
		runs, stays := o.serves(s, family, s.Cluster.Nodes[name])
		if s.Lately(o.joining[name]) || !stays {
			left++
			return
		}
		nodes++
		// A node that no pod may come to, as one that is tainted meanwhile, is none of those that a DaemonSet wants to have served.
		if !runs && name != history.NodeOf(pod) {
			return
		}
		if !slices.ContainsFunc(o.on(s, family, name), func(other *corev1.Pod) bool { return history.IsAvailable(other, minReady, s.Now) }) {
			out = append(out, name)
		}
	})
	slices.Sort(out)
	if len(o.of) > 1 {
		o.PutToTest()
	}
	counted := nodes
	if s.Lately(o.labelledAt) {
		// It may not know yet that they have left, or come.
		counted += left
	}
	most := o.surging.unavailable(s, family, counted)
	if len(out) <= most || !slices.Contains(out, history.NodeOf(pod)) {
		return nil
	}
	return []judge.Violation{{
		Node: history.NodeOf(pod), Window: s.ThisEntry(),
		Got: fmt.Sprintf("%d nodes of %d without an available pod, where %d may be: %s", len(out), nodes, most, strings.Join(out, ", ")),
	}}
}

// serves reports whether any member of the family would run on the node, and whether any would stay there, but for the affinity by which the implementation tells members'
// nodes apart. What leaves a node that the target is not for any more is no move.
func (o *pace) serves(s *judge.Scene, family types.UID, node *corev1.Node) (runs, stays bool) {
	for uid, of := range o.of {
		member := s.Cluster.DaemonSets[uid]
		if of != family || member == nil {
			continue
		}
		asks := *member
		asks.Spec.Template.Spec.Affinity = o.own[family]
		eligible := history.EligibilityOf(&asks, node)
		runs, stays = runs || eligible.ShouldRun, stays || eligible.ShouldContinue
	}
	return runs, stays
}

// rollingOut reports whether a live pod of the family was not made from its DaemonSet's template, or such a pod went just now: the rollout took its node out.
func (o *pace) rollingOut(s *judge.Scene, family types.UID) bool {
	if s.Lately(o.rolledOutAt[family]) {
		return true
	}
	for _, pod := range s.Cluster.Pods {
		owner := metav1.GetControllerOf(pod)
		if owner != nil && o.of[owner.UID] == family && history.IsLive(pod) && outdated(s, pod) {
			return true
		}
	}
	return false
}

// outdated reports whether the pod was not made from its DaemonSet's template, but for affinity, which the implementation gives the target.
func outdated(s *judge.Scene, pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return false
	}
	ds := s.Cluster.DaemonSets[owner.UID]
	if ds == nil {
		return false
	}
	from := s.Cluster.Template(ds.UID, s.Cluster.RevisionOf(pod))
	return !s.Cluster.Matches(pod, &ds.Spec.Template) || from != nil && !sameWherever(from, &ds.Spec.Template)
}

// sameWherever reports whether two templates are the same but for their affinity.
func sameWherever(a, b *corev1.PodTemplateSpec) bool {
	x, y := *a, *b
	x.Spec.Affinity, y.Spec.Affinity = nil, nil
	return history.SameTemplate(&x, &y)
}
