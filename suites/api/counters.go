package api

import (
	"context"
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// counters are the specs of generations and of the line between spec and status.
func counters() {
	changes := []struct {
		edit           Edit
		template, spec bool
	}{
		{Image("v2"), true, true},
		{set("a template annotation", func(d *appsv1.DaemonSet) { metav1.SetMetaDataAnnotation(&d.Spec.Template.ObjectMeta, "note", "x") }), true, true},
		{MinReadySeconds(3), false, true},
		{MaxUnavailable("2"), false, true},
		{set("a label", func(d *appsv1.DaemonSet) { metav1.SetMetaDataLabel(&d.ObjectMeta, "note", "x") }), false, false},
		{set("an annotation", func(d *appsv1.DaemonSet) { metav1.SetMetaDataAnnotation(&d.ObjectMeta, "note", "x") }), false, false},
		{set("nothing", func(*appsv1.DaemonSet) {}), false, false},
		{Image("v1"), true, true},
	}
	spec.It("counts template changes in the template generation, and only those",
		spec.Decides("API-015", "API-017"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon"))
			for _, change := range changes {
				c.Update(ctx, daemonSet, change.edit)
			}
			updateStatus(ctx, c, daemonSet, collisions(1))
		},
		func(j *spec.Checks) {
			before := created("daemon")
			for i, change := range changes {
				after := Nth(i+1, updated("daemon"))
				j.Decide("API-015", templateGenerationGrows(change.template, "a change of "+change.edit.Says, before, after))
				j.Decide("API-017", generationGrows(change.spec, "a change of "+change.edit.Says, before, after))
				before = after
			}
			j.Decide("API-017", generationGrows(false, "a status write", before, statusWritten("daemon")))
		}, spec.AppsV1{})

	forced := []string{"4", "9"}
	spec.It("takes the template generation from the user only at creation",
		spec.Decides("API-016"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := create(ctx, c, "daemon", generation("5"))
			for _, value := range forced {
				update(ctx, c, daemonSet, generation(value))
			}
		},
		func(j *spec.Checks) {
			j.Decide("API-016", Stored("the template generation given at creation", "5", created("daemon"), templateGeneration))
			for i, value := range forced {
				j.Decide("API-016", RefusedOrStored("setting the template generation to "+value, "5", Nth(i+1, updated("daemon")), templateGeneration))
			}
		}, spec.AppsV1{})

	spec.It("keeps spec and status apart",
		spec.Decides("API-018", "API-019"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon"))
			c.Require(ctx, "the controller has written its first status", Processed(daemonSet))
			updateStatus(ctx, c, daemonSet, MinReadySeconds(9), Image("v9"), collisions(2))
			updateStatus(ctx, c, daemonSet, collisions(1))
			updateStatus(ctx, c, daemonSet, collisions(-1))
			update(ctx, c, daemonSet, set("numberReady 99 beside a label", func(d *appsv1.DaemonSet) {
				d.Status.NumberReady = 99
				metav1.SetMetaDataLabel(&d.ObjectMeta, "note", "x")
			}))
		},
		func(j *spec.Checks) {
			written := statusWritten("daemon")
			j.Decide("API-018",
				Accepted("a status write with changes to the spec", First(written)),
				StoredAfter("a status write leaves the spec as it was", created("daemon"), First(written), func(before, after *appsv1.DaemonSet) string {
					if equality.Semantic.DeepEqual(before.Spec, after.Spec) {
						return ""
					}
					return fmt.Sprintf("spec %v", after.Spec)
				}),
				Stored("numberReady after a write of the DaemonSet itself with numberReady 99", "0", updated("daemon"), numberReady))
			j.Decide("API-019",
				Stored("the collisionCount of a new DaemonSet", "0", created("daemon"), collisionCount),
				Stored("the collisionCount after raising it", "2", First(written), collisionCount),
				RefusedOrStored("lowering collisionCount from 2 to 1", "2", Nth(2, written), collisionCount),
				RefusedOrStored("lowering collisionCount from 2 to -1", "2", Nth(3, written), collisionCount))
		}, spec.AppsV1{})
}

func collisions(count int32) Edit {
	return set(fmt.Sprintf("collisionCount %d", count), func(d *appsv1.DaemonSet) { d.Status.CollisionCount = &count })
}

func generation(value string) Edit {
	return set("template generation "+value, func(d *appsv1.DaemonSet) {
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, appsv1.DeprecatedTemplateGeneration, value)
	})
}

// templateGenerationGrows asks that the write raised the template generation by one, or left it.
func templateGenerationGrows(grows bool, write string, before, after Event) Matcher {
	by := 0
	if grows {
		by = 1
	}
	return StoredAfter(fmt.Sprintf("%s raises the template generation by %d", write, by), before, after, func(before, after *appsv1.DaemonSet) string {
		was, err := strconv.Atoi(templateGeneration(before))
		if err == nil && templateGeneration(after) == strconv.Itoa(was+by) {
			return ""
		}
		return fmt.Sprintf("%q after %q", templateGeneration(after), templateGeneration(before))
	})
}

// generationGrows asks that the write raised the generation, or left it.
func generationGrows(grows bool, write string, before, after Event) Matcher {
	promise := write + " leaves the generation as it was"
	if grows {
		promise = write + " raises the generation"
	}
	return StoredAfter(promise, before, after, func(before, after *appsv1.DaemonSet) string {
		if after.Generation == before.Generation && !grows || after.Generation > before.Generation && grows {
			return ""
		}
		return fmt.Sprintf("%d after %d", after.Generation, before.Generation)
	})
}
