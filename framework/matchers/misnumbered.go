package matchers

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// PodMisnumbered happens when a DaemonSet's pod is created that does not carry the template generation of the template that it is made from (API-021): the
// one in force, or one that was until less than judge.Lag before. Where the workload's templates have no generation, its pods have none either.
func PodMisnumbered() Event {
	return eventOf("pod created whose label pod-template-generation is missing, or is not the generation of its template", &leaf{follow: func(_ *history.History, emit func(Moment)) func(*history.Cluster, history.Change) {
		n := numbers{emit: emit, of: map[types.UID][]numbered{}}
		return n.step
	}})
}

// numbers follows the template generations of DaemonSets.
type numbers struct {
	emit  func(Moment)
	index int
	// of are the templates that each DaemonSet has had, the one in force last.
	of map[types.UID][]numbered
}

// numbered is a template with its generation.
type numbered struct {
	generation string
	template   *corev1.PodTemplateSpec
	from       time.Time
}

func (n *numbers) step(cluster *history.Cluster, change history.Change) {
	switch object := change.Object.(type) {
	case *appsv1.DaemonSet:
		all, generation := n.of[object.UID], object.Annotations[appsv1.DeprecatedTemplateGeneration]
		if len(all) == 0 || all[len(all)-1].generation != generation || !history.SameTemplate(all[len(all)-1].template, &object.Spec.Template) {
			n.of[object.UID] = append(all, numbered{generation: generation, template: &object.Spec.Template, from: cluster.Time})
		}
	case *corev1.Pod:
		owner := cluster.OwnerOf(object)
		if change.Before == nil && change.Type == watch.Added && owner != nil && !n.right(cluster, object, owner.UID) {
			n.emit(Moment{Occurrence: Occurrence{Change: change, At: change.Time, index: n.index}, cluster: cluster})
		}
	}
	n.index++
}

// right reports whether the pod carries the generation of a template that it can have been made from.
func (n *numbers) right(cluster *history.Cluster, pod *corev1.Pod, owner types.UID) bool {
	all := n.of[owner]
	for i, candidate := range slices.Backward(all) {
		if i+1 < len(all) && cluster.Time.Sub(all[i+1].from) >= judge.Lag {
			return false
		}
		if label := pod.Labels[history.TemplateGenerationLabel]; label == candidate.generation && cluster.Matches(pod, candidate.template) {
			return true
		}
	}
	return false
}
