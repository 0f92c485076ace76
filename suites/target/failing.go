package target

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What scenarios of failing pods choose.
const (
	failed   = "the pods that fail"
	down     = "the node that is down"
	outdated = "the outdated pod that fails"
	oftenOn  = "the node where pods keep failing"
	onceOn   = "the node where one fails"
)

// rollingAgain is where the strategy is RollingUpdate again.
const rollingAgain history.Mark = "back to RollingUpdate"

// mostEvicted are more pods than anybody makes within seconds who backs off.
const mostEvicted = 16

// failing are the specs of pods that end in phase Failed.
func failing() {
	for _, strategy := range strategies() {
		spec.It("deletes failed pods and makes others in their place, with "+strategy.with,
			spec.Decides("TARGET-009", "API-021"),
			func(ctx context.Context, c *spec.Case) {
				c.AddNodes(ctx, 3)
				daemonSet := c.Deploy(ctx, strategy.edit)
				pods := c.LivePods(ctx, daemonSet)
				c.Bind(failed, pods[0].Name, pods[1].Name)
				c.Pods.Fail(ctx, pods[0])
				rollouts.EvictByKubelet(ctx, c, pods[1])
				c.Await(ctx, state.When("the failed pods are gone", func(cluster *history.Cluster) bool {
					return cluster.Pods[pods[0].UID] == nil && cluster.Pods[pods[1].UID] == nil
				}))
				c.Await(ctx, RolledOut(daemonSet))
				// One that is outdated by a template which nobody rolls out fails, too.
				updated := c.Update(ctx, daemonSet, OnDelete(), Image("v2"))
				c.Require(ctx, "the controller has seen the template", Processed(updated))
				// By then everybody must know of it.
				c.Await(ctx, Quiet(late))
				c.Bind(outdated, pods[2].Name)
				c.Pods.Fail(ctx, pods[2])
				c.Await(ctx, UpdatedOn(1, updated))
				c.Mark(rollingAgain)
				c.RollOut(ctx, updated, strategy.edit)
			},
			func(j *spec.Checks) {
				last := Named(j.Bound(outdated))
				j.Given(AtLeast(1, PodFailed(last)))
				for _, name := range j.BoundAll(failed) {
					j.Given(AtLeast(1, PodFailed(Named(name))))
					j.Decide("TARGET-009", AtLeast(1, PodDeleted(Named(name))))
				}
				j.Decide("TARGET-009", Before(PodDeleted(last), Marked(rollingAgain)), EndsRolledOut())
			})
	}

	spec.It("deletes a pod that has failed on a node that is down, and makes another in its place",
		spec.Decides("TARGET-009"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 2)[0]
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), rollouts.TolerateDown())
			pod := c.LivePodOn(ctx, daemonSet, node)
			c.Bind(failed, pod.Name)
			c.Bind(down, node)
			c.NodeDown(ctx, node)
			// By then everybody knows of it.
			c.Await(ctx, Quiet(late))
			c.Pods.Fail(ctx, pod)
			c.Await(ctx, UpdatedOn(1, daemonSet, OnNode(node), func(now *corev1.Pod) bool { return now.UID != pod.UID }))
		},
		func(j *spec.Checks) {
			name, fails := j.Bound(failed), PodFailed(Named(j.Bound(failed)))
			j.Given(AtLeast(1, fails))
			j.Decide("TARGET-009", AtLeast(1, PodDeleted(Named(name))), AtLeast(1, After(PodCreated().On(j.Bound(down)), fails)))
		}, spec.SimulatedNodes{})

	spec.It("backs off from pods that keep failing, on each node for itself",
		// Whoever counts updated pods that have ended counts their nodes as nodes with a pod, too.
		spec.Decides("TARGET-010", "STATUS-013"),
		func(ctx context.Context, c *spec.Case) {
			c.Bind(failed, c.AddNodes(ctx, 2)...)
			c.Create(ctx, c.NewDaemonSet("by-hand", OnDelete(), Image("v2"), Failing()))
			rollouts.AwaitFailures(ctx, c, c.Create(ctx, c.NewDaemonSet("daemon", MaxUnavailable("1"), Failing())), 2)
		},
		func(j *spec.Checks) {
			for _, node := range j.BoundAll(failed) {
				for _, version := range []string{"v1", "v2"} {
					rollouts.BacksOff(j, "TARGET-010", PodCreated(OfVersion(version)).On(node))
				}
			}
		}, spec.SimulatedNodes{})

	spec.It("backs off from pods that keep failing while somebody edits an annotation of the DaemonSet over and over",
		spec.Decides("TARGET-010"),
		func(ctx context.Context, c *spec.Case) {
			c.Bind(failed, c.AddNodes(ctx, 1)...)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxUnavailable("1"), Failing()))
			// Once a second, and so often that nobody replaces as many pods who backs off.
			for i := range mostEvicted {
				c.Update(ctx, daemonSet, Touch(i))
				c.Await(ctx, Past(time.Now().Add(time.Second)))
			}
		},
		func(j *spec.Checks) {
			rollouts.BacksOff(j, "TARGET-010", PodCreated().On(j.Bound(failed)))
		}, spec.SimulatedNodes{})

	spec.It("does not let a node, another DaemonSet, or the next of its name wait for pods that keep failing, and backs off from those that were Ready, or evicted",
		spec.Decides("TARGET-010"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			c.Bind(oftenOn, nodes[0])
			c.Bind(onceOn, nodes[1])
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			other := c.Create(ctx, c.NewDaemonSet(bystanderName))
			c.Require(ctx, "the other DaemonSet is on every node", Steady(other))
			// With a delay that doubles from a second, and a first retry at once, these are four, and the next takes eight seconds. Without one they are as many
			// as it takes to see that.
			for i, until := 0, time.Now().Add(6*time.Second); i < mostEvicted && time.Now().Before(until); i++ {
				rollouts.EvictByKubelet(ctx, c, c.LivePodOn(ctx, daemonSet, nodes[0]))
				c.Await(ctx, RolledOut(daemonSet))
			}
			c.Pods.Fail(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
			c.Pods.Fail(ctx, c.LivePodOn(ctx, daemonSet, nodes[1]))
			c.Pods.Fail(ctx, c.LivePodOn(ctx, other, nodes[0]))
			c.Await(ctx, UpdatedOn(1, daemonSet, OnNode(nodes[1])))
			c.Await(ctx, UpdatedOn(1, other, OnNode(nodes[0])))
			// Nor does one by its name that comes after it.
			c.DeleteDaemonSet(ctx, daemonSet, metav1.DeletePropagationBackground)
			again := c.Create(ctx, c.NewDaemonSet("daemon", MaxUnavailable("1"), Image("v2")))
			c.Require(ctx, "the DaemonSet is on every node again", Steady(again))
			c.Pods.Fail(ctx, c.LivePodOn(ctx, again, nodes[0]))
			c.Await(ctx, UpdatedOn(1, again, OnNode(nodes[0])))
		},
		func(j *spec.Checks) {
			mine, others := OfDaemonSet("daemon"), OfDaemonSet(bystanderName)
			failsOn := func(node string, which Which) Reaction {
				return Reaction{From: PodFailed(which).On(node), To: PodCreated(which).On(node)}
			}
			often, once := j.Bound(oftenOn), j.Bound(onceOn)
			// The first delay on the one node is like that on the other, wherever the other has got to.
			j.Decide("TARGET-010",
				AsSoonAs(spec.Prompt, failsOn(often, mine), failsOn(once, mine)),
				AsSoonAs(spec.Prompt, failsOn(often, mine), failsOn(often, others)),
				AsSoonAs(spec.Prompt, failsOn(often, mine), failsOn(often, OfVersion("v2"))))
		}, spec.SimulatedNodes{})
}

// failingBeside is the spec of a pod that fails while another node has used up maxUnavailable.
func failingBeside() {
	spec.It("replaces a failed pod at once, also where maxUnavailable is used up by a pod that is not Ready",
		spec.Decides("TARGET-009"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.Pods.BecomeUnready(ctx, c.LivePodOn(ctx, daemonSet, nodes[0]))
			// By then everybody must know of it.
			c.Await(ctx, Quiet(late))
			pod := c.LivePodOn(ctx, daemonSet, nodes[1])
			c.Bind(failed, pod.Name, nodes[1])
			c.Pods.Fail(ctx, pod)
			c.Await(ctx, UpdatedOn(1, daemonSet, OnNode(nodes[1]), history.IsReady))
			c.Await(ctx, Quiet(late))
		},
		func(j *spec.Checks) {
			name, node := j.BoundAll(failed)[0], j.BoundAll(failed)[1]
			fails := PodFailed(Named(name))
			j.Given(AtLeast(1, fails))
			j.Decide("TARGET-009", AtLeast(1, PodDeleted(Named(name))), AtLeast(1, After(PodCreated().On(node), fails)))
		}, spec.SimulatedNodes{})
}
