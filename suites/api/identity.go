package api

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
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
			c.RollOut(ctx, daemonSet, Image("v2"))
			// Back to a revision that there is: no other tells whether numbers are raised.
			c.RollOut(ctx, daemonSet, Image("v1"))
			c.Await(ctx, Quiet(time.Second))
			key := c.RevisionLabel()
			c.Decide("API-020",
				HoldsAtEnd("every history object carries its own "+key, func(cluster *history.Cluster) error { return revisionsLabelled(cluster, key) }),
				HoldsAtEnd("every pod carries the "+key+" of a history object", func(cluster *history.Cluster) error { return podsLabelled(cluster, key) }))
			c.Decide("API-021",
				Exactly(2, PodCreated(OfVersion("v1")).Where("labelled with template generation 1", labelledWithGeneration("1"))),
				Exactly(2, PodCreated(OfVersion("v2")).Where("labelled with template generation 2", labelledWithGeneration("2"))),
				Exactly(2, PodCreated(OfVersion("v1")).Where("labelled with template generation 3", labelledWithGeneration("3"))))
		})

	spec.It("keeps the selector as it was created, and matching the template",
		spec.Decides("API-022"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon"))
			_, err := c.TryUpdate(ctx, daemonSet, set("another selector and template label", func(d *appsv1.DaemonSet) {
				d.Spec.Selector.MatchLabels = map[string]string{"app": "other"}
				d.Spec.Template.Labels["app"] = "other"
			}))
			rejected(c, "API-022", "changing the selector", "selector", err)
			_, err = c.TryUpdate(ctx, daemonSet, set("a template label that the selector does not match", func(d *appsv1.DaemonSet) {
				d.Spec.Template.Labels["app"] = "other"
			}))
			rejected(c, "API-022", "updating the template to labels that the selector does not match", "selector", err)
			_, err = c.TryCreate(ctx, c.NewDaemonSet("mismatch", set("a template label that the selector does not match", func(d *appsv1.DaemonSet) {
				d.Spec.Template.Labels = map[string]string{"app": "other"}
			})))
			rejected(c, "API-022", "creating with template labels that the selector does not match", "selector", err)
			_, err = c.TryCreate(ctx, c.NewDaemonSet("empty", set("an empty selector", func(d *appsv1.DaemonSet) {
				d.Spec.Selector = &metav1.LabelSelector{}
			})))
			rejected(c, "API-022", "creating with an empty selector", "selector", err)
		})
}

func revisionsLabelled(cluster *history.Cluster, key string) error {
	names := map[string]string{}
	for _, revision := range cluster.Revisions {
		value := revision.Labels[key]
		if value == "" {
			return fmt.Errorf("ControllerRevision %s has no label %s", revision.Name, key)
		}
		if other, taken := names[value]; taken {
			return fmt.Errorf("ControllerRevisions %s and %s both have %s=%s", other, revision.Name, key, value)
		}
		names[value] = revision.Name
	}
	if len(names) != 2 {
		return fmt.Errorf("%d ControllerRevisions for two templates", len(names))
	}
	return nil
}

func podsLabelled(cluster *history.Cluster, key string) error {
	known := map[string]bool{}
	for _, revision := range cluster.Revisions {
		known[revision.Labels[key]] = true
	}
	for _, pod := range cluster.Pods {
		if value := pod.Labels[key]; value == "" || !known[value] {
			return fmt.Errorf("pod %s has %s=%q, which is no ControllerRevision's", pod.Name, key, value)
		}
	}
	return nil
}

func labelledWithGeneration(generation string) func(Occurrence) bool {
	return func(o Occurrence) bool { return o.Object.GetLabels()["pod-template-generation"] == generation }
}
