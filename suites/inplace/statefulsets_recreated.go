package inplace

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// recreatedSets is the spec of StatefulSets whose pods are not to be patched.
func recreatedSets() {
	const onDelete = "on-delete"
	variable := another("another variable", withVariable)
	const switched, lost = "switched", "lost"
	changes := map[string][]Edit{
		"default": {Image("v2")}, "recreate": {Image("v2")}, onDelete: {Image("v2")}, switched: {Image("v2")}, lost: {Image("v2"), variable}, "environment": {variable}, "image-and": {Image("v2"), variable},
		"init": {InitImage("v2")}, sidecar: {InitImage("v2")},
	}
	spec.It("recreates the pods of a StatefulSet where patches are not asked for or would not do, and none with OnDelete",
		spec.Decides("INPLACE-032"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 1, map[string][]SetEdit{
				"default": nil, "recreate": {OfPods(c.Recreate())}, onDelete: {inPlace, SetOnDelete()}, "environment": {inPlace}, "image-and": {inPlace},
				"init": {inPlace, OfPods(InitContainer())}, sidecar: {inPlace, OfPods(InitContainer(), restartableInit())},
				// No pod is to be updated before the partition goes.
				switched: {inPlace, Partition(1)}, lost: {inPlace, Partition(1)},
			})
			former := historiesOf(ctx, c, lost)
			c.Mark(begun)
			for name, change := range ByName(changes) {
				c.UpdateStatefulSet(ctx, name, OfPods(change...))
			}
			c.Await(ctx, state.StatefulSetsRolledOut("default", "recreate", "environment", "image-and", "init", sidecar))
			// Longer than a controller may be late.
			c.Await(ctx, Quiet(3*time.Second))
			for _, revision := range former {
				c.DeleteRevision(ctx, revision)
			}
			c.Await(ctx, Quiet(time.Second))
			c.Mark(next)
			c.UpdateStatefulSet(ctx, switched, OfPods(c.Recreate()), Partition(0))
			c.UpdateStatefulSet(ctx, lost, Partition(0))
			for _, pod := range c.MembersOf(ctx, onDelete) {
				c.DeletePod(ctx, pod, time.Second)
			}
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			for name := range ByName(changes) {
				j.Decide("INPLACE-032", Never(After(PodAltered(member(name, 0)), Marked(begun))), Exactly(1, After(PodCreated(member(name, 0)), Marked(begun))))
			}
			j.Decide("INPLACE-032", NeverBetween(Marked(begun), Marked(next), PodDeleted(member(onDelete, 0))))
		}, spec.SimulatedNodes{}, recorded())
}

// historiesOf are the histories of the StatefulSet or DaemonSet of that name.
func historiesOf(ctx context.Context, c *spec.Case, name string) (all []*appsv1.ControllerRevision) {
	c.Look(ctx, func(cluster *history.Cluster) {
		for _, revision := range cluster.Revisions {
			if owner := metav1.GetControllerOf(revision); owner != nil && owner.Name == name {
				all = append(all, revision)
			}
		}
	})
	return all
}

// takenBackSets is the spec of StatefulSets whose update is taken back before it came to all pods.
func takenBackSets() {
	variable := another("another variable", withVariable)
	changes := map[string][]Edit{ordered: {variable}, parallel: {Image("v2"), variable}}
	spec.It("recreates the pods of a StatefulSet that an update which is taken back half way recreated",
		spec.Decides("INPLACE-032"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			inPlace := OfPods(c.InPlaceIfPossible())
			c.DeployStatefulSets(ctx, 2, map[string][]SetEdit{ordered: {inPlace, Partition(1)}, parallel: {inPlace, Partition(1), Parallel()}})
			for set, change := range ByName(changes) {
				c.UpdateStatefulSet(ctx, set, OfPods(change...))
			}
			c.Require(ctx, "the pods from the partition on are updated", state.StatefulSetsRolledOut())
			c.Mark(begun)
			// The revision that is in force below the partition is that of the template again, and the other pods are of another.
			updateBoth(ctx, c, OfPods(Image("v1"), another("no other variable", withoutVariable)))
			c.Await(ctx, state.StatefulSetsRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-032", setsEndRolledOut())
			for _, set := range both() {
				j.Decide("INPLACE-032", Never(After(PodAltered(member(set, 1)), Marked(begun))), Exactly(1, After(PodCreated(member(set, 1)), Marked(begun))))
			}
		}, spec.SimulatedNodes{}, recorded())
}

// withVariable gives the container another variable.
func withVariable(template *corev1.PodTemplateSpec) {
	container := &template.Spec.Containers[0]
	container.Env = append(container.Env, corev1.EnvVar{Name: "ANOTHER", Value: "variable"})
}

// withoutVariable takes it away again.
func withoutVariable(template *corev1.PodTemplateSpec) {
	container := &template.Spec.Containers[0]
	container.Env = slices.DeleteFunc(container.Env, func(variable corev1.EnvVar) bool { return variable.Name == "ANOTHER" })
}
