// Package eventlimit keeps Events in bounds. A rollout over a thousand nodes is told by its status, not by two thousand Events; and the API server refuses notes
// that are too long.
package eventlimit

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	stringsutil "k8s.io/utils/strings"
)

// The limits are those of client-go for Kubernetes' own controllers: 25 at once, and then one in five minutes; but for each reason by itself, so that created
// pods do not crowd out what happens once.
const (
	atOnce    = 25
	perSecond = 1.0 / 300
	// objects is how many objects and reasons are remembered.
	objects = 4096
	// noteLimit is how many bytes the API server takes as the note of an Event.
	noteLimit = 1024
)

// recorder passes on what is within the limits, drops the rest, and cuts notes.
type recorder struct {
	next   events.EventRecorder
	filter *record.EventSourceObjectSpamFilter
}

// New returns a recorder of Events that leaves out what exceeds the limits.
func New(next events.EventRecorder, clock clock.PassiveClock) events.EventRecorder {
	byObjectAndReason := func(event *corev1.Event) string { return string(event.InvolvedObject.UID) + event.Reason }
	return recorder{next, record.NewEventSourceObjectSpamFilter(objects, atOnce, perSecond, clock, byObjectAndReason)}
}

// Eventf implements events.EventRecorder.
func (r recorder) Eventf(regarding, related runtime.Object, eventType, reason, action, note string, args ...any) {
	about, err := meta.Accessor(regarding)
	if err == nil && r.filter.Filter(&corev1.Event{InvolvedObject: corev1.ObjectReference{UID: about.GetUID()}, Reason: reason}) {
		return
	}
	r.next.Eventf(regarding, related, eventType, reason, action, "%s", stringsutil.ShortenString(fmt.Sprintf(note, args...), noteLimit))
}
