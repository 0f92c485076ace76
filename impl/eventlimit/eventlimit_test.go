package eventlimit_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/rollcall-conformance/rollcall/impl/eventlimit"
)

func TestEventsOfOneObjectAndReasonAreLimited(t *testing.T) {
	passed := events.NewFakeRecorder(100)
	clock := testingclock.NewFakePassiveClock(time.Unix(0, 0))
	recorder := eventlimit.New(passed, clock)
	one, another := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "1"}}, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "2"}}
	tell := func(about *corev1.Pod, reason string, times int) int {
		before := len(passed.Events)
		for range times {
			recorder.Eventf(about, nil, corev1.EventTypeNormal, reason, "Create", "created")
		}
		return len(passed.Events) - before
	}
	if got := tell(one, "Created", 40); got != 25 {
		t.Errorf("%d of 40 Events of one object, want 25", got)
	}
	if got := tell(another, "Created", 1); got != 1 {
		t.Error("another object's is left out")
	}
	if got := tell(one, "Resumed", 1); got != 1 {
		t.Error("one of another reason is left out")
	}
	clock.SetTime(clock.Now().Add(5 * time.Minute))
	if got := tell(one, "Created", 2); got != 1 {
		t.Errorf("%d of 2 five minutes later, want 1", got)
	}
}

func TestNotesAreCut(t *testing.T) {
	passed := events.NewFakeRecorder(1)
	recorder := eventlimit.New(passed, testingclock.NewFakePassiveClock(time.Unix(0, 0)))
	recorder.Eventf(&corev1.Pod{}, nil, corev1.EventTypeNormal, "Created", "Create", "%d: %s", 100, strings.Repeat("x", 2000))
	// The fake recorder puts type and reason before the note.
	if note := strings.TrimPrefix(<-passed.Events, "Normal Created "); len(note) != 1024 || !strings.HasPrefix(note, "100: xx") {
		t.Errorf("a note of %d bytes, %.20s…, want 1024", len(note), note)
	}
}
