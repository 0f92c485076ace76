package plan

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// hashLabel is the label of a ControllerRevision with the hash in its name.
const hashLabel = "controller.kubernetes.io/hash"

// historyLimit is how many revisions without pods are kept where the StatefulSet does not say: the API's default.
const historyLimit = 10

// Kind is what the owner references of pods and revisions say.
func Kind() schema.GroupVersionKind { return appsv1.SchemeGroupVersion.WithKind("StatefulSet") }

// history is the revisions as they are to be.
type history struct {
	byName map[string]*appsv1.ControllerRevision
	// update is that of the template, current is the name of the one that the status says was in force before; they are the same when a rollout is over.
	update  *appsv1.ControllerRevision
	current string
	// collisions is the status' collisionCount.
	collisions *int32
}

// keepHistory plans the revisions: one for the template, the newest of all, and no more than the limit of those that nothing is of.
func (p *pass) keepHistory(state State) history {
	h := history{byName: map[string]*appsv1.ControllerRevision{}, collisions: p.set.Status.CollisionCount}
	newest := int64(0)
	for _, revision := range state.Revisions {
		h.byName[revision.Name] = revision
		newest = max(newest, revision.Revision)
		stored := daemons.StoredTemplate(revision)
		if stored != nil && apiequality.Semantic.DeepEqual(stored, &p.set.Spec.Template) && (h.update == nil || h.update.Revision < revision.Revision) {
			h.update = revision
		}
	}
	switch {
	case h.update == nil:
		h.update = p.newRevision(&h, newest+1)
		if h.update == nil {
			return h
		}
		h.byName[h.update.Name] = h.update
		p.actions.CreateRevision = h.update
	case h.update.Revision < newest:
		h.update = h.update.DeepCopy()
		h.update.Revision = newest + 1
		h.byName[h.update.Name] = h.update
		p.actions.RenumberRevision = h.update
	}
	h.current = p.set.Status.CurrentRevision
	if h.byName[h.current] == nil {
		h.current = h.update.Name
	}
	p.shorten(h, state)
	return h
}

// newRevision returns the ControllerRevision of the template, by a name that no other has; nil if the template cannot be encoded.
func (p *pass) newRevision(h *history, number int64) *appsv1.ControllerRevision {
	data, err := daemons.RevisionData(&p.set.Spec.Template)
	if err != nil {
		p.actions.Err = err
		return nil
	}
	hash := hashOf(data, h.collisions)
	for h.byName[p.set.Name+"-"+hash] != nil {
		next := int32(1)
		if h.collisions != nil {
			next += *h.collisions
		}
		h.collisions = &next
		hash = hashOf(data, h.collisions)
	}
	labels := maps.Clone(p.set.Spec.Template.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[hashLabel] = hash
	return &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Name: p.set.Name + "-" + hash, Namespace: p.set.Namespace, Labels: labels, Annotations: maps.Clone(p.set.Annotations),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(p.set, Kind())},
		},
		Data: runtime.RawExtension{Raw: data}, Revision: number,
	}
}

// hashOf is the hash that kube-controller-manager gives a revision, so that either controller recognises the pods of the other.
func hashOf(data []byte, collisions *int32) string {
	h := fnv.New32()
	h.Write(data)
	if collisions != nil {
		h.Write([]byte(strconv.Itoa(int(*collisions))))
	}
	return rand.SafeEncodeString(fmt.Sprint(h.Sum32()))
}

// shorten plans to delete the oldest revisions that nothing is of, as far as they are more than the limit.
func (p *pass) shorten(h history, state State) {
	live := map[string]bool{h.update.Name: true, h.current: true}
	for _, pod := range state.Pods {
		live[pod.Labels[RevisionLabel]] = true
	}
	unused := slices.DeleteFunc(slices.Clone(state.Revisions), func(revision *appsv1.ControllerRevision) bool { return live[revision.Name] })
	slices.SortFunc(unused, func(a, b *appsv1.ControllerRevision) int {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.Name, b.Name))
	})
	limit := historyLimit
	if p.set.Spec.RevisionHistoryLimit != nil {
		limit = int(*p.set.Spec.RevisionHistoryLimit)
	}
	p.actions.DeleteRevisions = unused[:max(0, len(unused)-limit)]
}
