package revisions

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What the scenarios of labels choose.
const (
	unknown  = "the pod whose revision label no history has"
	bare     = "the pod without revision label"
	leftOver = "the pods that are outdated by their labels"
	upToDate = "the pod that is updated by its revision label"

	relabelled = "the updated pod that gets other labels"
	moved      = "the updated pod that gets the label of the other history"
)

// rolledOut is where the outdated pods have been replaced, whatever they are outdated by.
const rolledOut history.Mark = "the outdated pods have been replaced"

// unusedLabel is a value that no history has as its label, and no template as its generation.
const unusedLabel = "99"

// labels are the specs of the labels by which pods count as updated.
func labels() {
	spec.It("counts pods as updated by their template generation, and gives the one without revision label that of the current history",
		spec.Decides("HISTORY-022", "HISTORY-023", "STATUS-008"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 3)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.RollOut(ctx, daemonSet, Image("v2"))
			pods := c.LivePods(ctx, daemonSet)
			c.Bind(unknown, pods[0].Name)
			c.Bind(bare, pods[1].Name)
			c.LabelPod(ctx, pods[0], map[string]string{c.RevisionLabel(): unusedLabel})
			c.LabelPod(ctx, pods[1], map[string]string{c.RevisionLabel(): ""})
			c.Await(ctx, hasLabel(pods[1].Name))
			c.Await(ctx, Quiet(3*time.Second))
			// So the status says, which has had time to say something else.
			c.AwaitAfter(ctx, 2*spec.Prompt, allReportedUpdated())
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-022",
				Tested(AtLeast(2, PodLabelled(j.RevisionLabel()))),
				Never(PodDeleted(OfVersion("v2"))), AtMost(3, PodCreated(OfVersion("v2"))))
			j.Decide("HISTORY-023", Tested(AtLeast(1, PodLabelled(j.RevisionLabel(), Named(j.Bound(bare))))), ComesToHold(hasLabel(j.Bound(bare))))
		}, spec.AppsV1{})

	spec.It("counts pods of another template generation as updated by the revision label of the current history alone",
		spec.Decides("HISTORY-024"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 4)
			left := c.Deploy(ctx, OnDelete())
			updated := c.Update(ctx, left, Image("v2"))
			c.Require(ctx, "the controller has seen the template", Processed(updated))
			for i, node := range nodes[:2] {
				c.DeletePod(ctx, c.LivePodOn(ctx, left, node), 0)
				c.Require(ctx, "the deleted pod is replaced by an updated one", UpdatedOn(i+1, updated, history.IsReady))
			}
			c.Require(ctx, "it has come to rest", Quiet(time.Second))
			pods := c.LivePods(ctx, updated)
			former := pods[2].Labels[c.RevisionLabel()]
			// While nobody controls the pods, nobody else changes their labels. The second is what the template makes, and nothing says so.
			orphaned(ctx, c, updated)
			for i, labels := range []map[string]string{
				{history.TemplateGenerationLabel: unusedLabel},
				{history.TemplateGenerationLabel: "", c.RevisionLabel(): ""},
				{history.TemplateGenerationLabel: unusedLabel},
				{history.TemplateGenerationLabel: unusedLabel, c.RevisionLabel(): unusedLabel},
			} {
				c.LabelPod(ctx, pods[i], labels)
			}
			c.Bind(upToDate, pods[0].Name)
			c.Bind(leftOver, pods[1].Name, pods[2].Name, pods[3].Name)
			c.Require(ctx, "everybody has heard of it", Quiet(time.Second))
			again := c.Create(ctx, c.NewDaemonSet(left.Name, OnDelete(), Image("v2")))
			c.Await(ctx, allControlled())
			c.Await(ctx, Processed(again))
			c.Await(ctx, Quiet(time.Second))
			rolling := c.Update(ctx, again, MaxUnavailable("2"))
			// Whoever takes one for updated says that it is rolled out at once.
			c.Await(ctx, podsGone(pods[1:]...))
			c.Await(ctx, RolledOut(rolling))
			c.Mark(rolledOut)
			// A controlled, updated pod becomes outdated by its labels, too.
			changed := c.LivePodOn(ctx, rolling, nodes[3])
			c.Bind(relabelled, changed.Name)
			c.LabelPod(ctx, changed, map[string]string{history.TemplateGenerationLabel: unusedLabel, c.RevisionLabel(): unusedLabel})
			c.Await(ctx, podsGone(changed))
			c.Await(ctx, RolledOut(rolling))
			// So it does by its revision label alone, when nothing else has happened for a while.
			changed = c.LivePodOn(ctx, rolling, nodes[2])
			c.Bind(moved, changed.Name)
			c.LabelPod(ctx, changed, map[string]string{history.TemplateGenerationLabel: unusedLabel})
			c.Await(ctx, Quiet(time.Second))
			c.LabelPod(ctx, changed, map[string]string{c.RevisionLabel(): former})
			c.Await(ctx, podsGone(changed))
			c.Await(ctx, RolledOut(rolling))
			c.Await(ctx, Quiet(time.Second))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(7, Done(history.LabelPod)), AtLeast(2, Done(history.CreateDaemonSet)))
			j.Decide("HISTORY-024", AtLeast(1, PodDeleted(Named(j.Bound(relabelled)))), AtLeast(1, PodDeleted(Named(j.Bound(moved)))))
			j.Decide("HISTORY-024", Never(PodDeleted(Named(j.Bound(upToDate)))), EndsRolledOut())
			for _, name := range j.BoundAll(leftOver) {
				j.Decide("HISTORY-024", Before(PodDeleted(Named(name)), Marked(rolledOut)))
			}
		})
}

// allReportedUpdated holds when the statuses count every node as one with an updated pod.
func allReportedUpdated() Condition {
	return state.When("the status counts every node as updated", func(cluster *history.Cluster) bool {
		for _, daemonSet := range cluster.DaemonSets {
			if daemonSet.Status.UpdatedNumberScheduled != daemonSet.Status.DesiredNumberScheduled {
				return false
			}
		}
		return true
	})
}

// podsGone holds once none of the pods exists any more.
func podsGone(pods ...*corev1.Pod) Condition {
	var names []string
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	return state.When(strings.Join(names, " and ")+" gone", func(cluster *history.Cluster) bool {
		return !slices.ContainsFunc(pods, func(pod *corev1.Pod) bool { return cluster.Pods[pod.UID] != nil })
	})
}

// hasLabel holds when the pod has the revision label of the newest history of its DaemonSet.
func hasLabel(name string) Condition {
	return state.Right("pod "+name+" has the label of the current history", func(cluster *history.Cluster) error {
		for _, pod := range cluster.Pods {
			if pod.Name != name {
				continue
			}
			owner := cluster.OwnerOf(pod)
			if owner == nil {
				return fmt.Errorf("nobody controls pod %s", name)
			}
			mine := controlledBy(cluster, owner)
			if len(mine) == 0 || pod.Labels[cluster.RevisionLabel()] != mine[0].Labels[cluster.RevisionLabel()] {
				return fmt.Errorf("pod %s has label %q", name, pod.Labels[cluster.RevisionLabel()])
			}
			return nil
		}
		return fmt.Errorf("pod %s is gone", name)
	})
}
