package united_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/rules/united"
)

// TestPaceBesideOtherChanges is of nodes that are out, or come, for other reasons than a move.
func TestPaceBesideOtherChanges(t *testing.T) {
	rule := united.Pace()
	grace := func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.TerminationGracePeriodSeconds = ptr.To[int64](7) }
	// As "the last old pods of a rollout in two members", but without a DeletePod by the harness, which makes that story vacuous.
	rollout := func(edit Option) func(b *Builder) {
		return func(b *Builder) {
			target, subset, pods := family(b)
			home(b, "node-a", "subset")
			pods[0].Terminating().Gone()
			ofSubset := subset.Pod("new", "node-a").Ready()
			b.After(Long)
			b.Stimulus(history.UpdateDaemonSet, target)
			target.Set(edit)
			subset.Set(edit)
			b.After(2 * judge.Lag)
			pods[1].Terminating().Gone()
			target.Pod("newer-b", "node-b").Ready()
			b.After(2 * judge.Lag)
			pods[2].Terminating()
			ofSubset.Terminating()
		}
	}
	Keeps(t, rule,
		Tell("a rollout in two members of an image", rollout(Version("v2"))),
		Tell("a rollout in two members of what pods are not compared by", rollout(grace)),
		Tell("two nodes that a target's affinity does not ask for any more, the target having come after the UnitedDaemonSet", func(b *Builder) {
			for _, name := range nodes() {
				b.Node(name).Join()
				b.Node(name).Edit(labelled("gpu", "yes"))
			}
			owner := b.United("united", "agent")
			target := b.DaemonSet("agent", requires("gpu"))
			b.DaemonSet("subset", requires("chosen"), OfUnited(owner))
			var pods []*Pod
			for _, name := range nodes() {
				pods = append(pods, target.Pod("of-"+name, name).Ready())
			}
			b.After(Long)
			for i, name := range nodes()[:2] {
				b.Stimulus(history.LabelNode, b.Node(name))
				b.Node(name).Edit(func(node *corev1.Node) { delete(node.Labels, "gpu") })
				pods[i].Terminating()
			}
		}),
		Tell("one node while another one, that a move has taken out, is tainted", func(b *Builder) {
			_, _, pods := family(b)
			home(b, "node-a", "subset")
			pods[0].Terminating().Gone()
			b.After(Long)
			b.Node("node-a").Taint(corev1.TaintNodeUnreachable, corev1.TaintEffectNoSchedule)
			b.After(Long)
			home(b, "node-b", "subset")
			pods[1].Terminating()
		}),
		Tell("one node a moment after another one came back to the target", func(b *Builder) {
			_, _, pods := family(b)
			b.Stimulus(history.LabelNode, b.Node("node-c"))
			home(b, "node-c", "nobody")
			pods[2].Terminating().Gone()
			b.After(Long)
			home(b, "node-a", "subset")
			b.Stimulus(history.LabelNode, b.Node("node-c"))
			home(b, "node-c", "target")
			pods[0].Terminating()
		}),
	)
	Ignores(t, rule,
		Tell("the target is to run on other nodes, and its controller takes its time", func(b *Builder) {
			target, _, pods := family(b)
			b.Stimulus(history.UpdateDaemonSet, target)
			target.Set(requires("gpu"))
			b.By(history.Harness, "update")
			b.After(2 * judge.Lag)
			for _, pod := range pods {
				pod.Terminating()
			}
		}),
		Tell("the target has another nodeSelector, which its subset's DaemonSet does not have yet", func(b *Builder) {
			for _, name := range nodes() {
				b.Node(name).Join()
			}
			target := b.DaemonSet("agent")
			b.DaemonSet("subset", requires("chosen"), OfUnited(b.United("united", "agent")))
			var pods []*Pod
			for _, name := range nodes() {
				pods = append(pods, target.Pod("of-"+name, name).Ready())
			}
			b.After(Long)
			b.Stimulus(history.UpdateDaemonSet, target)
			target.Set(NodeSelector("role", "daemon"))
			b.After(2 * judge.Lag)
			for _, pod := range pods {
				pod.Terminating()
			}
		}),
	)
}
