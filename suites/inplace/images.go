package inplace

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// images are the specs of updates that change nothing but images.
func images() {
	spec.It("patches pods when images of one container or of several change, and when they change back",
		spec.Decides("INPLACE-003", "INPLACE-009", "INPLACE-014", "INPLACE-015", "INPLACE-016", "INPLACE-028"),
		func(ctx context.Context, c *spec.Case) {
			first := begin(ctx, c, 2, Sidecar(), InitContainer(), MaxUnavailable("2"))
			c.RollOut(ctx, first, Image("v2"))
			c.RollOut(ctx, first, Image("v3"), SidecarImage("v3"))
			c.Mark(next)
			last := c.Update(ctx, first, Edit{Says: "the template of before", Apply: func(d *appsv1.DaemonSet) { d.Spec.Template = *first.Spec.Template.DeepCopy() }})
			c.Await(ctx, RolledOut(last))
			c.Update(ctx, last, Edit{Says: "revisionHistoryLimit 0", Apply: func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = ptr.To[int32](0) }})
			c.Await(ctx, state.When("one history is left", func(cluster *history.Cluster) bool { return len(cluster.Revisions) == 1 }))
		},
		func(j *spec.Checks) {
			j.Decide("INPLACE-003", append(stayed(begun), EndsRolledOut(), OnEveryNode(AtLeast(1, PodPatched(OfVersion("v2")))))...)
			j.Decide("INPLACE-009", OnEveryNode(AtLeast(1, PodPatched(OfVersion("v3")))), Never(PodDeleted(OfVersion("v3"))))
			j.Decide("INPLACE-014",
				Exactly(3, RevisionCreated()), AtLeast(1, After(RevisionRenumbered(), Marked(next))), AtLeast(2, RevisionDeleted()), Never(PodUnidentified()))
			j.Decide("INPLACE-015", append(stayed(next), OnEveryNode(AtLeast(1, After(PodPatched(OfVersion("v1")), Marked(next)))))...)
			// The second container got another image twice.
			j.Decide("INPLACE-016", OnEveryNode(Exactly(3, restartedIn("daemon"))), OnEveryNode(Exactly(2, restartedIn("sidecar"))))
		}, spec.MainPath{})

	spec.It("patches pods when the edit that changes their images changes minReadySeconds and maxUnavailable, too",
		spec.Decides("INPLACE-003"),
		func(ctx context.Context, c *spec.Case) {
			c.RollOut(ctx, begin(ctx, c, 2), Image("v2"), MinReadySeconds(1), MaxUnavailable("2"))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide("INPLACE-003", append(stayed(begun), EndsRolledOut(), OnEveryNode(Exactly(1, PodPatched(OfVersion("v2")))))...)
		})
}

// What else can change, and the requirement that it recreates pods.
const (
	other          = "INPLACE-004"
	initImage      = "INPLACE-005"
	addedOrRemoved = "INPLACE-006"
	renamed        = "INPLACE-007"
	imageAnd       = "INPLACE-008"
)

// sidecar is the workload whose init container is a sidecar.
const sidecar = "sidecar"

// restartableInit makes the init container a sidecar: it is always restarted.
func restartableInit() Edit {
	return another("a restartable init container", func(t *corev1.PodTemplateSpec) {
		t.Spec.InitContainers[0].RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
	})
}

// recreated is the spec of updates that change something else.
func recreated() {
	// Pods that have been updated in place once are recreated, too.
	again := Image("v0")
	changes := map[string]struct {
		id   requirements.ID
		edit []Edit
	}{
		"environment": {other, []Edit{another("another variable", withVariable)}},
		"resources": {other, []Edit{another("resources", func(t *corev1.PodTemplateSpec) {
			t.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1m")}
		})}},
		"label":      {other, []Edit{another("a label", func(t *corev1.PodTemplateSpec) { metav1.SetMetaDataLabel(&t.ObjectMeta, "another", "label") })}},
		"annotation": {other, []Edit{another("an annotation", func(t *corev1.PodTemplateSpec) { metav1.SetMetaDataAnnotation(&t.ObjectMeta, "another", "annotation") })}},
		"volume": {other, []Edit{another("a volume", func(t *corev1.PodTemplateSpec) {
			t.Spec.Volumes = append(t.Spec.Volumes, corev1.Volume{Name: "another", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
		})}},
		"init":  {initImage, []Edit{InitImage("v2")}},
		sidecar: {initImage, []Edit{InitImage("v2")}},
		"added": {addedOrRemoved, []Edit{another("a third container", func(t *corev1.PodTemplateSpec) {
			t.Spec.Containers = append(t.Spec.Containers, corev1.Container{Name: "third", Image: t.Spec.Containers[0].Image})
		})}},
		"removed": {addedOrRemoved, []Edit{another("without the second container", func(t *corev1.PodTemplateSpec) { t.Spec.Containers = t.Spec.Containers[:1] })}},
		"renamed": {renamed, []Edit{another("another name", func(t *corev1.PodTemplateSpec) { t.Spec.Containers[1].Name = "renamed" })}},
		"reordered": {renamed, []Edit{another("the other way round", func(t *corev1.PodTemplateSpec) {
			t.Spec.Containers[0], t.Spec.Containers[1] = t.Spec.Containers[1], t.Spec.Containers[0]
		})}},
		"image-and": {imageAnd, []Edit{Image("v2"), another("another variable", withVariable)}},
		// The API server would take this of a pod that runs.
		"toleration": {imageAnd, []Edit{Image("v2"), another("another toleration", func(t *corev1.PodTemplateSpec) {
			t.Spec.Tolerations = append(t.Spec.Tolerations, corev1.Toleration{Key: "another", Operator: corev1.TolerationOpExists})
		})}},
	}
	spec.It("recreates pods when anything else than images of containers changes",
		spec.Decides(other, initImage, addedOrRemoved, renamed, imageAnd),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			deployed := map[string]*appsv1.DaemonSet{}
			for name := range ByName(changes) {
				with := []Edit{c.InPlaceIfPossible(), MaxUnavailable("1"), Sidecar(), InitContainer()}
				if name == sidecar {
					with = append(with, restartableInit())
				}
				deployed[name] = c.Create(ctx, c.NewDaemonSet(name, with...))
			}
			c.Require(ctx, "the first pods are available", allRolledOut())
			for name, daemonSet := range ByName(deployed) {
				deployed[name] = c.Update(ctx, daemonSet, again)
			}
			c.Require(ctx, "the pods are updated", allRolledOut())
			c.Mark(begun)
			for name, daemonSet := range ByName(deployed) {
				c.Update(ctx, daemonSet, changes[name].edit...)
			}
			c.Await(ctx, allRolledOut())
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			for name, change := range ByName(changes) {
				of := OfDaemonSet(name)
				j.Decide(change.id, Never(After(PodAltered(of), Marked(begun))), Exactly(1, After(PodCreated(of), Marked(begun))))
			}
		}, spec.SimulatedNodes{})
}

// unknown is the spec of pods of which no history says any more what template they were made of.
func unknown() {
	spec.It("recreates a pod whose history somebody has deleted when more than an image has changed since",
		spec.Decides(imageAnd),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			// Nothing becomes of a template before its predecessor's history is gone.
			first := c.Deploy(ctx, c.InPlaceIfPossible(), OnDelete())
			former := historiesOf(ctx, c, first.Name)
			changed := c.Update(ctx, first, Image("v2"), another("another variable", withVariable))
			c.Require(ctx, "the new template has a history", histories(len(former)+1))
			for _, revision := range former {
				c.DeleteRevision(ctx, revision)
			}
			c.Require(ctx, "the history of the pod is gone", histories(1))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(begun)
			c.RollOut(ctx, changed, MaxUnavailable("1"))
		},
		func(j *spec.Checks) {
			j.Given(AtLeast(1, Marked(begun)))
			j.Decide(imageAnd, Never(After(PodAltered(), Marked(begun))), Exactly(1, After(PodCreated(), Marked(begun))))
		}, spec.SimulatedNodes{})
}

// histories holds when there are so many.
func histories(count int) state.Condition {
	return state.When(fmt.Sprintf("there are %d histories", count), func(cluster *history.Cluster) bool { return len(cluster.Revisions) == count })
}
