package api

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// counters are the specs of generations and of the line between spec and status.
func counters() {
	spec.It("counts template changes in the template generation, and only those",
		spec.Decides("API-015", "API-017"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon"))
			equal(c, "API-015", "the first template generation", "1", templateGeneration(daemonSet))
			for _, step := range []struct {
				edit           Edit
				template, spec int
			}{
				{Image("v2"), 1, 1},
				{set("a template annotation", func(d *appsv1.DaemonSet) { metav1.SetMetaDataAnnotation(&d.Spec.Template.ObjectMeta, "note", "x") }), 1, 1},
				{MinReadySeconds(3), 0, 1},
				{MaxUnavailable("2"), 0, 1},
				{set("a label", func(d *appsv1.DaemonSet) { metav1.SetMetaDataLabel(&d.ObjectMeta, "note", "x") }), 0, 0},
				{set("an annotation", func(d *appsv1.DaemonSet) { metav1.SetMetaDataAnnotation(&d.ObjectMeta, "note", "x") }), 0, 0},
				{set("nothing", func(*appsv1.DaemonSet) {}), 0, 0},
				{Image("v1"), 1, 1},
			} {
				updated := c.Update(ctx, daemonSet, step.edit)
				before := templateGeneration(daemonSet)
				equal(c, "API-015", "the template generation, after "+before+" and a change of "+step.edit.Says, plus(before, step.template), templateGeneration(updated))
				equal(c, "API-017", fmt.Sprintf("the generation, after %d and a change of %s", daemonSet.Generation, step.edit.Says),
					daemonSet.Generation+int64(step.spec), updated.Generation)
				daemonSet = updated
			}
			status, err := c.TryUpdateStatus(ctx, daemonSet, set("collisionCount 1", func(d *appsv1.DaemonSet) { d.Status.CollisionCount = ptr.To[int32](1) }))
			if accepted(c, "API-017", "a status write", err) {
				equal(c, "API-017", "the generation after a status write", daemonSet.Generation, status.Generation)
			}
		})

	spec.It("takes the template generation from the user only at creation",
		spec.Decides("API-016"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet, err := c.TryCreate(ctx, c.NewDaemonSet("daemon", generation("5")))
			if !accepted(c, "API-016", "creating with template generation 5", err) {
				return
			}
			equal(c, "API-016", "the template generation given at creation", "5", templateGeneration(daemonSet))
			for _, forced := range []string{"4", "9"} {
				updated, err := c.TryUpdate(ctx, daemonSet, generation(forced))
				if err != nil {
					refused(c, "API-016", "setting the template generation to "+forced+", unless it has no effect,", err)
					continue
				}
				equal(c, "API-016", "the template generation after setting it to "+forced, "5", templateGeneration(updated))
			}
		})

	spec.It("keeps spec and status apart",
		spec.Decides("API-018", "API-019"),
		func(ctx context.Context, c *spec.Case) {
			daemonSet := c.Create(ctx, c.NewDaemonSet("daemon"))
			c.Require(ctx, "the controller has written its first status", Processed(daemonSet))

			written, err := c.TryUpdateStatus(ctx, daemonSet, MinReadySeconds(9), Image("v9"), collisions(2))
			if accepted(c, "API-018", "a status write with changes to the spec", err) {
				equal(c, "API-018", "minReadySeconds after a status write", int32(0), written.Spec.MinReadySeconds)
				equal(c, "API-018", "the image after a status write", daemonSet.Spec.Template.Spec.Containers[0].Image, written.Spec.Template.Spec.Containers[0].Image)
				equal(c, "API-019", "the collisionCount after raising it", int32(2), ptr.Deref(written.Status.CollisionCount, 0))
			}
			for _, lower := range []int32{1, -1} {
				_, err = c.TryUpdateStatus(ctx, daemonSet, collisions(lower))
				rejected(c, "API-019", fmt.Sprintf("lowering collisionCount from 2 to %d", lower), "collisionCount", err)
			}
			written, err = c.TryUpdate(ctx, daemonSet, set("numberReady 99 beside a label", func(d *appsv1.DaemonSet) {
				d.Status.NumberReady = 99
				metav1.SetMetaDataLabel(&d.ObjectMeta, "note", "x")
			}))
			if accepted(c, "API-018", "a write with changes to the status", err) {
				equal(c, "API-018", "numberReady after a write of the DaemonSet itself", int32(0), written.Status.NumberReady)
			}
			equal(c, "API-019", "the collisionCount of a new DaemonSet", int32(0), ptr.Deref(daemonSet.Status.CollisionCount, 0))
		})
}

func collisions(count int32) Edit {
	return set(fmt.Sprintf("collisionCount %d", count), func(d *appsv1.DaemonSet) { d.Status.CollisionCount = &count })
}

func generation(value string) Edit {
	return set("template generation "+value, func(d *appsv1.DaemonSet) {
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, appsv1.DeprecatedTemplateGeneration, value)
	})
}

func templateGeneration(d *appsv1.DaemonSet) string {
	return d.Annotations[appsv1.DeprecatedTemplateGeneration]
}

func plus(generation string, more int) string {
	var before int
	if _, err := fmt.Sscan(generation, &before); err != nil {
		return "a number"
	}
	return fmt.Sprint(before + more)
}
