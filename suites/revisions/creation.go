package revisions

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Points in the scenarios of creations.
const (
	before  history.Mark = "the template was used before"
	outside history.Mark = "changes outside the template"
)

// creation are the specs of when there is a new history, and what it is.
func creation() {
	spec.It("makes one history for each new DaemonSet, with a number above 0 and its template",
		spec.Decides("HISTORY-001", "HISTORY-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			first, second := c.Create(ctx, c.NewDaemonSet("first")), c.Create(ctx, c.NewDaemonSet("second", Image("v2")))
			c.Await(ctx, Steady(first))
			c.Await(ctx, Steady(second))
			c.Await(ctx, state.All(histories(2), firstOnes(), hashed()))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-001",
				Exactly(2, RevisionCreated()),
				ComesToHold(keeps("first", "v1")), ComesToHold(keeps("second", "v2")),
				ComesToHold(firstOnes()))
			j.Decide("HISTORY-002", Tested(AtLeast(2, RevisionCreated())), ComesToHold(hashed()))
		})

	spec.It("makes one history of a template whose node affinity lists values in no order, and pods that stay",
		spec.Decides("HISTORY-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			c.Await(ctx, Steady(c.Create(ctx, c.NewDaemonSet("first", MaxUnavailable("1"), inNoOrder()))))
			c.Await(ctx, histories(1))
			// Whoever takes the list in order for another one goes on, for ever.
			c.Await(ctx, state.Any(Quiet(3*time.Second), Past(time.Now().Add(spec.AtOnce))))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-001", Exactly(1, RevisionCreated()), ComesToHold(keeps("first", "v1")), ComesToHold(firstOnes()), Never(PodDeleted()))
		})

	spec.It("makes histories, and pods, for a DaemonSet whose name is as long as names may be",
		spec.Decides("HISTORY-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			long := c.NewDaemonSet("long", MaxUnavailable("1"))
			long.Name = strings.Repeat("n", validation.DNS1123SubdomainMaxLength)
			long = c.Create(ctx, long)
			if c.Await(ctx, RolledOut(long)) {
				c.RollOut(ctx, long, Image("v2"))
			}
			c.Await(ctx, histories(2))
		},
		func(j *spec.Checks) { j.Decide("HISTORY-001", EndsRolledOut(), AtLeast(2, RevisionCreated())) }, spec.OneCause{})

	spec.It("makes a history for a template that was not used before, with a larger number, and for no other",
		spec.Decides("HISTORY-002", "HISTORY-003", "HISTORY-004", "HISTORY-009"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			// This raises metadata.generation, not the template generation.
			c.Await(ctx, Processed(c.Update(ctx, daemonSet, keeping(9))))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Mark(before)
			c.RollOut(ctx, daemonSet, Image("v1"))
			c.RollOut(ctx, daemonSet, Image("v3"))
			c.Await(ctx, hashed())
			c.Mark(outside)
			for _, edit := range []Edit{MinReadySeconds(1), MaxUnavailable("1"), Note()} {
				c.Await(ctx, Processed(c.Update(ctx, daemonSet, edit)))
			}
			c.Await(ctx, Quiet(2*time.Second))
			// Without them it waits until they are overdue.
			c.Await(ctx, histories(3))
		},
		func(j *spec.Checks) {
			j.Decide("HISTORY-002", Tested(AtLeast(3, RevisionCreated())), ComesToHold(hashed()))
			j.Decide("HISTORY-003",
				// Which numbers they may have is the standing rule's.
				Exactly(1, ofVersion(RevisionCreated(), "v2")), Exactly(1, ofVersion(RevisionCreated(), "v3")))
			j.Decide("HISTORY-004",
				Tested(AtLeast(3, After(Done(history.UpdateDaemonSet), Marked(outside)))),
				Exactly(1, ofVersion(RevisionCreated(), "v1")), Never(After(RevisionCreated(), Marked(outside))))
			j.Decide("HISTORY-009", Tested(AtLeast(6, PodCreated())), Never(PodUnidentified()), Never(PodMisnumbered()))
		}, spec.MainPath{})
}

// firstOnes holds when each history has a number above 0 and the template of its DaemonSet.
func firstOnes() state.Condition {
	return eachHistory("has a number above 0 and the template in force", func(revision *appsv1.ControllerRevision, owner *appsv1.DaemonSet, _ string) error {
		template, err := history.TemplateIn(revision)
		switch {
		case err != nil:
			return err
		case !history.SameTemplate(template, &owner.Spec.Template):
			return fmt.Errorf("%s does not hold the template of DaemonSet %s", revision.Name, owner.Name)
		case revision.Revision < 1:
			return fmt.Errorf("%s has number %d", revision.Name, revision.Revision)
		}
		return nil
	})
}

// eachHistory holds when the check finds nothing wrong with any history that a DaemonSet controls. It is given the revision label, too.
func eachHistory(text string, check func(revision *appsv1.ControllerRevision, owner *appsv1.DaemonSet, label string) error) state.Condition {
	return state.Right("each history "+text, func(cluster *history.Cluster) error {
		for _, daemonSet := range cluster.DaemonSets {
			for _, revision := range controlledBy(cluster, daemonSet) {
				if err := check(revision, daemonSet, cluster.RevisionLabel()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// hashed holds when each history has a hash of its own as its label, and in its name.
func hashed() state.Condition {
	return state.Right("each history has a hash of its own in its label and its name", func(cluster *history.Cluster) error {
		for _, daemonSet := range cluster.DaemonSets {
			of := map[string]string{}
			for _, revision := range controlledBy(cluster, daemonSet) {
				hash := revision.Labels[cluster.RevisionLabel()]
				switch {
				case hash == "" || !strings.Contains(revision.Name, hash):
					return fmt.Errorf("%s has label %q, which is not in its name", revision.Name, hash)
				case of[hash] != "":
					return fmt.Errorf("%s and %s have the same label %q", of[hash], revision.Name, hash)
				}
				of[hash] = revision.Name
			}
		}
		return nil
	})
}

// inNoOrder requires of nodes what all of them have, by a list of values that is in no order.
func inNoOrder() Edit {
	return Edit{Says: "nodes without a label of several values", Apply: func(d *appsv1.DaemonSet) {
		d.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "rollcall.dev/none", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"c", "a", "b"}}},
			}}},
		}}
	}}
}
