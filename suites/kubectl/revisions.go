package kubectl

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/rollouts"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// What kubectl prints of revisions.
const (
	listed = "what kubectl rollout history lists"
	shown  = "the images that it shows of each revision"
	undone = "what kubectl rollout undo says"
)

// revisions is the spec of `kubectl rollout history` and `kubectl rollout undo`.
func revisions() {
	spec.It("has kubectl rollout history list the revisions, and kubectl rollout undo go back to the one before, and to a given one",
		spec.Decides("KUBECTL-002", "KUBECTL-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			for _, version := range []string{"v2", "v3"} {
				// What a later template adds has to go again.
				daemonSet = c.Update(ctx, daemonSet, Image(version), annotated(version))
				c.Await(ctx, RolledOut(daemonSet))
			}
			numbers := list(c, daemonSet)

			var says []string
			for _, revision := range append([]int64{0, 0}, numbers[:min(1, len(numbers))]...) {
				// kubectl goes by the numbers, which may be those of before while the pods are updated already.
				c.AwaitAfter(ctx, spec.AtOnce, rollouts.Renumbered(daemonSet))
				var said string
				daemonSet, said = c.RolloutUndo(ctx, daemonSet, revision)
				says = append(says, said)
				c.Await(ctx, RolledOut(daemonSet))
			}
			c.Bind(undone, says...)
		},
		func(j *spec.Checks) {
			j.Decide("KUBECTL-002", Printed("kubectl rollout history lists three revisions and shows what they are", wrongHistory(j, "v1", "v2", "v3")))
			// To v2 and back, and then to the first.
			j.Decide("KUBECTL-003", Printed("kubectl rollout undo rolls back each time", wrongUndo(j.BoundAll(undone), 3)), EndsRolledOut())
			j.Decide("KUBECTL-003", Exactly(1, templateGets("v1")), Exactly(2, templateGets("v2")), Exactly(2, templateGets("v3")))
			j.Decide("KUBECTL-003", Never(leftOver()))
			for _, version := range []string{"v1", "v2", "v3"} {
				j.Decide("KUBECTL-003", OnEveryNode(Exactly(2, PodCreated(OfVersion(version)))))
			}
		}, spec.AppsV1{}, spec.MainPath{})

	spec.It("has kubectl rollout history list the revisions of two restarts, and kubectl rollout undo go back to the first",
		spec.Decides("KUBECTL-002", "KUBECTL-003"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := c.Deploy(ctx, MaxUnavailable("2"))
			first := numbersIn(c.RolloutHistory(daemonSet, 0))
			if len(first) == 0 {
				list(c, daemonSet)
				c.Bind(undone)
				return
			}
			for _, at := range []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"} {
				daemonSet = c.Update(ctx, daemonSet, restarted(at))
				c.Await(ctx, RolledOut(daemonSet))
			}
			list(c, daemonSet)
			daemonSet, said := c.RolloutUndo(ctx, daemonSet, first[0])
			c.Await(ctx, RolledOut(daemonSet))
			c.Bind(undone, said)
		},
		func(j *spec.Checks) {
			j.Decide("KUBECTL-002", Printed("kubectl rollout history lists three revisions, each with its image", wrongHistory(j, "v1", "v1", "v1")))
			j.Decide("KUBECTL-003", Printed("kubectl rollout undo rolls back to the first", wrongUndo(j.BoundAll(undone), 1)), EndsRolledOut())
			j.Decide("KUBECTL-003", AtLeast(1, TemplateChanged().Where("to one that was never restarted", func(m Moment) bool {
				daemonSet, ok := m.Object.(*appsv1.DaemonSet)
				return ok && daemonSet.Spec.Template.Annotations[restartedAt] == ""
			})))
		}, spec.AppsV1{})

	spec.It("has kubectl rollout history list the revisions where expressions alone select the pods",
		spec.Decides("KUBECTL-002"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 1)
			daemonSet := c.Deploy(ctx, MaxUnavailable("1"), Edit{Says: "a selector of expressions", Apply: func(d *appsv1.DaemonSet) {
				// kubectl looks for histories with labels that it selects, as the template has them.
				d.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{d.Name, "another"}},
				}}
			}})
			daemonSet = c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, RolledOut(daemonSet))
			list(c, daemonSet)
		},
		func(j *spec.Checks) {
			j.Decide("KUBECTL-002", Printed("kubectl rollout history lists two revisions and shows what they are", wrongHistory(j, "v1", "v2")))
		}, spec.AppsV1{})
}

// list has kubectl list the revisions and show each, and returns their numbers.
func list(c *spec.Case, daemonSet *appsv1.DaemonSet) []int64 {
	lines := c.RolloutHistory(daemonSet, 0)
	c.Bind(listed, lines...)
	numbers := numbersIn(lines)
	var images []string
	for _, number := range numbers {
		images = append(images, imageIn(c.RolloutHistory(daemonSet, number)))
	}
	c.Bind(shown, images...)
	return numbers
}

// templateGets happens when the DaemonSet's template gets the image of that version.
func templateGets(version string) Event {
	return TemplateChanged().Where("to "+version, func(m Moment) bool {
		daemonSet, ok := m.Object.(*appsv1.DaemonSet)
		return ok && history.HasTag(&daemonSet.Spec.Template.Spec, version)
	})
}

// restartedAt is the annotation of the template by which kubectl rollout restart has pods replaced.
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// restarted does what kubectl rollout restart does at that time.
func restarted(at string) Edit {
	return Edit{Says: "kubectl rollout restart", Apply: func(d *appsv1.DaemonSet) { metav1.SetMetaDataAnnotation(&d.Spec.Template.ObjectMeta, restartedAt, at) }}
}

// ofVersion is the key of the annotation that names the version of a template after the first.
const ofVersion = "example.org/version-"

// annotated gives the template an annotation that no other version has.
func annotated(version string) Edit {
	return Edit{Says: "an annotation of " + version, Apply: func(d *appsv1.DaemonSet) {
		for other := range d.Spec.Template.Annotations {
			if strings.HasPrefix(other, ofVersion) {
				delete(d.Spec.Template.Annotations, other)
			}
		}
		metav1.SetMetaDataAnnotation(&d.Spec.Template.ObjectMeta, ofVersion+version, "true")
	}}
}

// leftOver happens when the template gets the image of one version and keeps an annotation of another.
func leftOver() Event {
	return TemplateChanged().Where("to something of two versions", func(m Moment) bool {
		daemonSet, ok := m.Object.(*appsv1.DaemonSet)
		if !ok {
			return false
		}
		for key := range daemonSet.Spec.Template.Annotations {
			if version, is := strings.CutPrefix(key, ofVersion); is && !history.HasTag(&daemonSet.Spec.Template.Spec, version) {
				return true
			}
		}
		return false
	})
}

// numbersIn are the revisions that `kubectl rollout history` lists.
func numbersIn(lines []string) []int64 {
	var numbers []int64
	for _, line := range lines {
		if words := strings.Fields(line); len(words) > 0 {
			if number, err := strconv.ParseInt(words[0], 10, 64); err == nil {
				numbers = append(numbers, number)
			}
		}
	}
	return numbers
}

// imageIn is the tag of the image that `kubectl rollout history --revision` shows; what it says if it shows none.
func imageIn(lines []string) string {
	for _, line := range lines {
		if image, found := strings.CutPrefix(strings.TrimSpace(line), "Image:"); found {
			return image[strings.LastIndex(image, ":")+1:]
		}
	}
	return strings.Join(lines, " ")
}

// wrongHistory says what is wrong with the revisions that kubectl lists and shows, which should be of these versions, or nothing.
func wrongHistory(j *spec.Checks, versions ...string) string {
	lines, images := j.BoundAll(listed), j.BoundAll(shown)
	if len(numbersIn(lines)) != len(versions) {
		return fmt.Sprintf("it lists %d revisions: %s", len(numbersIn(lines)), strings.Join(lines, "; "))
	}
	if got := strings.Join(images, ", "); got != strings.Join(versions, ", ") {
		return "their images are " + got
	}
	return ""
}

// wrongUndo says what is wrong with what `kubectl rollout undo` says, so many times, or nothing.
func wrongUndo(says []string, times int) string {
	if len(says) != times {
		return "there is no revision to go back to"
	}
	for _, said := range says {
		if said != "rolled back" {
			return fmt.Sprintf("it says %q", said)
		}
	}
	return ""
}
