package historytest

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// By says who made the newest event, in a history whose authors are from an audit log.
func (b *Builder) By(who history.Who, verb string) *Builder {
	b.h.Authors = history.AuthorsFromAuditLog
	b.h.Entries[len(b.h.Entries)-1].Author = &history.Author{Who: who, User: "user of " + string(who), Verb: verb, Code: 200}
	return b
}

// Asked says that the newest event's request was to create another pod than the event shows: the change makes it of that pod. Admission did the opposite.
func (b *Builder) Asked(change func(*corev1.Pod)) *Builder {
	entry := &b.h.Entries[len(b.h.Entries)-1]
	pod := entry.Object.DeepCopyObject().(*corev1.Pod)
	change(pod)
	entry.Author.Asked = &corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	return b
}

// Answered says that the newest event's request had been answered d before the harness heard of the event.
func (b *Builder) Answered(d time.Duration) *Builder {
	entry := &b.h.Entries[len(b.h.Entries)-1]
	entry.Author.Answered = entry.Time.Add(-d)
	return b
}
