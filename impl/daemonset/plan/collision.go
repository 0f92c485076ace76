package plan

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// collectorPatience is how long after its creation a DaemonSet waits for the garbage collector, which takes a second
// or two, to remove what a predecessor of the same name left behind. It must not keep nodes without pods for longer than is prompt (SURGE-012, TARGET-002).
const collectorPatience = 4 * time.Second

// settleOccupant deals with a revision that is not ours but has the name that the new one needs. With the same
// content it is the revision we want, and ours to take if nobody controls it (HISTORY-005); with another content the
// two templates have the same hash, and the collision count makes the next name a different one (HISTORY-006). What a
// predecessor of the same name controls is garbage, but about to be collected: it is used only if nobody collects it.
func (p *revisionPlan) settleOccupant(h *history, now time.Time) *int32 {
	collisions := p.ds.Status.CollisionCount
	if !holdsTemplate(p.occupant, &p.ds.Spec.Template) {
		bumped := int32(1)
		if collisions != nil {
			bumped = *collisions + 1
		}
		return &bumped
	}
	h.hash = TemplateHash(&p.ds.Spec.Template, collisions)
	switch relationOf(p.ds, labels.Everything(), p.occupant) {
	case adoptive, owned:
		p.relabel(p.occupant, revisionLabels(p.ds, h.hash))
		p.adopt(p.occupant)
	default:
		if until := p.ds.CreationTimestamp.Add(collectorPatience); p.ofPredecessor() && now.Before(until) {
			h.patience = until
			break
		}
		h.established = true
	}
	return collisions
}

// ofPredecessor reports whether the occupant's controller had the name of the DaemonSet, and so is gone.
func (p *revisionPlan) ofPredecessor() bool {
	controller, kind := metav1.GetControllerOfNoCopy(p.occupant), ControllerKind(p.ds)
	return controller != nil && controller.Name == p.ds.Name &&
		controller.Kind == kind.Kind && controller.APIVersion == kind.GroupVersion().String()
}
