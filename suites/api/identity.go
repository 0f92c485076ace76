package api

import (
	"context"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// identity are the specs of the labels by which pods and history objects are told apart.
func identity() {
	spec.It("labels pods and history with their revision, and pods with their template generation, also when rolled back",
		spec.Decides("API-020", "API-021", "HISTORY-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx)
			// The first updated pod never becomes ready, so the rollback comes in the middle of the rollout.
			c.Await(ctx, UpdatedOn(1, c.Update(ctx, daemonSet, Image("v2"), NeverReady())))
			// Each template stands for so long that everybody knows it: only then are the labels of the one before it wrong.
			c.Await(ctx, Quiet(judge.Lag))
			c.Await(ctx, Steady(c.Update(ctx, daemonSet, Image("v1"), Healthy())))
			c.Await(ctx, Steady(c.Update(ctx, daemonSet, Image("v3"))))
			// Back to a revision that is older than two others: no other shows whether numbers are raised.
			c.Await(ctx, Steady(c.Update(ctx, daemonSet, Image("v1"))))
		},
		func(j *spec.Checks) {
			rolledBack := Nth(4, TemplateChanged())
			for _, made := range []Event{
				PodCreated(OfVersion("v2")), PodCreated(OfVersion("v3")), After(PodCreated(OfVersion("v1")), rolledBack),
			} {
				j.Given(AtLeast(1, made))
			}
			j.Decide("API-020", Never(PodUnidentified()), Never(RevisionUnidentified()))
			j.Decide("API-021", Never(PodMisnumbered()))
		}, spec.AppsV1{"API-021"})

	spec.It("labels pods and history as theirs where the template, copied from a pod, has such labels of its own",
		spec.Decides("API-020", "API-021"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), set("the labels of a pod of another DaemonSet", func(d *appsv1.DaemonSet) {
				// The map may be shared with the selector.
				template := &d.Spec.Template
				template.Labels = maps.Clone(template.Labels)
				template.Labels[c.RevisionLabel()], template.Labels[history.TemplateGenerationLabel] = "5d8f7b9c6", "7"
			}))
			for _, edits := range [][]Edit{{Image("v2")}, {Image("v1")}} {
				daemonSet = c.Update(ctx, daemonSet, edits...)
				if !c.Await(ctx, Steady(daemonSet)) {
					return
				}
			}
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, PodCreated()))
			j.Decide("API-020", Never(PodUnidentified()), Never(RevisionUnidentified()))
			j.Decide("API-021", Never(PodMisnumbered()))
		}, spec.AppsV1{})

	spec.It("keeps the selector as it was created, and matching the template",
		spec.Decides("API-022"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon"))
			update(ctx, c, daemonSet, set("another selector and template label", func(d *appsv1.DaemonSet) {
				d.Spec.Selector.MatchLabels = map[string]string{"app": "other"}
				d.Spec.Template.Labels["app"] = "other"
			}))
			update(ctx, c, daemonSet, set("a template label that the selector does not match", func(d *appsv1.DaemonSet) {
				d.Spec.Template.Labels["app"] = "other"
			}))
			create(ctx, c, "mismatch", set("a template label that the selector does not match", func(d *appsv1.DaemonSet) {
				d.Spec.Template.Labels = map[string]string{"app": "other"}
			}))
			create(ctx, c, "empty", set("an empty selector", func(d *appsv1.DaemonSet) {
				d.Spec.Selector = &metav1.LabelSelector{}
			}))
		},
		func(j *spec.Checks) {
			j.Decide("API-022",
				Rejected("changing the selector", "selector", First(updated("daemon"))),
				Rejected("updating the template to labels that the selector does not match", "selector", Nth(2, updated("daemon"))),
				Rejected("creating with template labels that the selector does not match", "selector", created("mismatch")),
				Rejected("creating with an empty selector", "selector", created("empty")))
		}, spec.AppsV1{})
}
