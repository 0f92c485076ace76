package audit

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Join finds the author of each event of a history whose request is among the records. The order of the records does not matter.
//
// Most answers hold the object as the request left it. The event has its resourceVersion, and UID. A request that changed nothing is answered with the
// version that was there already, so of several answers with one version the one given first is the event's: whoever only saw the version saw it
// afterwards.
//
// The other answers are joined by the object and by what the event shows:
//
//   - a binding, by the event that gives the pod its node;
//   - an eviction, by the two events that it makes itself: the pod's condition, and its deletion;
//   - the deletion of a pod is answered with the pod: terminating, as the MODIFIED event has it, or gone, with the version of the DELETED event. Before
//     that, the same request makes a MODIFIED event with a grace period of 0. The deletion of an object of any other kind is answered with the object's UID, that of a collection with the objects as they were found. They are joined by the event with
//     which the object begins to terminate or, where nothing keeps it, goes;
//   - who takes the last finalizer from a terminating object is answered with the object as it was before it went, and is joined by the DELETED event.
//
// Of several requests that may have had one effect, the one that was answered first had it: those that came later found it, and may be answered with the
// event's version where that one is not, as by a deletion of a pod that is being evicted. None has an effect that was
// seen before the request came in. A pod that has no time left is shown twice, so that a kubelet that sees it may delete it, and be answered, before the request that
// took the time has gone on to remove it: there the one that came in first had the effect.
//
// Writes that changed nothing come last: those whose answers have a version that another made.
//
// Events without a request in the log have no author: what was there when the recording began, and what the API server did by itself.
func Join(h *history.History, records []Record) []history.Authorship {
	j := newJoiner(records)
	before := map[types.UID]history.Object{}
	var all, idle []history.Authorship
	for _, entry := range h.Entries {
		if entry.Object == nil {
			continue
		}
		uid := entry.Object.GetUID()
		record := j.author(before[uid], entry)
		before[uid] = entry.Object
		if record == nil {
			continue
		}
		all = append(all, history.Authorship{ResourceVersion: entry.ResourceVersion, UID: uid, Author: record.made(entry)})
		idle = append(idle, j.idle(entry)...)
	}
	return append(all, idle...)
}

func (r Record) author() history.Author {
	return history.Author{User: r.User, Verb: r.Verb, Subresource: r.Subresource, Code: r.Code, Answered: r.Answered.UTC()}
}

// made is the author of the event, with what the request asked for where the event shows a pod that lacks a part of it.
func (r Record) made(entry history.Entry) history.Author {
	author := r.author()
	pod, isPod := entry.Object.(*corev1.Pod)
	if !isPod || r.Asked == nil || history.LacksOfTemplate(pod, r.Asked) == "" {
		return author
	}
	author.Asked = &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: r.Asked.Labels, Annotations: r.Asked.Annotations}, Spec: r.Asked.Spec}
	return author
}

// joiner holds the records of requests that were carried out, first answered first.
type joiner struct {
	byVersion map[version][]*Record
	byUID     map[types.UID][]*Record
	byName    map[name][]*Record
	// spent are those whose one effect has been seen.
	spent map[*Record]bool
}

type version struct {
	number uint64
	uid    types.UID
}

type name struct {
	resource        schema.GroupResource
	namespace, name string
}

func newJoiner(records []Record) *joiner {
	j := &joiner{byVersion: map[version][]*Record{}, byUID: map[types.UID][]*Record{}, byName: map[name][]*Record{}, spent: map[*Record]bool{}}
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b Record) int { return a.Answered.Compare(b.Answered) })
	for i := range sorted {
		record := &sorted[i]
		if !record.succeeded() {
			continue
		}
		if record.ResourceVersion != 0 {
			key := version{record.ResourceVersion, record.UID}
			j.byVersion[key] = append(j.byVersion[key], record)
		}
		if record.UID != "" {
			j.byUID[record.UID] = append(j.byUID[record.UID], record)
		} else {
			key := name{schema.GroupResource{Group: record.Group, Resource: record.Resource}, record.Namespace, record.Name}
			j.byName[key] = append(j.byName[key], record)
		}
	}
	return j
}

func (j *joiner) author(before history.Object, entry history.Entry) *Record {
	shown := effectOf(before, entry)
	answered := j.byVersion[version{entry.ResourceVersion, entry.Object.GetUID()}]
	if len(answered) == 0 {
		return j.spend(j.cause(shown, entry), shown)
	}
	if begins := shown == disrupted || shown == doomed && before.GetDeletionTimestamp() == nil; begins {
		// An eviction, or the deletion of a collection, is not answered with the version. Whoever comes after it is, and changes nothing.
		if cause := j.cause(shown, entry); cause != nil && cause.Answered.Before(answered[0].Answered) {
			return j.spend(cause, shown)
		}
	}
	j.spent[answered[0]] = true
	return answered[0]
}

// spend takes note that the effect of the request, if there is one, has been seen, and returns the request.
func (j *joiner) spend(record *Record, shown effect) *Record {
	if record != nil {
		// There is a second effect after these.
		j.spent[record] = shown != disrupted && shown != ending
	}
	return record
}

// cause returns the request that had the effect which the event shows, of those whose answers do not have the event's version; nil if there is none.
func (j *joiner) cause(shown effect, entry history.Entry) *Record {
	if shown == none {
		return nil
	}
	candidates := slices.Clone(j.byUID[entry.Object.GetUID()])
	if definition, err := history.Define(entry.Kind); err == nil {
		candidates = append(candidates, j.byName[name{definition.GroupResource(), entry.Object.GetNamespace(), entry.Object.GetName()}]...)
	}
	slices.SortStableFunc(candidates, func(a, b *Record) int {
		if shown == ending {
			return a.Received.Compare(b.Received)
		}
		return a.Answered.Compare(b.Answered)
	})
	for _, record := range candidates {
		if j.spent[record] || !record.mayCause(shown, entry.ResourceVersion) || record.Received.After(entry.Time) {
			continue
		}
		return record
	}
	return nil
}

// idle are the writes that were answered with the event's version, but for the one that made it.
func (j *joiner) idle(entry history.Entry) []history.Authorship {
	uid := entry.Object.GetUID()
	var all []history.Authorship
	for i, record := range j.byVersion[version{entry.ResourceVersion, uid}] {
		if i > 0 && (record.Verb == "update" || record.Verb == "patch") {
			all = append(all, history.Authorship{ResourceVersion: entry.ResourceVersion, UID: uid, Author: record.author(), Again: &record.Answered})
		}
	}
	return all
}
