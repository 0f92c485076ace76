package united_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/rules/united"
)

// family has a target with an available pod on each of three nodes, and a subset without any. The nodes of the target are those with its label.
func family(b *Builder, options ...Option) (target, subset *DaemonSet, pods []*Pod) {
	for _, name := range nodes() {
		b.Node(name).Join()
		home(b, name, "target")
	}
	target = b.DaemonSet("agent", append(options, NodeSelector("home", "target"))...)
	subset = b.DaemonSet("subset", append(options, NodeSelector("home", "subset"), OfUnited(b.United("united", "agent")))...)
	for _, name := range nodes() {
		pods = append(pods, target.Pod("of-"+name, name).Ready())
	}
	b.After(Long)
	return target, subset, pods
}

// unitedLater has a target with an available pod on each of three nodes, to which something happens before it becomes one of a family.
func unitedLater(b *Builder, before func(pods []*Pod)) []*Pod {
	for _, name := range nodes() {
		b.Node(name).Join()
		home(b, name, "target")
	}
	var pods []*Pod
	target := b.DaemonSet("agent", NodeSelector("home", "target"))
	for _, name := range nodes() {
		pods = append(pods, target.Pod("of-"+name, name).Ready())
	}
	b.After(Long)
	before(pods)
	b.After(Long)
	b.DaemonSet("subset", NodeSelector("home", "subset"), OfUnited(b.United("united", "agent")))
	return pods
}

func nodes() []string { return []string{"node-a", "node-b", "node-c"} }

func home(b *Builder, node, member string) { b.Node(node).Edit(labelled("home", member)) }

// requires has the template ask for a label of nodes; an empty one for none.
func requires(label string) Option {
	return func(ds *appsv1.DaemonSet) {
		ds.Spec.Template.Spec.Affinity = nil
		if label != "" {
			ds.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: label, Operator: corev1.NodeSelectorOpExists}}}},
			}}}
		}
	}
}

func TestOneMember(t *testing.T) {
	rule := united.OneMember()
	move := func(b *Builder) (*DaemonSet, *Pod) {
		_, subset, pods := family(b)
		home(b, "node-a", "subset")
		return subset, pods[0]
	}
	// The target's controller had not heard that the node was its own no more, and the subset's not of the pod.
	cross := func(b *Builder) *Pod {
		target, subset, pods := family(b)
		home(b, "node-a", "subset")
		pods[0].Terminating().Gone()
		late := target.Pod("late", "node-a")
		subset.Pod("new", "node-a")
		return late
	}
	Breaks(t, rule,
		Tell("beside a live pod of the target", func(b *Builder) {
			subset, _ := move(b)
			subset.Pod("new", "node-a")
		}),
		Tell("of another subset", func(b *Builder) {
			subset, old := move(b)
			old.Terminating().Gone()
			subset.Pod("new", "node-a")
			b.After(Long)
			another := b.DaemonSet("another", NodeSelector("home", "subset"), OfUnited(b.United("later", "agent")))
			another.Pod("newer", "node-a")
		}),
		Tell("at once with one of the target, and both stay", func(b *Builder) {
			cross(b)
			b.After(Long)
			b.Node("node-d").Join()
		}),
	)
	Keeps(t, rule,
		Tell("when the pod of the target is gone", func(b *Builder) {
			subset, old := move(b)
			old.Terminating().Gone()
			subset.Pod("new", "node-a").Ready()
		}),
		Tell("at once with one of the target, which goes", func(b *Builder) {
			late := cross(b)
			late.Terminating().Gone()
			b.After(Long)
			b.Node("node-d").Join()
		}),
	)
	// Of the target's pods one is back on a node of the subset after somebody has changed what the target asks of nodes.
	back := func(b *Builder, label string) {
		target, subset, pods := family(b, requires("home"))
		home(b, "node-a", "subset")
		pods[0].Terminating().Gone()
		subset.Pod("new", "node-a").Ready()
		b.After(Long)
		b.Stimulus(history.UpdateDaemonSet, target)
		target.Set(requires(label), func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.NodeSelector = nil })
		b.By(history.Harness, "update")
		target.Pod("back", "node-a")
		b.By(history.Implementation, "create")
	}
	Breaks(t, rule, Tell("of the target after another update", func(b *Builder) { back(b, "home") }))
	Keeps(t, rule, Tell("of the target after somebody has taken away what kept it from there", func(b *Builder) { back(b, "") }))
	Ignores(t, rule, Tell("where the target surges", func(b *Builder) {
		_, subset, _ := family(b, MaxSurge("1"))
		home(b, "node-a", "subset")
		subset.Pod("new", "node-a")
	}))
}

func TestPace(t *testing.T) {
	rule := united.Pace()
	Breaks(t, rule,
		Tell("two nodes at once", func(b *Builder) {
			_, _, pods := family(b)
			for i, node := range nodes()[:2] {
				home(b, node, "subset")
				pods[i].Terminating()
			}
		}),
		Tell("one node where the target surges", func(b *Builder) {
			_, _, pods := family(b, MaxSurge("1"))
			home(b, "node-a", "subset")
			pods[0].Terminating()
		}),
		Tell("two nodes as soon as maxSurge has become maxUnavailable", func(b *Builder) {
			target, _, pods := family(b, MaxSurge("2"))
			b.Stimulus(history.UpdateDaemonSet, target)
			target.Set(MaxUnavailable("1"))
			for i, node := range nodes()[:2] {
				home(b, node, "subset")
				pods[i].Terminating()
			}
		}),
		Tell("one node beside one whose pod is not Ready", func(b *Builder) {
			_, _, pods := family(b)
			pods[2].Unready()
			b.After(Long)
			home(b, "node-a", "subset")
			pods[0].Terminating()
		}),
		Tell("one node that is tainted beside one that a move has taken out", func(b *Builder) {
			_, _, pods := family(b)
			b.Node("node-c").Taint(corev1.TaintNodeUnreachable, corev1.TaintEffectNoSchedule)
			home(b, "node-a", "subset")
			pods[0].Terminating().Gone()
			b.After(Long)
			home(b, "node-c", "subset")
			pods[2].Terminating()
		}),
		Tell("one node beside one whose pod is not Ready since before there were subsets", func(b *Builder) {
			pods := unitedLater(b, func(pods []*Pod) { pods[2].Unready() })
			home(b, "node-a", "subset")
			pods[0].Terminating()
		}),
	)
	Keeps(t, rule,
		Tell("one node beside one that the target gave up before there were subsets", func(b *Builder) {
			pods := unitedLater(b, func(pods []*Pod) {
				home(b, "node-c", "nobody")
				pods[2].Terminating().Gone()
			})
			home(b, "node-a", "subset")
			pods[0].Terminating()
		}),
		Tell("one node after the other", func(b *Builder) {
			_, subset, pods := family(b)
			for i, node := range nodes()[:2] {
				home(b, node, "subset")
				pods[i].Terminating().Gone()
				subset.Pod("new-"+node, node).Ready()
			}
		}),
		Tell("one node as soon as maxSurge has become maxUnavailable", func(b *Builder) {
			target, _, pods := family(b, MaxSurge("1"))
			target.Set(MaxUnavailable("1"))
			home(b, "node-a", "subset")
			pods[0].Terminating()
		}),
		Tell("one node as soon as maxUnavailable has become maxSurge", func(b *Builder) {
			target, _, pods := family(b, MaxUnavailable("1"))
			target.Set(MaxSurge("1"))
			home(b, "node-a", "subset")
			pods[0].Terminating()
		}),
		Tell("two nodes that the target is not for any more", func(b *Builder) {
			_, _, pods := family(b)
			for i, node := range nodes()[:2] {
				b.Stimulus(history.LabelNode, pods[i])
				home(b, node, "nobody")
				pods[i].Terminating()
			}
		}),
		Tell("two nodes where two may be out", func(b *Builder) {
			_, _, pods := family(b, MaxUnavailable("2"))
			for i, node := range nodes()[:2] {
				home(b, node, "subset")
				pods[i].Terminating()
			}
		}),
	)
	Ignores(t, rule, Tell("the target is to run on other nodes", func(b *Builder) {
		target, _, pods := family(b)
		b.Stimulus(history.UpdateDaemonSet, target)
		target.Set(requires("gpu"))
		for _, pod := range pods {
			pod.Terminating()
		}
	}))
	Ignores(t, rule, Tell("a rollout in two members, which each keep their own limit", func(b *Builder) {
		target, subset, pods := family(b)
		home(b, "node-a", "subset")
		b.Stimulus(history.DeletePod, pods[0])
		pods[0].Terminating().Gone()
		subset.Pod("new", "node-a").Ready()
		b.After(Long)
		target.Update("v2")
		pods[1].Terminating()
	}))
	// The rollout takes the last node out, and a moment later a move takes another one.
	beside := func(b *Builder, later time.Duration) {
		target, _, pods := family(b)
		target.Update("v2")
		for i, node := range nodes()[:2] {
			pods[i].Terminating().Gone()
			pods[i] = target.Pod("newer-"+node, node).Ready()
		}
		b.After(Long)
		pods[2].Terminating().Gone()
		b.After(later)
		home(b, "node-a", "subset")
		pods[0].Terminating()
	}
	Ignores(t, rule, Tell("one node beside one that a rollout took out just before", func(b *Builder) { beside(b, judge.Lag/4) }))
	Breaks(t, rule, Tell("one node beside one that a rollout took out before", func(b *Builder) { beside(b, 2*judge.Lag) }))
	Ignores(t, rule, Tell("the last old pods of a rollout in two members", func(b *Builder) {
		target, subset, pods := family(b)
		home(b, "node-a", "subset")
		b.Stimulus(history.DeletePod, pods[0])
		pods[0].Terminating().Gone()
		ofSubset := subset.Pod("new", "node-a").Ready()
		b.After(Long)
		target.Update("v2")
		subset.Update("v2")
		pods[1].Terminating().Gone()
		target.Pod("newer", "node-b").Ready()
		pods[2].Terminating()
		ofSubset.Terminating()
	}))
}

func labelled(key, value string) func(*corev1.Node) {
	return func(node *corev1.Node) {
		if node.Labels == nil {
			node.Labels = map[string]string{}
		}
		node.Labels[key] = value
	}
}
