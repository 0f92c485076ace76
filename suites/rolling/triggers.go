package rolling

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// triggers are the specs of what starts a rollout, what does not, and whom it does not concern.
func triggers() {
	spec.It("restarts no pod for a change outside the template",
		spec.Decides("ROLLING-015"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			limit := int32(3)
			for _, edit := range []Edit{
				MaxUnavailable("50%"), MinReadySeconds(1), OnDelete(), MaxSurge("1"), Note(),
				{Says: "revisionHistoryLimit 3", Apply: func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = &limit }},
			} {
				c.Require(ctx, "the controller has seen "+edit.Says, Processed(c.Update(ctx, daemonSet, edit)))
			}
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("ROLLING-015", Never(PodDeleted()), OnEveryNode(UpTo(1, PodCreated())))
		})

	spec.It("restarts no updated pod that is not Ready for a change outside the template",
		spec.Decides("ROLLING-015"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			updated := rollouts.Stall(ctx, c, c.Deploy(ctx, MaxUnavailable("1")), "v2", 1)
			for _, edit := range []Edit{MinReadySeconds(1), MaxUnavailable("50%"), Note()} {
				c.Require(ctx, "the controller has seen "+edit.Says, Processed(c.Update(ctx, updated, edit)))
			}
			c.Await(ctx, Quiet(2*time.Second))
			rollouts.Finish(ctx, c, updated)
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodCreated(OfVersion("v2"))))
			j.Decide("ROLLING-015", Never(PodDeleted(OfVersion("v2"))), Tested(EndsRolledOut()))
		})

	spec.It("restarts no pod that somebody has given another image by hand",
		spec.Decides("ROLLING-015"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"))
			c.PatchImage(ctx, c.LivePods(ctx, daemonSet)[0], "v3")
			c.Await(ctx, Quiet(3*time.Second))
			// For who looks at pods when the DaemonSet changes.
			c.Require(ctx, "the controller has seen the change", Processed(c.Update(ctx, daemonSet, MinReadySeconds(1))))
			c.Await(ctx, Quiet(2*time.Second))
		},
		func(j *spec.Checks) {
			j.Decide("ROLLING-015", Never(PodDeleted()), OnEveryNode(UpTo(1, PodCreated())))
		}, spec.SimulatedNodes{})

	spec.It("rolls out a change of the template's labels or annotations",
		spec.Decides("ROLLING-016"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			rollOutEach(ctx, c, daemonSet, metadata())
		},
		func(j *spec.Checks) {
			changes := len(metadata())
			j.Decide("ROLLING-016", EndsRolledOut(), OnEveryNode(AtLeast(changes, PodDeleted())), OnEveryNode(AtLeast(changes+1, PodCreated())))
		})

	spec.It("rolls out a change of what templates seldom differ in",
		spec.Decides("ROLLING-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"), InitContainer())
			rollOutEach(ctx, c, daemonSet, seldom())
		},
		func(j *spec.Checks) {
			changes := len(seldom())
			j.Decide("ROLLING-001", EndsRolledOut(), OnEveryNode(AtLeast(changes, PodDeleted())), OnEveryNode(AtLeast(changes+1, PodCreated())))
		})

	spec.It("rolls out a DaemonSet whose selector has expressions alone",
		spec.Decides("ROLLING-001"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon", MaxUnavailable("1"), Edit{Says: "a selector of expressions", Apply: func(d *appsv1.DaemonSet) {
				d.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{d.Name, "another"}},
				}}
			}}))
			if c.Await(ctx, RolledOut(daemonSet)) {
				c.RollOut(ctx, daemonSet, Image("v2"))
			}
		},
		func(j *spec.Checks) {
			j.Decide("ROLLING-001", EndsRolledOut(), OnEveryNode(AtLeast(1, PodCreated(OfVersion("v2")))))
		})

	spec.It("leaves the pods of other DaemonSets, of other namespaces and of nobody alone",
		spec.Decides("ROLLING-019", "TARGET-003"),
		func(ctx context.Context, c *spec.Case) {
			nodes := c.AddNodes(ctx, 2)
			static := c.MakeStaticPod(ctx, nodes[0], map[string]string{"app": "daemon"})
			// One that nobody controls may be adopted if it has the labels, and is the DaemonSet's from then on.
			free := c.MakePod(ctx, "free", nodes[0], map[string]string{"app": "free"})
			c.MakePod(ctx, "adoptive", nodes[1], map[string]string{"app": "daemon"})
			c.MakePod(ctx, "excluded", nodes[0], map[string]string{"app": "daemon", "part": "nobody"})
			alike := Edit{Says: "the labels of the other", Apply: func(d *appsv1.DaemonSet) {
				d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"of": d.Name}}
				d.Spec.Template.Labels = map[string]string{"of": d.Name, "app": "daemon"}
			}}
			other := c.Create(ctx, c.NewDaemonSet("other", alike))
			elsewhere := c.NewDaemonSet("daemon")
			elsewhere.Namespace = c.Bystanders()
			elsewhere = c.Create(ctx, elsewhere)
			c.Require(ctx, "the bystanders are available", Steady(other))
			c.Require(ctx, "the bystanders in the other namespace are available", Steady(elsewhere))
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"), Edit{Says: "a selector that excludes pods of a part", Apply: func(d *appsv1.DaemonSet) {
				d.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "part", Operator: metav1.LabelSelectorOpDoesNotExist}}
			}})
			c.Bind("rolled out", string(daemonSet.UID))
			c.Bind("static pod", static.Name)
			c.Bind("free pod", free.Name)
			c.Await(ctx, Quiet(spec.Prompt))
			c.RollOut(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(looked)
		},
		func(j *spec.Checks) {
			rolledOut, static := j.Bound("rolled out"), j.Bound("static pod")
			mine := func(m Moment) bool { return m.Owner() != nil && string(m.Owner().UID) == rolledOut }
			others := func(m Moment) bool { return !mine(m) }
			j.Given(AtLeast(1, PodDeleted(OfVersion("v1")).Where("of the DaemonSet rolled out", mine)))
			j.Decide("ROLLING-019",
				Never(PodDeleted(Named(static))), Never(PodDeleted(Named(j.Bound("free pod")))),
				Never(PodDeleted().Where("of another DaemonSet or of none", others)),
				Never(PodAltered().Where("of another DaemonSet or of none", others)),
				NeverBetween(TemplateChanged(), Marked(looked), rollouts.PodChanged().Where("of another DaemonSet or of none", others)))
		}, spec.Bystanders{})
}

// looked is where the rollout is over.
const looked history.Mark = "the rollout is over"

// rollOutEach makes the edits one after the other, up to one that is not rolled out: with the next, which has it too, it might seem to be.
func rollOutEach(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet, edits []Edit) {
	for _, edit := range edits {
		if !c.RollOut(ctx, daemonSet, edit) {
			return
		}
	}
}

// metadata are changes of the template's labels and annotations. One that is there without a value is not one that is not there.
func metadata() []Edit {
	label := func(value string) Edit {
		return Edit{Says: fmt.Sprintf("template label note=%q", value), Apply: func(d *appsv1.DaemonSet) {
			metav1.SetMetaDataLabel(&d.Spec.Template.ObjectMeta, "note", value)
		}}
	}
	annotation := func(value string) Edit {
		return Edit{Says: fmt.Sprintf("template annotation note=%q", value), Apply: func(d *appsv1.DaemonSet) {
			metav1.SetMetaDataAnnotation(&d.Spec.Template.ObjectMeta, "note", value)
		}}
	}
	return []Edit{
		label(""), label("x"), annotation("x"),
		{Says: "no template annotation", Apply: func(d *appsv1.DaemonSet) { delete(d.Spec.Template.Annotations, "note") }},
		annotation(""),
	}
}

// seldom are changes of template fields that a controller may overlook when it compares templates.
func seldom() []Edit {
	return []Edit{
		InitImage("v2"),
		{Says: "a toleration", Apply: func(d *appsv1.DaemonSet) {
			d.Spec.Template.Spec.Tolerations = append(d.Spec.Template.Spec.Tolerations, corev1.Toleration{Key: "rollcall.dev/seldom", Operator: corev1.TolerationOpExists})
		}},
		{Says: "a longer grace period", Apply: func(d *appsv1.DaemonSet) {
			grace := ptr.Deref(d.Spec.Template.Spec.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds) + 1
			d.Spec.Template.Spec.TerminationGracePeriodSeconds = &grace
		}},
	}
}
