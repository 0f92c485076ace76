package plan

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
)

// history is what the revisions of a DaemonSet say about its pods.
type history struct {
	// established says that the current template has a revision; without one, no pod may be created or deleted for it.
	established bool
	// hash is the label value of pods of the current template; while not established, the one they are going to get,
	// or nothing if a collision has yet to change it.
	hash string
	// current are the label values of all revisions that hold the current template: more than one while duplicates
	// wait for their pods to be relabelled.
	current sets.Set[string]
	// other are the label values of revisions that hold another template.
	other sets.Set[string]
	// revisions are those that hold another template, by their label values.
	revisions map[string]*appsv1.ControllerRevision
	// patience is until when to wait for the garbage collector; zero if there is nothing to wait for.
	patience time.Time
}

// updated reports whether pod is of the current template. The template generation decides before the hash, for pods
// that were created when there was no history (HISTORY-022), but not against a revision that is known to hold
// another template: generations start again when a DaemonSet is recreated over the pods it left behind (HISTORY-026).
func (h history) updated(ds *appsv1.DaemonSet, pod *corev1.Pod) bool {
	hash := pod.Labels[HashLabel]
	switch {
	case h.current.Has(hash):
		return true
	case h.other.Has(hash):
		return false
	default:
		generation := templateGeneration(ds)
		return generation != "" && pod.Labels[GenerationLabel] == generation
	}
}

// revisionPlan works out what to do about the revisions of one DaemonSet.
type revisionPlan struct {
	ds       *appsv1.DaemonSet
	selector labels.Selector
	// mine are the revisions that are owned or about to be adopted, as they should look: changes are made to copies
	// which are in updates then.
	mine    []*appsv1.ControllerRevision
	updates map[*appsv1.ControllerRevision]*RevisionUpdate
	// wanted is the name that a new revision would get. It is asked for where that matters alone: a hash costs more than all the rest.
	wanted func() string
	// occupant is the revision, whoever controls it, with the name that the new one needs; nil where none is needed.
	occupant *appsv1.ControllerRevision
	release  []RevisionUpdate
}

func newRevisionPlan(ds *appsv1.DaemonSet, selector labels.Selector, revisions []*appsv1.ControllerRevision) *revisionPlan {
	p := &revisionPlan{ds: ds, selector: selector, updates: map[*appsv1.ControllerRevision]*RevisionUpdate{}}
	p.wanted = sync.OnceValue(func() string { return RevisionName(ds) })
	for _, revision := range revisions {
		switch relationOf(ds, selector, revision) {
		case owned:
			p.mine = append(p.mine, revision)
		case adoptive:
			p.mine = append(p.mine, revision)
			p.adopt(revision)
		case lost:
			if revision.Name == p.wanted() {
				break
			}
			released := revision.DeepCopy()
			released.OwnerReferences = withoutOwner(ds, revision)
			p.release = append(p.release, RevisionUpdate{Revision: released})
		}
	}
	for _, revision := range p.mine {
		// Also if it is being deleted: until it is gone its pods are told by the label (API-020).
		if revision.Labels[HashLabel] == "" {
			p.relabel(revision, map[string]string{HashLabel: labelFor(ds, revision)})
		}
	}
	return p
}

// outside returns the label values of revisions of other controllers that hold another template (HISTORY-022).
func (p *revisionPlan) outside(revisions []*appsv1.ControllerRevision) sets.Set[string] {
	labels := sets.New[string]()
	for _, revision := range revisions {
		others := revision.Namespace == p.ds.Namespace && !slices.Contains(p.mine, revision)
		if others && StoredTemplate(revision) != nil && !holdsTemplate(revision, &p.ds.Spec.Template) {
			labels.Insert(revision.Labels[HashLabel])
		}
	}
	return labels.Delete("")
}

// occupied looks for the occupant.
func (p *revisionPlan) occupied(revisions []*appsv1.ControllerRevision) bool {
	for _, revision := range revisions {
		if revision.Namespace == p.ds.Namespace && revision.Name == p.wanted() {
			p.occupant = revision
		}
	}
	return p.occupant != nil
}

// update returns the copy of revision that will be written.
func (p *revisionPlan) update(revision *appsv1.ControllerRevision) *RevisionUpdate {
	if p.updates[revision] == nil {
		p.updates[revision] = &RevisionUpdate{Revision: revision.DeepCopy()}
	}
	return p.updates[revision]
}

func (p *revisionPlan) adopt(revision *appsv1.ControllerRevision) {
	update := p.update(revision)
	update.Adopt = true
	update.Revision.OwnerReferences = withController(p.ds, revision)
}

func (p *revisionPlan) relabel(revision *appsv1.ControllerRevision, add map[string]string) {
	update := p.update(revision).Revision
	if update.Labels == nil {
		update.Labels = map[string]string{}
	}
	maps.Copy(update.Labels, add)
}

// hashOf is the label of revision once the updates are written.
func (p *revisionPlan) hashOf(revision *appsv1.ControllerRevision) string {
	if update := p.updates[revision]; update != nil {
		return update.Revision.Labels[HashLabel]
	}
	return revision.Labels[HashLabel]
}

// split returns the revisions that hold the current template, the one to keep first, and those that do not, oldest
// first. To keep is the one with the highest number (HISTORY-011), of those that are not being deleted if there is one (HISTORY-018).
func (p *revisionPlan) split() (current, old []*appsv1.ControllerRevision) {
	for _, revision := range p.mine {
		if holdsTemplate(revision, &p.ds.Spec.Template) {
			current = append(current, revision)
		} else {
			old = append(old, revision)
		}
	}
	byNumber := func(a, b *appsv1.ControllerRevision) int {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.Name, b.Name))
	}
	slices.SortFunc(old, byNumber)
	slices.SortFunc(current, func(a, b *appsv1.ControllerRevision) int { return byNumber(b, a) })
	slices.SortStableFunc(current, func(a, b *appsv1.ControllerRevision) int { return cmp.Compare(deletions(a), deletions(b)) })
	return current, old
}

// deletions is 1 for a revision that is being deleted, else 0.
func deletions(revision *appsv1.ControllerRevision) int {
	if revision.DeletionTimestamp != nil {
		return 1
	}
	return 0
}

// planHistory decides about every revision, fills in what Actions says about them, and returns what they tell about
// pods. The pods are those that are owned, terminating and ended ones included.
func planHistory(state State, selector labels.Selector, pods []*corev1.Pod, now time.Time, actions *Actions) (history, *int32) {
	ds := state.DaemonSet
	p := newRevisionPlan(ds, selector, state.Revisions)
	current, old := p.split()
	h := history{current: sets.New[string](), other: sets.New[string](), revisions: map[string]*appsv1.ControllerRevision{}}
	for _, revision := range old {
		h.other.Insert(p.hashOf(revision))
		h.revisions[p.hashOf(revision)] = revision
	}
	h.other = h.other.Union(p.outside(state.Revisions))
	next := int64(1)
	if len(old) > 0 {
		next = old[len(old)-1].Revision + 1
	}

	collisions := ds.Status.CollisionCount
	switch {
	case len(current) > 0:
		h.established = true
		h.hash = p.hashOf(current[0])
		if current[0].Revision < next {
			p.update(current[0]).Revision.Revision = next
		}
		for _, revision := range current {
			h.current.Insert(p.hashOf(revision))
		}
		p.retireDuplicates(current, pods, actions)
	case !p.occupied(state.Revisions):
		h.hash = TemplateHash(&ds.Spec.Template, ds.Status.CollisionCount)
		revision, err := NewRevision(ds, next)
		if err != nil {
			actions.Err = err
			return h, collisions
		}
		actions.CreateRevision = revision
	default:
		collisions = p.settleOccupant(&h, now)
	}
	if h.hash != "" {
		// Two templates never share a label: where an old revision carries the current one, the current template wins.
		h.current.Insert(h.hash)
		h.other = h.other.Difference(h.current)
	}

	p.trim(old, pods, actions)
	for _, revision := range p.mine {
		if update := p.updates[revision]; update != nil {
			actions.UpdateRevisions = append(actions.UpdateRevisions, *update)
		}
	}
	if p.occupant != nil && !slices.Contains(p.mine, p.occupant) && p.updates[p.occupant] != nil {
		actions.UpdateRevisions = append(actions.UpdateRevisions, *p.updates[p.occupant])
	}
	actions.UpdateRevisions = append(actions.UpdateRevisions, p.release...)
	return h, collisions
}

// retireDuplicates moves the pods of all but the first of current to the first, and deletes a duplicate once no pod
// carries its label. Pods of other revisions keep theirs, or they would never be updated (HISTORY-012).
func (p *revisionPlan) retireDuplicates(current []*appsv1.ControllerRevision, pods []*corev1.Pod, actions *Actions) {
	keep := p.hashOf(current[0])
	duplicated := sets.New[string]()
	for _, revision := range current[1:] {
		if hash := p.hashOf(revision); hash != keep {
			duplicated.Insert(hash)
		}
	}
	live := sets.New[string]()
	for _, pod := range pods {
		if hash := pod.Labels[HashLabel]; duplicated.Has(hash) {
			live.Insert(hash)
			actions.relabel(pod, keep)
		}
	}
	for _, revision := range current[1:] {
		if !live.Has(p.hashOf(revision)) {
			p.discard(revision, actions)
		}
	}
}

// discard deletes revision, unless that has been done, or it has yet to be adopted: what is not ours is not deleted.
func (p *revisionPlan) discard(revision *appsv1.ControllerRevision, actions *Actions) {
	update := p.updates[revision]
	if revision.DeletionTimestamp != nil || (update != nil && update.Adopt) {
		return
	}
	actions.DeleteRevisions = append(actions.DeleteRevisions, revision)
	delete(p.updates, revision)
}

// trim deletes what exceeds spec.revisionHistoryLimit of old, oldest first, sparing every revision that some pod, be
// it terminating or ended, still carries (HISTORY-016 to HISTORY-021).
func (p *revisionPlan) trim(old []*appsv1.ControllerRevision, pods []*corev1.Pod, actions *Actions) {
	limit := 10
	if p.ds.Spec.RevisionHistoryLimit != nil {
		limit = int(*p.ds.Spec.RevisionHistoryLimit)
	}
	live := sets.New[string]()
	for _, pod := range pods {
		live.Insert(pod.Labels[HashLabel])
	}
	staying := slices.DeleteFunc(slices.Clone(old), func(r *appsv1.ControllerRevision) bool { return r.DeletionTimestamp != nil })
	excess := len(staying) - limit
	for _, revision := range staying {
		if excess <= 0 {
			return
		}
		if live.Has(p.hashOf(revision)) {
			continue
		}
		p.discard(revision, actions)
		excess--
	}
}
